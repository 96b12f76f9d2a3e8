"""An order's page and PDF, for anyone who has the order's secret."""

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
    order, views, event, profile = await _read(services, secret)
    t, on_tickets = _words(request, profile)
    codes = await asyncio.to_thread(lambda: [Markup(qr_svg(view.qr or "").decode()) for view in views])  # noqa: S704
    date = None if policy.is_undated(event.status, event.rescheduled_at) else policy.date_of(event)
    was = local(event.start_at if event.status == "postponed" else policy.date_of(event), event.timezone)
    notice = programme.news(event.status, was, date and local(date, event.timezone), t)
    response = page(
        "order.html",
        t=t,
        order=order,
        organization=profile.name,
        lines=[(line, t.money(Money(line.amount, order.total.currency))) for line in together(order.lines)],
        proposed=[(papers.place(one, on_tickets), one.quantity) for one in order.proposed],
        answer_by=programme.moment(order.consent_by, event.timezone, t) if order.consent_by else None,
        tickets=[
            (view, code, papers.place(view, on_tickets), papers.note(view.category, on_tickets))
            for view, code in zip(views, codes, strict=True)
        ],
        event=event,
        when=programme.moment(date, event.timezone, t) if date else t("new_date_to_come"),
        doors=_doors(views[0], t) if date and views else "",
        undated=date is None,
        notice=notice,
        to_come=events.is_public(event),
        secret=secret,
    )
    response.headers.update(words.told(request) | _PRIVATE)
    return response


@public("/orders/{secret:str}/tickets.pdf")
async def order_pdf(request: AnyRequest, secret: FromPath[str]) -> Response[bytes]:
    services: Services = request.app.state.services
    order, views, _, profile = await _read(services, secret)
    if not views:
        raise NotFound
    pdf = await asyncio.to_thread(papers.sheets, views, profile.name, _words(request, profile)[1])
    disposition = {"content-disposition": f'inline; filename="{order.code}.pdf"'}
    return Response(pdf, media_type="application/pdf", headers=_PRIVATE | disposition)


def _words(request: AnyRequest, profile: OrganizationProfile) -> tuple[Words, Words]:
    """The texts of the page, and those of the tickets."""
    t = words.wanted(request) or words.ALL.of(profile.locale)
    return t, WORDS.of(t.code)


def _doors(view: TicketView, t: Words) -> str:
    """When the doors open; empty if that is the start."""
    at = local(view.doors_at, view.timezone)
    return t("doors", hour=f"{at:%H:%M}") if view.doors_at < view.start_at else ""


def together(lines: Sequence[QuotedLine]) -> list[QuotedLine]:
    """Merges price lines: each seat is a line of its own, but equal ones at the same price are shown as one."""
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
        event = await events.get_event(tx, order.event_id)
        profile = await accounts.get_profile(tx)
    return order, views, event, profile


handlers = [order_page, order_pdf]
