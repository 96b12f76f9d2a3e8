"""An order's page, for whoever has its secret."""

import asyncio
from collections.abc import Sequence

from litestar import Response
from litestar.params import FromPath
from markupsafe import Markup
from msgspec.structs import replace

from fullhouse.accounts import actions as accounts
from fullhouse.accounts.model import OrganizationProfile
from fullhouse.checkout.model import Order
from fullhouse.checkout.orders import reads as order_reads
from fullhouse.events import actions as events
from fullhouse.events import policy
from fullhouse.events.model import Event
from fullhouse.kit.errors import NotFound
from fullhouse.kit.languages import Words
from fullhouse.kit.media.qr import qr_svg
from fullhouse.kit.money import Money
from fullhouse.kit.services import Services
from fullhouse.kit.times import local
from fullhouse.tickets import actions as tickets
from fullhouse.tickets import papers
from fullhouse.tickets.model import TicketView
from fullhouse.tickets.pricing import QuotedLine
from fullhouse.tickets.words import WORDS
from fullhouse.web import programme, words
from fullhouse.web.pages import AnyRequest, page, public

_PRIVATE = {"cache-control": "private, no-store", "x-robots-tag": "noindex"}


@public("/orders/{secret:str}")
async def order_page(request: AnyRequest, secret: FromPath[str]) -> Response[str]:
    services: Services = request.app.state.services
    order, views, show, house = await _read(services, secret)
    t, on_tickets = _words(request, house)
    codes = await asyncio.to_thread(lambda: [Markup(qr_svg(view.qr or "").decode()) for view in views])  # noqa: S704
    date = None if policy.is_undated(show.status, show.rescheduled_at) else policy.date_of(show)
    was = local(show.start_at if show.status == "postponed" else policy.date_of(show), show.timezone)
    news = programme.news(show.status, was, date and local(date, show.timezone), t)
    shown = page(
        "order.html",
        t=t,
        order=order,
        organization=house.name,
        lines=[(line, t.money(Money(line.amount, order.total.currency))) for line in together(order.lines)],
        proposed=[(papers.place(one, on_tickets), one.quantity) for one in order.proposed],
        answer_by=programme.moment(order.consent_by, show.timezone, t) if order.consent_by else None,
        tickets=[
            (view, code, papers.place(view, on_tickets), papers.note(view.category, on_tickets))
            for view, code in zip(views, codes, strict=True)
        ],
        show=show,
        when=programme.moment(date, show.timezone, t) if date else t("new_date_to_come"),
        doors=_doors(views[0], t) if date and views else "",
        undated=date is None,
        news=news,
        to_come=events.is_public(show),
        secret=secret,
    )
    shown.headers.update(words.told(request) | _PRIVATE)
    return shown


@public("/orders/{secret:str}/tickets.pdf")
async def order_pdf(request: AnyRequest, secret: FromPath[str]) -> Response[bytes]:
    services: Services = request.app.state.services
    order, views, _, house = await _read(services, secret)
    if not views:
        raise NotFound
    made = await asyncio.to_thread(papers.sheets, views, house.name, _words(request, house)[1])
    named = {"content-disposition": f'inline; filename="{order.code}.pdf"'}
    return Response(made, media_type="application/pdf", headers=_PRIVATE | named)


def _words(request: AnyRequest, house: OrganizationProfile) -> tuple[Words, Words]:
    """The page's, and the tickets' own."""
    t = words.wanted(request) or words.ALL.of(house.locale)
    return t, WORDS.of(t.code)


def _doors(view: TicketView, t: Words) -> str:
    """When to come; nothing where they open with the show."""
    at = local(view.doors_at, view.timezone)
    return t("doors", hour=f"{at:%H:%M}") if view.doors_at < view.start_at else ""


def together(lines: Sequence[QuotedLine]) -> list[QuotedLine]:
    """Seats are billed one by one; what is the same at the same price is one line to a reader."""
    found: dict[tuple[str, str, bool, int], list[QuotedLine]] = {}
    for line in lines:
        found.setdefault((line.kind, line.name, line.included, line.amount // line.quantity), []).append(line)
    return [
        replace(same[0], quantity=sum(line.quantity for line in same), amount=sum(line.amount for line in same))
        for same in found.values()
    ]


async def _read(services: Services, secret: str) -> tuple[Order, list[TicketView], Event, OrganizationProfile]:
    order = await order_reads.order_by_secret(services, secret)
    async with services.database.tenant(order_reads.organization_in(secret)) as tx:
        views = await tickets.printed(tx, services.keyring, order.id)
        show = await events.get_event(tx, order.event_id)
        house = await accounts.get_profile(tx)
    return order, views, show, house


handlers = [order_page, order_pdf]
