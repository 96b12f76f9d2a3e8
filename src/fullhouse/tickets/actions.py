"""Actions on tickets: issue, read, transfer, void."""

import os
from collections.abc import Sequence
from datetime import datetime
from typing import Literal
from uuid import UUID

import msgspec

from fullhouse.accounts import actions as accounts
from fullhouse.accounts.model import User
from fullhouse.events import actions as events
from fullhouse.kit.actors import Principal
from fullhouse.kit.codes import ALPHABET, new_code
from fullhouse.kit.db import audit
from fullhouse.kit.db.cursors import Cursors, Page
from fullhouse.kit.db.database import Tx
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages.outbox import announce
from fullhouse.kit.secrets import Keyring
from fullhouse.seating import journal
from fullhouse.seating.model import AVAILABLE, SOLD, ZoneAccessDenied
from fullhouse.seating.overlay import actions as seating
from fullhouse.tickets import documents, store
from fullhouse.tickets.facts import TicketTransferred, TicketVoided
from fullhouse.tickets.model import SoldItem, Ticket, TicketNotFound, TicketNotValid, TicketRow, TicketView, Transfer
from fullhouse.tickets.signing import signing_keys

NONCE_BYTES = 8


async def issue(tx: Tx, event_id: UUID, items: Sequence[SoldItem]) -> list[Ticket]:
    """Issues a ticket for each seat or spot, of one order or several. Their holds are already converted in this
    transaction."""
    new = [(new_id(), item) for item in items for _ in range(item.quantity)]
    last = await store.next_numbers(tx, event_id=event_id, count=len(new))
    assert last is not None
    numbers = range(last - len(new) + 1, last + 1)
    tickets = await store.insert_tickets(
        tx,
        event_id=event_id,
        order_ids=[item.order_id for _, item in new],
        ids=[ticket_id for ticket_id, _ in new],
        ticket_type_ids=[item.ticket_type_id for _, item in new],
        seat_ids=[item.seat_id for _, item in new],
        zone_ids=[item.zone_id for _, item in new],
        numbers=[f"{event_prefix(event_id)}-{number:05}" for number in numbers],
        codes=[new_code() for _ in new],
        nonces=[os.urandom(NONCE_BYTES) for _ in new],
        holder_names=[item.holder_name for _, item in new],
        holder_emails=[item.holder_email for _, item in new],
        holder_user_ids=[item.holder_user_id for _, item in new],
        membership_ids=[item.membership_id for _, item in new],
        actor_types=[item.actor.type for _, item in new],
        actor_ids=[item.actor.id for _, item in new],
        actor_names=[item.actor.name for _, item in new],
        ips=[item.actor.ip for _, item in new],
        user_agents=[item.actor.user_agent for _, item in new],
        request_ids=[item.actor.request_id for _, item in new],
    )
    seated = [(item.seat_id, ticket_id) for ticket_id, item in new if item.seat_id]
    if seated:
        sold = await store.sell_seats(
            tx, event_id=event_id, seat_ids=[seat for seat, _ in seated], ticket_ids=[ticket for _, ticket in seated]
        )
        if len(sold) != len(seated):
            raise RuntimeError("a seat of this sale is not held any more: the sale is rolled back")
        seating.publish_seats(tx, event_id, [(row.ordinal, row.version) for row in sold], SOLD)
    return tickets


