"""The local mailbox, the letters that can be written, a show's notices, and tickets that are sent again."""

from html import escape
from uuid import UUID

from fullhouse.events import actions as events
from fullhouse.kit.actors import Principal
from fullhouse.kit.cache.limits import Limit
from fullhouse.kit.db.cursors import LIMIT, Page, page_by_age
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import NotFound
from fullhouse.kit.http.answer import Answer
from fullhouse.kit.http.endpoints import get, post
from fullhouse.kit.http.parameters import After, PageSize, Secret, bearer
from fullhouse.kit.mail import mails
from fullhouse.kit.mail.mails import Mail, MailInFull
from fullhouse.kit.services import Services
from fullhouse.mail import actions
from fullhouse.mail.model import Format, NoticeProgress, Template
from fullhouse.mail.notices import store as notice_store
from fullhouse.mail.ticket_emails import Handout

BY_SECRET = Limit(30, 60)  # from one address
# A letter is shown as a mail program would, and can do as little: no script, no form, nothing fetched, no way out.
_SHOWN = (
    ("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'self'"),
    ("cache-control", "no-store"),
    ("referrer-policy", "no-referrer"),
)


@get("/api/org/mailbox", "mailbox.read")
async def list_mailbox(tx: Tx, services: Services, limit: PageSize = LIMIT, cursor: After = None) -> Page[Mail]:
    """Mail that was written here, newest first; with its text while it is not sent."""
    return await page_by_age(tx, services.keyring, "mailbox", mails.newest, cursor, limit)


@get("/api/org/mailbox/{mail_id:uuid}", "mailbox.read")
async def get_mail(tx: Tx, mail_id: UUID) -> MailInFull:
    """One mail, with its HTML while it is not sent."""
    found = await mails.in_full(tx, mail_id)
    if found is None:
        raise NotFound
    return found


@get("/api/org/mailbox/{mail_id:uuid}/html", "mailbox.read", media_type="text/html")
async def show_mail(tx: Tx, mail_id: UUID) -> Answer:
    """One mail as its reader sees it. 404 once it is sent: its text is blanked then."""
    found = await mails.in_full(tx, mail_id)
    if found is None or found.html is None:
        raise NotFound
    return _shown(found.html, "text/html")


@get("/api/org/mail-templates", "mail_templates.read")
async def list_mail_templates() -> list[Template]:
    """The letters that are written here, and when."""
    return actions.templates()


@get("/api/org/mail-templates/{name:str}/preview", "mail_templates.read", media_type="text/html")
async def preview_mail(tx: Tx, services: Services, name: str, format: Format = "html") -> Answer:
    """An example of a letter in the organisation's own look, as HTML or as text with its subject above."""
    letter = await actions.preview(tx, services.public_url, name)
    text = f"<!doctype html><title>Text</title><pre>{escape(letter.subject)}\n\n{escape(letter.text)}</pre>"
    return _shown(letter.html if format == "html" else text, "text/html")


@get("/api/events/{event_id:uuid}/notices", "events.read")
async def list_notices(
    tx: Tx, services: Services, event_id: UUID, limit: PageSize = LIMIT, cursor: After = None
) -> Page[NoticeProgress]:
    """What everybody with a place in the show was told, and how many of them have it."""
    await events.get_event(tx, event_id)
    return await page_by_age(
        tx, services.keyring, "notices", notice_store.list_notices, cursor, limit, event_id=event_id
    )


@post("/api/orders/{order_id:uuid}/resend", "orders.mine", status=202)
async def resend_my_tickets(tx: Tx, services: Services, who: Principal, order_id: UUID) -> None:
    """Have the tickets of an order of mine mailed once more, to the address that the order names."""
    await Handout(services).send_again(tx, who, order_id)


@post("/api/order/resend", public=True, status=202, limit=BY_SECRET)
async def resend_tickets_by_secret(services: Services, authorization: Secret = None) -> None:
    """Have the tickets of the order whose secret the `Authorization` header carries mailed once more, to the address
    that the order names."""
    await Handout(services).send_by_secret(bearer(authorization))


@post("/api/orders/{order_id:uuid}/send", "orders.send", status=202, limit=Limit(30, 60))
async def send_tickets_again(tx: Tx, services: Services, order_id: UUID) -> None:
    """Mail an order's tickets to its buyer again: those that are still good."""
    await Handout(services).send_for_staff(tx, order_id)


def _shown(text: str, kind: str) -> Answer:
    return Answer(200, text.encode(), _SHOWN, kind)


handlers = [
    list_mailbox, get_mail, show_mail, list_mail_templates, preview_mail, list_notices, resend_my_tickets,
    resend_tickets_by_secret, send_tickets_again,
]  # fmt: skip
