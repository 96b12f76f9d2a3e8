"""Compares the purchases, refunds, transfers and scans in a client's log with the database."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

from fullhouse.kit.db import sql
from fullhouse.prove.client.log import Call

_queries = sql.load(Path(__file__).with_suffix(".sql"))
VOID = ("cancelled", "refunded")


class Order(NamedTuple):
    id: UUID
    event_id: UUID
    user_id: UUID  # the buyer at the time: a guest may have signed in since
    checkout: UUID
    is_paid: bool
    places: int
    tickets: int


class Ticket(NamedTuple):
    id: UUID
    order_id: UUID
    status: str
    holder: str


class Refund(NamedTuple):
    id: UUID
    order_id: UUID
    tickets: tuple[UUID, ...]


class Scan(NamedTuple):
    """A scan that admitted the holder."""

    id: UUID
    ticket_id: UUID
    direction: str


class Found(NamedTuple):
    orders: Mapping[UUID, Order]
    tickets: Mapping[UUID, Ticket]
    refunds: Mapping[UUID, Refund]
    scans: Mapping[UUID, Scan]


async def find_disagreements(connection: Any, calls: Sequence[Call]) -> list[str]:
    """The disagreements between the client's log and the database, as sentences."""
    bought = [call for call in calls if call.kind == "purchase"]
    checkouts = [call.checkout for call in bought if call.checkout]
    orders = {call.order for call in calls if call.order}
    tickets = {i for call in calls for i in (*call.tickets, call.ticket) if i}
    scans = [call.scan for call in calls if call.scan]
    events, users = {call.event for call in bought}, {call.user for call in bought}

    async def ask(name: str, of: type[Any], *args: Any) -> dict[UUID, Any]:
        return {row["id"]: of(*row) for row in await connection.fetch(_queries[name].text, *args)}

    found = Found(
        await ask("orders", Order, list(orders), checkouts, list(events), list(users)),
        await ask("tickets", Ticket, list(tickets), list(orders)),
        await ask("refunds", Refund, list(orders)),
        await ask("scans", Scan, list(tickets), scans),
    )
    return compare(calls, found)


def compare(calls: Sequence[Call], there: Found) -> list[str]:
    wrong = [said for call in calls if call.end == "ok" for said in _check_acknowledged(call, there)]
    return [
        *wrong,
        *_check_orders(calls, there),
        *_check_refunds(calls, there),
        *_check_transfers(calls, there),
        *_check_scans(calls, there.scans.values()),
    ]


# --- what was acknowledged


def _check_acknowledged(call: Call, there: Found) -> Iterable[str]:
    said = f"call {call.call} was acknowledged, but"
    match call.kind:
        case "purchase":
            yield from (f"{said} {what}" for what in _check_purchase(call, there))
        case "refund":
            refund = there.refunds.get(call.refund) if call.refund else None
            if refund is None or refund.order_id != call.order:
                yield f"{said} refund {call.refund} of order {call.order} is not there"
            for i in call.tickets:
                ticket = there.tickets.get(i)
                if ticket is None or ticket.status not in VOID:
                    yield f"{said} ticket {i} is {ticket.status if ticket else 'not there'}"
        case "transfer":
            if call.ticket not in there.tickets:
                yield f"{said} ticket {call.ticket} is not there"
        case "scan":
            scan = there.scans.get(call.scan) if call.scan else None
            if scan is None or (scan.ticket_id, scan.direction) != (call.ticket, call.direction or "in"):
                yield f"{said} scan {call.scan} of ticket {call.ticket} is not there"


def _check_purchase(call: Call, there: Found) -> Iterable[str]:
    order = there.orders.get(call.order) if call.order else None
    if order is None:
        yield f"order {call.order} is not there"
        return
    if (order.event_id, order.user_id) != (call.event, call.user):
        yield f"order {order.id} is somebody else's"
    if not order.is_paid:
        yield f"order {order.id} is not paid"
    for i in call.tickets:
        if i not in there.tickets or there.tickets[i].order_id != order.id:
            yield f"ticket {i} of order {order.id} is not there"


# --- what was refused, or is unknown