async def void(
    tx: Tx, event_id: UUID, ticket_ids: Sequence[UUID], status: Literal["cancelled", "refunded"], reason: str | None
) -> list[Ticket]:
    """Voids tickets and puts their seats or spots back on sale. Tickets that are void already are skipped."""
    tickets = await store.lock_tickets(tx, ticket_ids)
    zones = [ticket.zone_id for ticket in tickets if ticket.zone_id]
    kinds = [ticket.ticket_type_id for ticket in tickets]
    await store.lock_pools(tx, event_id=event_id, zone_ids=zones, type_ids=kinds)
    await store.lock_sold_seats(tx, event_id=event_id, ticket_ids=list(ticket_ids))
    voided = await store.void_tickets(tx, ticket_ids=list(ticket_ids), status=status, reason=reason)
    voided_ids = [ticket.id for ticket in voided]
    freed = await store.free_seats(tx, event_id=event_id, ticket_ids=voided_ids)
    await store.release_sold_places(tx, event_id=event_id, ticket_ids=voided_ids)
    counts = await store.zones_counted(tx, event_id=event_id, zone_ids=[t.zone_id for t in voided if t.zone_id])
    zone_counts = [(row.zone_id, row.held, row.sold, row.version) for row in counts]
    seating.publish_seats(tx, event_id, [(row.ordinal, row.version) for row in freed], AVAILABLE, zone_counts)
    seats = [ticket.seat_id for ticket in voided]
    journal.log_freed_seats(tx, event_id, seats, {row.ordinal for row in freed}, reason or status)
    for ticket in voided:
        after = {"status": status, "number": ticket.number}
        await audit.write(tx, f"ticket.{status}", "ticket", ticket.id, after=after, reason=reason)
        fact = TicketVoided(
            subject_id=ticket.id, event_id=event_id, order_id=ticket.order_id, status=status, reason=reason
        )
        await announce(tx, fact)
    return voided


async def require_ticket(tx: Tx, ticket_id: UUID) -> Ticket:
    found = await store.ticket_by_id(tx, ticket_id)
    if found is None:
        raise TicketNotFound
    return found


async def tickets_of_order(tx: Tx, order_id: UUID) -> list[Ticket]:
    return await store.tickets_of_order(tx, order_id)


def event_prefix(event_id: UUID) -> str:
    """The event's prefix in ticket numbers: six characters from the random part of its id."""
    rest, mark = event_id.int % 31**6, ""
    for _ in range(6):
        rest, digit = divmod(rest, 31)
        mark += ALPHABET[digit]
    return mark


# --- holders


async def read_ticket(tx: Tx, keyring: Keyring, who: Principal, ticket_id: UUID) -> TicketView:
    """The caller's own ticket, or any for staff. Others are refused as not found."""
    row = await store.printable_ticket(tx, ticket_id)
    if row is None or not may_see(who, row):
        raise TicketNotFound
    return await _to_view(tx, keyring, row)  # of the checked row: a row read again may have a new holder


def may_see(who: Principal, row: TicketRow) -> bool:
    """The holder may; the buyer, until the ticket is transferred; and staff."""
    return (
        who.id == row.holder_user_id
        or (who.id == row.buyer_id and not row.is_transferred_by(who.id))
        or "sales.read" in who.allowed
    )


async def list_my_tickets(
    tx: Tx, keyring: Keyring, who: Principal, status: str | None, group: str | None, cursor: str | None, limit: int
) -> Page[TicketView]:
    cursors = Cursors(keyring, "my-tickets", tx.organization_id, who.id, status, group)
    after_at, after_id = cursors.read(cursor, datetime, UUID) or (None, None)
    if group == "transferred":
        rows = await store.transferred_tickets(
            tx, user_id=who.id, after_at=after_at, after_id=after_id, limit=limit + 1
        )
        transferred = cursors.page(rows, limit, "issued_at", "id")
        return Page([documents.to_transferred_view(row) for row in transferred.data], transferred.next_cursor)
    if group == "upcoming":
        rows = await store.upcoming_tickets(
            tx, user_id=who.id, status=status, after_at=after_at, after_id=after_id, limit=limit + 1
        )
        page = cursors.page(rows, limit, "plays_at", "id")
    else:
        rows = await store.tickets_of_holder(
            tx, user_id=who.id, status=status, group=group, after_at=after_at, after_id=after_id, limit=limit + 1
        )
        page = cursors.page(rows, limit, "issued_at", "id")
    codes = await signing_keys.sign_codes(tx, keyring, page.data)
    return Page([documents.to_view(row, qr) for row, qr in zip(page.data, codes, strict=True)], page.next_cursor)


async def list_printable(tx: Tx, keyring: Keyring, order_id: UUID) -> list[TicketView]:
    """The valid tickets of an order, except those that its buyer has transferred."""
    found = await store.printable_tickets_of_order(tx, order_id)
    rows = [row for row in found if row.status == "valid" and not row.is_transferred_by(row.buyer_id)]
    codes = await signing_keys.sign_codes(tx, keyring, rows)
    return [documents.to_view(row, qr) for row, qr in zip(rows, codes, strict=True)]


