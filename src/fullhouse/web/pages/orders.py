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
from fullhouse.kit.media.qr import render_qr_svg
from fullhouse.kit.money import Money
from fullhouse.kit.services import Services
from fullhouse.kit.times import to_local
from fullhouse.tickets import actions as tickets
from fullhouse.tickets import documents
from fullhouse.tickets.model import TicketView
from fullhouse.tickets.pricing import QuotedLine
from fullhouse.tickets.words import WORDS
from fullhouse.web import event_views, words
from fullhouse.web.rendering import AnyRequest, page, public

_PRIVATE = {"cache-control": "private, no-store", "x-robots-tag": "noindex"}


@public("/orders/{secret:str}")
async def order_page(request: AnyRequest, secret: FromPath[str]) -> Response[str]:
    services: Services = request.app.state.services
    order, views, event, profile = await _load_order(services, secret)
    t, on_tickets = _choose_words(request, profile)
    codes = await asyncio.to_thread(lambda: [Markup(render_qr_svg(view.qr or "").decode()) for view in views])  # noqa: S704
    date = None if policy.is_undated(event.status, event.rescheduled_at) else policy.date_of(event)
    was = to_local(event.start_at if event.status == "postponed" else policy.date_of(event), event.timezone)
    notice = event_views.describe_date_change(event.status, was, date and to_local(date, event.timezone), t)
    response = page(
        "order.html",
        t=t,
        order=order,
        organization=profile.name,
        lines=[(line, t.money(Money(line.amount, order.total.currency))) for line in merge_lines(order.lines)],
        proposed=[(documents.render_place(one, on_tickets), one.quantity) for one in order.proposed],
        answer_by=event_views.format_moment(order.consent_by, event.timezone, t) if order.consent_by else None,
        tickets=[
            (view, code, documents.render_place(view, on_tickets), documents.render_note(view.category, on_tickets))
            for view, code in zip(views, codes, strict=True)
        ],
        event=event,
        when=event_views.format_moment(date, event.timezone, t) if date else t("new_date_to_come"),
        doors=_describe_doors(views[0], t) if date and views else "",
        undated=date is None,
        notice=notice,
        to_come=events.is_public(event),
        secret=secret,
    )
    response.headers.update(words.language_headers(request) | _PRIVATE)
    return response


@public("/orders/{secret:str}/tickets.pdf")
async def order_pdf(request: AnyRequest, secret: FromPath[str]) -> Response[bytes]:
    services: Services = request.app.state.services
    order, views, _, profile = await _load_order(services, secret)
    if not views:
        raise NotFound
    pdf = await asyncio.to_thread(documents.render_tickets, views, profile.name, _choose_words(request, profile)[1])
    disposition = {"content-disposition": f'inline; filename="{order.code}.pdf"'}
    return Response(pdf, media_type="application/pdf", headers=_PRIVATE | disposition)


def _choose_words(request: AnyRequest, profile: OrganizationProfile) -> tuple[Words, Words]:
    """The texts of the page, and those of the tickets."""
    t = words.preferred_language(request) or words.ALL.of(profile.locale)
    return t, WORDS.of(t.code)


def _describe_doors(view: TicketView, t: Words) -> str:
    """When the doors open; empty if that is the start."""
    at = to_local(view.doors_at, view.timezone)
    return t("doors", hour=f"{at:%H:%M}") if view.doors_at < view.start_at else ""


def merge_lines(lines: Sequence[QuotedLine]) -> list[QuotedLine]:
    """Merges price lines: each seat is a line of its own, but equal ones at the same price are shown as one."""
    found: dict[tuple[str, str, bool, int], list[QuotedLine]] = {}
    for line in lines:
        found.setdefault((line.kind, line.name, line.included, line.amount // line.quantity), []).append(line)
    return [
        replace(same[0], quantity=sum(line.quantity for line in same), amount=sum(line.amount for line in same))
        for same in found.values()
    ]


async def _load_order(services: Services, secret: str) -> tuple[Order, list[TicketView], Event, OrganizationProfile]:
    order = await order_reads.read_order_by_secret(services, secret)
    async with services.database.tenant(order_reads.parse_organization(secret)) as tx:
        views = await tickets.list_printable(tx, services.keyring, order.id)
        event = await events.require_event(tx, order.event_id)
        profile = await accounts.require_profile(tx)
    return order, views, event, profile


handlers = [order_page, order_pdf]