def _check_orders(calls: Sequence[Call], there: Found) -> Iterable[str]:
    """A checkout is bought once. People in the log have no paid order that the log does not explain."""
    bought = [call for call in calls if call.kind == "purchase"]
    people, told = {(call.event, call.user) for call in bought}, {call.order for call in bought if call.end == "ok"}
    unknown = {call.checkout: call for call in bought if call.is_unknown}
    refused = {call.checkout: call for call in bought if call.end == "fail"}
    theirs: dict[UUID, list[Order]] = defaultdict(list)
    for order in there.orders.values():
        if order.is_paid and (order.event_id, order.user_id) in people:
            theirs[order.checkout].append(order)
    for checkout, orders in theirs.items():
        if len(orders) > 1:
            yield f"checkout {checkout} was bought {len(orders)} times"
        for order in orders:
            call = unknown.get(checkout)
            if order.id not in told and call is None:
                no = refused.get(checkout)
                yield f"order {order.id} is paid, but {f'call {no.call} was refused' if no else 'no call asked for it'}"
            if order.tickets != order.places:
                by = f"call {call.call} ended unknown, and" if call else f"order {order.id}"
                yield f"{by} is there in part: {order.tickets} tickets of {order.places}"


def _check_refunds(calls: Sequence[Call], there: Found) -> Iterable[str]:
    asked = [call for call in calls if call.kind == "refund"]
    told = {call.refund for call in asked if call.end == "ok"}
    orders = {call.order for call in asked}
    unknown = [call for call in asked if call.is_unknown]
    for refund in there.refunds.values():
        if refund.id in told or refund.order_id not in orders:
            continue
        by = next((c for c in unknown if c.order == refund.order_id and set(c.tickets) == set(refund.tickets)), None)
        if by:
            unknown.remove(by)
            continue
        no = [c.call for c in asked if c.end == "fail" and c.order == refund.order_id]
        said = f"call {no[0]} was refused" if no else "no call asked for it, or one did twice"
        yield f"refund {refund.id} of order {refund.order_id} is there, but {said}"
    for call in unknown:  # without a refund row: then its tickets must not be void
        void = [i for i in call.tickets if i in there.tickets and there.tickets[i].status in VOID]
        explained = {i for c in asked if c is not call for i in c.tickets} | {
            i for refund in there.refunds.values() for i in refund.tickets
        }
        if part := [i for i in void if i not in explained]:
            yield f"call {call.call} ended unknown, and is there in part: {len(part)} tickets are void without a refund"


def _check_transfers(calls: Sequence[Call], there: Found) -> Iterable[str]:
    """The holder is the recipient of the last acknowledged transfer, or of one that ended unknown."""
    by_ticket: dict[UUID, list[Call]] = defaultdict(list)
    for call in calls:
        if call.kind == "transfer" and call.ticket and call.ticket in there.tickets:
            by_ticket[call.ticket].append(call)
    for ticket_id, asked in by_ticket.items():
        holder = there.tickets[ticket_id].holder.lower()
        known = [call for call in asked if call.end == "ok"]
        possible = {(call.to or "").lower() for call in (*known[-1:], *(c for c in asked if c.is_unknown))}
        if known and holder not in possible:
            yield f"call {known[-1].call} was acknowledged, but ticket {ticket_id} is not {known[-1].to}'s"
        elif no := [c for c in asked if c.end == "fail" and (c.to or "").lower() == holder not in possible]:
            yield f"ticket {ticket_id} is {no[0].to}'s, but call {no[0].call} was refused"


def _check_scans(calls: Sequence[Call], scans: Iterable[Scan]) -> Iterable[str]:
    asked = [call for call in calls if call.kind == "scan"]
    told = {call.scan for call in asked if call.end == "ok"}
    tickets = {call.ticket for call in asked}
    unknown: Counter[tuple[UUID | None, str]] = Counter(
        (call.ticket, call.direction or "in") for call in asked if call.is_unknown
    )
    for scan in scans:
        if scan.id in told or scan.ticket_id not in tickets:
            continue
        key = scan.ticket_id, scan.direction
        if unknown[key]:
            unknown[key] -= 1
            continue
        no = [c.call for c in asked if c.end == "fail" and (c.ticket, c.direction or "in") == key]
        said = f"call {no[0]} was refused" if no else "no call asked for it, or one did twice"
        yield f"scan {scan.id} of ticket {scan.ticket_id} is there, but {said}"