async def read_printable(tx: Tx, keyring: Keyring, ticket_id: UUID) -> TicketView:
    row = await store.printable_ticket(tx, ticket_id)
    if row is None:
        raise TicketNotFound
    return await _to_view(tx, keyring, row)


async def _to_view(tx: Tx, keyring: Keyring, row: TicketRow) -> TicketView:
    (qr,) = await signing_keys.sign_codes(tx, keyring, [row])
    return documents.to_view(row, qr)


async def transfer(tx: Tx, keyring: Keyring, who: Principal, ticket_id: UUID, to: Transfer) -> Ticket:
    """Transfers a ticket to another person, who gets a new QR code and text code; the old ones are void. Only staff see
    the new code in the response. Of two concurrent transfers the first wins."""
    before = await read_ticket(tx, keyring, who, ticket_id)
    event = await events.lock_event_shared(tx, before.event_id)
    await store.lock_tickets(tx, [ticket_id])
    if before.status != "valid" or event.status in ("ended", "cancelled", "archived"):
        raise TicketNotValid(f"The ticket is {before.status}, and its event is {event.status}.")
    person = await accounts.find_or_create_customer(tx, to.email, to.name)
    if before.zone_id:
        zone = await seating.require_zone(tx, before.event_id, before.zone_id)
        await seating.check_access(tx, before.event_id, [zone], _principal_of_user(tx, person))
    ticket = await store.transfer_ticket(
        tx,
        ticket_id=ticket_id,
        version=before.version,
        holder_name=to.name,
        holder_email=to.email,
        holder_user_id=person.id,
        nonce=os.urandom(NONCE_BYTES),
        code=new_code(),
    )
    if ticket is None:
        raise TicketNotValid()
    names = {"name": before.holder_name}, {"name": to.name}
    await audit.write(tx, "ticket.transferred", "ticket", ticket_id, before=names[0], after=names[1])
    fact = TicketTransferred(
        subject_id=ticket_id,
        event_id=ticket.event_id,
        order_id=ticket.order_id,
        from_name=before.holder_name,
        from_email=before.holder_email,
        to_name=to.name,
        to_email=to.email,
    )
    await announce(tx, fact)
    return ticket if "sales.read" in who.allowed else msgspec.structs.replace(ticket, code="")


async def transfer_from_order(
    tx: Tx, keyring: Keyring, order_id: UUID, buyer_id: UUID, ticket_id: UUID, to: Transfer
) -> Ticket:
    """Transfers a ticket for a caller who has the order's secret: with the rights of its buyer, for this order only."""
    if (await require_ticket(tx, ticket_id)).order_id != order_id:
        raise TicketNotFound
    buyer = _customer_principal(tx, buyer_id, "by the order's link")
    tx.actor = buyer.actor  # the actor in the audit
    return await transfer(tx, keyring, buyer, ticket_id, to)


async def record_zone_denied(tx: Tx, ticket_id: UUID, denied: ZoneAccessDenied) -> None:
    """Audits a transfer that was refused by a zone, in a new transaction: the refusal rolled back its own."""
    after = {"zone_id": denied.extra.get("zone_id"), "code": denied.code}
    await audit.write(tx, "zone.access_denied", "ticket", ticket_id, after=after, reason=denied.detail)
    denied.is_audited = True


def _principal_of_user(tx: Tx, person: User) -> Principal:
    """A principal for a person who is not signed in, to check their access to a zone."""
    return _customer_principal(tx, person.id, person.name, person.role)


def _customer_principal(tx: Tx, user_id: UUID, name: str | None = None, role: str = "customer") -> Principal:
    assert tx.organization_id
    actor = msgspec.structs.replace(tx.actor, type="user", id=user_id, name=name)
    return Principal(organization_id=tx.organization_id, actor=actor, role=role, allowed=frozenset())


async def cancel(tx: Tx, ticket_id: UUID, reason: str) -> Ticket:
    """Staff void a ticket; its seat or spot is on sale again. Does not refund the payment (see refunds)."""
    ticket = await require_ticket(tx, ticket_id)
    await events.lock_event_shared(tx, ticket.event_id)
    if not (voided := await void(tx, ticket.event_id, [ticket_id], "cancelled", reason)):
        raise TicketNotValid(f"The ticket is already {ticket.status}.")
    return voided[0]
