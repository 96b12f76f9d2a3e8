"""The local mailbox, the email templates, an event's notices, and resending tickets."""

from html import escape
from uuid import UUID

from fullhouse.events import actions as events
from fullhouse.kit.actors import Principal
from fullhouse.kit.cache.limits import Limit
from fullhouse.kit.db.cursors import LIMIT, Page, page_by_age
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import NotFound
from fullhouse.kit.http.endpoints import get, post
from fullhouse.kit.http.parameters import After, PageSize, Secret, parse_bearer
from fullhouse.kit.http.response import Response
from fullhouse.kit.mail import mailbox
from fullhouse.kit.mail.mailbox import Mail, MailInFull
from fullhouse.kit.services import Services
from fullhouse.mail import actions
from fullhouse.mail.model import EmailTemplate, Format, NoticeProgress
from fullhouse.mail.notices import store as notice_store
from fullhouse.mail.ticket_emails import TicketEmails

BY_SECRET = Limit(30, 60)  # from one address
# Emails are shown with a mail program's restrictions: no script, no form, no subresources, no navigation.
_HTML_HEADERS = (
    ("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'self'"),
    ("cache-control", "no-store"),
    ("referrer-policy", "no-referrer"),
)


@get("/api/org/mailbox", "mailbox.read")
async def list_mailbox(tx: Tx, services: Services, limit: PageSize = LIMIT, cursor: After = None) -> Page[Mail]:
    """The organisation's emails, newest first; with the text until they are sent."""
    return await page_by_age(tx, services.keyring, "mailbox", mailbox.list_newest, cursor, limit)


@get("/api/org/mailbox/{mail_id:uuid}", "mailbox.read")
async def get_mail(tx: Tx, mail_id: UUID) -> MailInFull:
    """One email, with its HTML until it is sent."""
    found = await mailbox.find_mail(tx, mail_id)
    if found is None:
        raise NotFound
    return found


@get("/api/org/mailbox/{mail_id:uuid}/html", "mailbox.read", media_type="text/html")
async def show_mail(tx: Tx, mail_id: UUID) -> Response:
    """One email as its recipient sees it. 404 once it is sent, because its text is deleted then."""
    found = await mailbox.find_mail(tx, mail_id)
    if found is None or found.html is None:
        raise NotFound
    return _to_response(found.html, "text/html")


@get("/api/org/mail-templates", "mail_templates.read")
async def list_mail_templates() -> list[EmailTemplate]:
    """The emails that are sent automatically, and when."""
    return actions.list_templates()


@get("/api/org/mail-templates/{name:str}/preview", "mail_templates.read", media_type="text/html")
async def preview_mail(tx: Tx, services: Services, name: str, format: Format = "html") -> Response:
    """A sample of an email in the organisation's branding, as HTML, or as text below its subject."""
    email = await actions.render_preview(tx, services.public_url, name)
    text = f"<!doctype html><title>Text</title><pre>{escape(email.subject)}\n\n{escape(email.text)}</pre>"
    return _to_response(email.html if format == "html" else text, "text/html")


@get("/api/events/{event_id:uuid}/notices", "events.read")
async def list_notices(
    tx: Tx, services: Services, event_id: UUID, limit: PageSize = LIMIT, cursor: After = None
) -> Page[NoticeProgress]:
    """Notices to everybody with a ticket or reservation for the event, with how many emails were sent."""
    await events.require_event(tx, event_id)
    return await page_by_age(
        tx, services.keyring, "notices", notice_store.list_notices, cursor, limit, event_id=event_id
    )


@post("/api/orders/{order_id:uuid}/resend", "orders.mine", status=202)
async def resend_my_tickets(tx: Tx, services: Services, who: Principal, order_id: UUID) -> None:
    """Resend the tickets of one of my orders, to the email address of the order."""
    await TicketEmails(services).resend_for_buyer(tx, who, order_id)


@post("/api/order/resend", public=True, status=202, limit=BY_SECRET)
async def resend_tickets_by_secret(services: Services, authorization: Secret = None) -> None:
    """Resend the tickets of the order whose secret is in the `Authorization` header, to the email address of the
    order."""
    await TicketEmails(services).resend_by_secret(parse_bearer(authorization))


@post("/api/orders/{order_id:uuid}/send", "orders.send", status=202, limit=Limit(30, 60))
async def send_tickets_again(tx: Tx, services: Services, order_id: UUID) -> None:
    """Resend an order's tickets to its buyer: those that are still valid."""
    await TicketEmails(services).resend_for_staff(tx, order_id)


def _to_response(text: str, kind: str) -> Response:
    return Response(200, text.encode(), _HTML_HEADERS, kind)


handlers = [
    list_mailbox, get_mail, show_mail, list_mail_templates, preview_mail, list_notices, resend_my_tickets,
    resend_tickets_by_secret, send_tickets_again,
]  # fmt: skip
