"""The demo's sales of the past weeks: holds, checkouts, orders, tickets, payments, refunds and their ledger entries.

The random generator is seeded with the event's name, so that sales are the same on every installation. `choices` says
which seats are sold, and when.
"""

import hashlib
import os
import random
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from fullhouse.accounts.model import User
from fullhouse.checkout import policy, store
from fullhouse.checkout.facts import OrderPaid, OrderRefunded
from fullhouse.checkout.orders.reads import secret_of
from fullhouse.demo import stock
from fullhouse.demo.choices import Wish, choose_places, choose_seats, draw_times
from fullhouse.demo.rows import Row, bytea, insert
from fullhouse.events.model import Event
from fullhouse.events.public import actions as shows
from fullhouse.kit import secrets
from fullhouse.kit.codes import new_code
from fullhouse.kit.db.database import Tx
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages.outbox import Fact
from fullhouse.kit.secrets import Keyring
from fullhouse.payments.facts import PaymentCaptured, RefundDone, RefundRequested
from fullhouse.payments.model import FEES, ORGANIZER, REFUNDS, TAX, account_of
from fullhouse.seating.overlay import actions as seating
from fullhouse.tickets import actions as tickets
from fullhouse.tickets.facts import TicketIssued, TicketVoided
from fullhouse.tickets.policy import is_by_day
from fullhouse.tickets.pricing import Charge, Line, Quote, quote
from fullhouse.tickets.promo_codes import actions as promos
from fullhouse.tickets.types import actions as types
from fullhouse.tickets.types.model import TicketType

GIVEN_BACK = 0.03
ABANDONED = 0.9  # abandoned holds for each order
# In turn: the status of an abandoned hold, and of its checkout if there was one.
WAYS_OUT = (("expired", None), ("expired", "expired"), ("cancelled", None), ("expired", None), ("cancelled", "left"))
HELD, SESSION = timedelta(minutes=5), timedelta(minutes=10)
SECOND_THOUGHTS = ("I am ill and cannot travel.", "Bought twice by mistake.", "The babysitter cancelled.")


class Bought(NamedTuple):
    """An order, with what is needed to write its rows."""

    at: datetime
    buyer: User
    lines: Sequence[tuple[Wish, TicketType]]
    bill: Quote
    given_back: bool
    abandoned: bool  # there was an abandoned hold of the same seat before


async def sell(
    tx: Tx, keyring: Keyring, event: Event, buyers: Sequence[User], share: float, first: User | None = None
) -> int:
    """Sells a share of an event's capacity since its sale opened; `first` is the first buyer. Returns the number of
    tickets.
    """
    chance = random.Random(event.name)  # noqa: S311
    kinds = await types.list_types(tx, event.id)
    charges = (await promos.charges(tx, event.id)).charges
    parties = [*choose_seats(chance, await stock.seats(tx, event.id), share)]
    parties += choose_places(chance, await stock.zones(tx, event.id), share)
    times = draw_times(chance, event.sale_start_at, min(await tx.now(), event.sale_end_at), len(parties))
    chance.shuffle(parties)
    people = [first or chance.choice(buyers), *chance.choices(buyers, k=len(parties))]
    sold = [
        _bought(chance, at, buyer, party, kinds, charges, keep=number == 0 or share >= 1)
        for number, (at, buyer, party) in enumerate(zip(times, people, parties, strict=False))
    ]
    return await _write(tx, keyring, event, sold)


# --- what is bought


def _bought(
    chance: random.Random, at: datetime, buyer: User, party: list[Wish], kinds: Sequence[TicketType],
    charges: Sequence[Charge], *, keep: bool,
) -> Bought:  # fmt: skip
    lines = []
    for choice in party:
        fitting = [
            kind
            for kind in kinds
            if kind.kind == ("seated" if choice.seat_id else "ga") and (not kind.zones or choice.zone_key in kind.zones)
        ]
        lines.append((choice, fitting[0] if chance.random() < 0.8 else fitting[-1]))
    priced = [
        Line(ticket_type_id=kind.id, name=kind.name, unit=kind.price_in(choice.price), quantity=choice.quantity)
        for choice, kind in lines
    ]
    bill = quote(priced, lines[0][1].currency, charges)
    given_back, abandoned = chance.random() < GIVEN_BACK, chance.random() < ABANDONED
    return Bought(at, buyer, lines, bill, given_back and not keep, abandoned)


# --- the rows that the domains would have written


class _Book:
    """The rows of all orders, by table, in an order that satisfies the foreign keys."""

    def __init__(self, tx: Tx, keyring: Keyring, event: Event, kept_since: datetime) -> None:
        assert tx.organization_id
        self.kept_since = kept_since  # older facts would have been deleted by now
        self.organization_id, self.keyring, self.event = tx.organization_id, keyring, event
        self.rows: dict[str, list[Row]] = {
            table: []
            for table in (
                "seat_holds", "checkout_sessions", "checkout_items", "orders", "order_lines", "tickets",
                "payment_attempts", "test_charges", "refunds", "order_refunds", "ledger_transactions",
                "ledger_entries", "audit_log", "outbox",
            )
        }  # fmt: skip
        self.seats: dict[UUID, UUID] = {}
        self.counts: Counter[UUID] = Counter()
        self.day_counts: Counter[tuple[str, UUID, UUID]] = (
            Counter()
        )  # sales of ticket types that are valid on some days only: by pool and type
        self.issued = 0
        self.let_go = 0
        self.live = 0

    def add(self, sale: Bought) -> None:
        order_id, session_id, attempt_id = new_id(), new_id(), new_id()
        status = "refunded" if sale.given_back else "paid"
        chosen, paid = sale.at - timedelta(minutes=4), sale.at
        items = [
            self._item(self._hold(sale, choice, "converted", chosen, paid, attempt_id), choice, kind)
            for choice, kind in sale.lines
        ]
        issued = [
            self._ticket(sale, order_id, choice, kind) for choice, kind in sale.lines for _ in range(choice.quantity)
        ]
        if sale.abandoned:
            self._abandon(sale)
        self._checkout(sale, session_id, items, "completed", sale.at - timedelta(minutes=2), sale.at)
        self._order(sale, order_id, session_id, attempt_id, status, items)
        self._payment(sale, order_id, attempt_id)
        if sale.given_back:
            self._refund(sale, order_id, attempt_id, issued)

    def _hold(
        self, sale: Bought, choice: Wish, status: str, begun: datetime, ended: datetime, attempt_id: UUID | None = None
    ) -> UUID:
        hold_id, until, is_paid = new_id(), begun + HELD, attempt_id is not None
        self.rows["seat_holds"].append(
            {
                "id": hold_id, "event_id": self.event.id, "basket_id": new_id(), "user_id": sale.buyer.id,
                "seat_id": choice.seat_id, "zone_id": choice.zone_id, "quantity": choice.quantity, "status": status,
                "held_until": ended if is_paid else until, "source": "web", "created_at": begun, "updated_at": ended,
                "attempt_id": attempt_id, "frozen_at": ended if is_paid else None,
                "held_before": until if is_paid else None,
            }
        )  # fmt: skip
        after = {
            "event_id": self.event.id,
            "seat_id": choice.seat_id,
            "zone_id": choice.zone_id,
            "quantity": choice.quantity,
        }
        self._audit(sale.buyer, begun, "seat_reserved", "seat_hold", hold_id, after)
        self._audit(sale.buyer, ended, f"hold.{status}", "seat_hold", hold_id, after)
        return hold_id

    def _item(self, hold_id: UUID, choice: Wish, kind: TicketType) -> Row:
        priced = kind.price_in(choice.price)
        return {
            "hold_id": hold_id, "ticket_type_id": kind.id, "name": kind.name, "seat_id": choice.seat_id,
            "zone_id": choice.zone_id, "quantity": choice.quantity, "unit": priced, "net": priced * choice.quantity,
            "counted": kind.quantity is not None,
        }  # fmt: skip

    def _abandon(self, sale: Bought) -> None:
        """Writes an earlier hold of the same seat that was abandoned, in the basket or in the checkout."""
        (choice, kind), begun = sale.lines[0], sale.at - timedelta(minutes=20)
        self.let_go += 1
        status, checkout = WAYS_OUT[self.let_go % len(WAYS_OUT)]
        ended = begun + (HELD if status == "expired" else timedelta(minutes=3))
        item = self._item(self._hold(sale, choice, status, begun, ended), choice, kind)
        if checkout:
            opened = begun + timedelta(minutes=1)
            self._checkout(sale, new_id(), [item], checkout, opened, ended if checkout == "left" else opened + SESSION)

    def _checkout(
        self, sale: Bought, session_id: UUID, items: Sequence[Row], status: str, begun: datetime, ended: datetime
    ) -> None:
        self.rows["checkout_sessions"].append(
            {
                "id": session_id, "event_id": self.event.id, "user_id": sale.buyer.id, "status": status,
                "expires_at": begun + SESSION, "currency": sale.bill.currency, "total": sale.bill.total,
                "quote": sale.bill, "created_at": begun, "updated_at": ended,
            }
        )  # fmt: skip
        self.rows["checkout_items"] += [
            {"session_id": session_id, "position": n} | dict(item) for n, item in enumerate(items)
        ]
        after = {"event_id": self.event.id}
        self._audit(sale.buyer, begun, "checkout.started", "checkout", session_id, after | {"total": sale.bill.total})
        if status != "completed":
            self._audit(sale.buyer, ended, f"checkout.{status}", "checkout", session_id, after)

    def _order(
        self, sale: Bought, order_id: UUID, session_id: UUID, attempt_id: UUID, status: str, items: Sequence[Row]
    ) -> None:
        secret = secret_of(self.keyring, self.organization_id, order_id)
        self.rows["orders"].append(
            {
                "id": order_id, "event_id": self.event.id, "user_id": sale.buyer.id, "session_id": session_id,
                "attempt_id": attempt_id, "code": new_code(), "secret_hash": bytea(secrets.digest(secret)),
                "status": status, "provider": "test", "currency": sale.bill.currency, "total": sale.bill.total,
                "quote": sale.bill, "buyer_name": sale.buyer.name, "buyer_email": sale.buyer.email,
                "purchase_key": order_id.hex, "body_hash": bytea(hashlib.sha256(order_id.bytes).digest()),
                "created_at": sale.at, "updated_at": sale.at, "paid_at": sale.at,
            }
        )  # fmt: skip
        self.rows["order_lines"] += [{"order_id": order_id, "position": n} | dict(item) for n, item in enumerate(items)]
        after = {"event_id": self.event.id, "total": sale.bill.total}
        self._audit(sale.buyer, sale.at, "order.placed", "order", order_id, after)
        self._audit(sale.buyer, sale.at, "order.paid", "order", order_id, {"attempt_id": attempt_id})
        self._tell(sale.at, OrderPaid(**self._about(sale, order_id), tickets=sum(w.quantity for w, _ in sale.lines)))

    def _ticket(self, sale: Bought, order_id: UUID, choice: Wish, kind: TicketType) -> UUID:
        ticket_id = new_id()
        self.issued += 1
        self.rows["tickets"].append(
            {
                "id": ticket_id, "event_id": self.event.id, "order_id": order_id, "ticket_type_id": kind.id,
                "seat_id": choice.seat_id, "zone_id": choice.zone_id,
                "number": f"{tickets.event_code(self.event.id)}-{self.issued:05}", "code": new_code(),
                "nonce": bytea(os.urandom(tickets.NONCE_BYTES)), "holder_name": sale.buyer.name,
                "holder_email": sale.buyer.email, "holder_user_id": sale.buyer.id,
                "status": "refunded" if sale.given_back else "valid",
                "reason": _reason(order_id) if sale.given_back else None,
                "voided_at": sale.at if sale.given_back else None, "issued_at": sale.at, "updated_at": sale.at,
            }
        )  # fmt: skip
        after = {"event_id": self.event.id, "order_id": order_id, "number": self.rows["tickets"][-1]["number"]}
        self._audit(sale.buyer, sale.at, "ticket.issued", "ticket", ticket_id, after)
        fact = TicketIssued(
            subject_id=ticket_id, event_id=self.event.id, order_id=order_id, number=self.rows["tickets"][-1]["number"],
            ticket_type_id=kind.id, seat_id=choice.seat_id, zone_id=choice.zone_id, holder_user_id=sale.buyer.id,
        )  # fmt: skip
        self._tell(sale.at, fact)
        if not sale.given_back:
            self.live += 1
            if is_by_day(kind):
                self.day_counts.update([("zone", choice.zone_id, kind.id), ("event", self.event.id, kind.id)])
            else:
                self.counts.update((choice.zone_id, self.event.id))
            if kind.quantity is not None:
                self.counts[kind.id] += 1
            if choice.seat_id:
                self.seats[choice.seat_id] = ticket_id
        return ticket_id

    def _payment(self, sale: Bought, order_id: UUID, attempt_id: UUID) -> None:
        paid: dict[str, Any] = {"amount": sale.bill.total, "currency": sale.bill.currency}
        self.rows["payment_attempts"].append(
            {
                "id": attempt_id, "order_id": order_id, "provider": "test", "method": "approve", "status": "captured",
                "provider_ref": f"test_{attempt_id.hex}", "ask_at": sale.at, "give_up_at": sale.at,
                "refunded": sale.bill.total if sale.given_back else 0, "created_at": sale.at, "updated_at": sale.at,
            } | paid
        )  # fmt: skip
        self._charge(attempt_id, "charge", "captured", sale.at, paid)
        self._post("capture", attempt_id, order_id, sale.at, sale.bill, policy.earned(sale.bill, account_of("test")))
        self._tell(sale.at, PaymentCaptured(subject_id=attempt_id, order_id=order_id, provider="test", **paid))

    def _refund(self, sale: Bought, order_id: UUID, attempt_id: UUID, issued: Sequence[UUID]) -> None:
        refund_id, at = new_id(), sale.at + timedelta(hours=2)
        reason = _reason(order_id)
        paid: dict[str, Any] = {"amount": sale.bill.total, "currency": sale.bill.currency}
        about = {"id": refund_id, "order_id": order_id, "event_id": self.event.id, "reason": reason, "created_at": at}
        self.rows["refunds"].append(
            about | paid
            | {"attempt_id": attempt_id, "status": "done", "provider_ref": f"test_{refund_id.hex}", "ask_at": at,
               "updated_at": at}
        )  # fmt: skip
        self.rows["order_refunds"].append(about | paid | {"fees": "return", "ticket_ids": issued, "batch": False})
        self._charge(refund_id, "refund", "refunded", at, paid)
        earned = policy.earned(sale.bill, REFUNDS)
        self._post("refund", refund_id, order_id, at, sale.bill, {name: -amount for name, amount in earned.items()})
        payout = {REFUNDS: sale.bill.total, account_of("test"): -sale.bill.total}
        self._post("payout", refund_id, order_id, at + timedelta(minutes=1), sale.bill, payout)
        given = {"refund_id": refund_id, "amount": sale.bill.total, "reason": reason}
        self._audit(sale.buyer, at, "order.refunded", "order", order_id, given)
        self._audit(sale.buyer, at, "refund.requested", "refund", refund_id, paid)
        self._audit(sale.buyer, at, "refund.done", "refund", refund_id, paid)
        back: dict[str, Any] = {
            "amount": sale.bill.total,
            "tickets": len(issued),
            "reason": reason,
            "status": "refunded",
        }
        self._tell(at, OrderRefunded(**self._about(sale, order_id), refund_id=refund_id, **back))
        moved: dict[str, Any] = {"subject_id": refund_id, "order_id": order_id, "attempt_id": attempt_id} | paid
        self._tell(at, RefundRequested(**moved, provider="test", reason=reason))
        self._tell(at, RefundDone(**moved, provider="test"))
        for ticket_id in issued:
            self._audit(sale.buyer, at, "ticket.refunded", "ticket", ticket_id, {"status": "refunded"})
            void: dict[str, Any] = {
                "event_id": self.event.id,
                "order_id": order_id,
                "status": "refunded",
                "reason": reason,
            }
            self._tell(at, TicketVoided(subject_id=ticket_id, **void))

    def _about(self, sale: Bought, order_id: UUID) -> dict[str, Any]:
        """The fields that every fact about an order has."""
        code = self.rows["orders"][-1]["code"]
        return {
            "subject_id": order_id, "event_id": self.event.id, "user_id": sale.buyer.id, "code": code,
            "total": sale.bill.total, "currency": sale.bill.currency, "buyer_email": sale.buyer.email,
        }  # fmt: skip

    def _tell(self, at: datetime, fact: Fact) -> None:
        """Writes a fact that was sent and handled."""
        if at < self.kept_since:
            return
        payload = {"version": fact.version, **msgspec.to_builtins(fact)}
        self.rows["outbox"].append(
            {
                "id": new_id(), "name": fact.name, "subject_id": fact.subject_id, "payload": payload, "created_at": at,
                "due_at": at, "sent_at": at, "handled_at": at, "attempts": 1,
            }
        )  # fmt: skip

    def _charge(self, key: UUID, kind: str, status: str, at: datetime, paid: Row) -> None:
        """Writes the test provider's row, so that it can refund the payment."""
        self.rows["test_charges"].append(
            {"key": key, "kind": kind, "method": "approve", "status": status, "created_at": at} | dict(paid)
        )

    def _post(
        self, kind: str, source_id: UUID, order_id: UUID, at: datetime, bill: Quote, entries: dict[str, int]
    ) -> None:
        moved = [(account, entries[account]) for account in entries if entries[account]]
        assert {account for account, _ in moved} <= {account_of("test"), ORGANIZER, FEES, TAX, REFUNDS}
        posted = {"id": new_id(), "kind": kind, "source_id": source_id, "order_id": order_id}
        self.rows["ledger_transactions"].append(posted | {"event_id": self.event.id, "created_at": at})
        self.rows["ledger_entries"] += [
            {"transaction_id": posted["id"], "position": n, "account": account, "amount": amount,
             "currency": bill.currency}
            for n, (account, amount) in enumerate(moved)
        ]  # fmt: skip

    def _audit(self, who: User, at: datetime, action: str, entity: str, entity_id: UUID, after: dict[str, Any]) -> None:
        self.rows["audit_log"].append(
            {
                "id": new_id(), "created_at": at, "actor_type": "user", "actor_id": who.id, "actor_name": who.name,
                "action": action, "entity_type": entity, "entity_id": entity_id, "after": after,
            }
        )  # fmt: skip


def _reason(order_id: UUID) -> str:
    return SECOND_THOUGHTS[order_id.int % len(SECOND_THOUGHTS)]


async def _write(tx: Tx, keyring: Keyring, event: Event, sold: Sequence[Bought]) -> int:
    book = _Book(tx, keyring, event, await tx.now() - timedelta(days=7))
    for sale in sold:
        book.add(sale)
    if not book.issued:
        return 0
    for table, rows in book.rows.items():
        await insert(tx, table, rows)
    await insert(tx, "ticket_counters", [{"event_id": event.id, "last": book.issued}])
    await stock.take(tx, event.id, book.seats, book.counts, book.day_counts)
    # Then what follows a sale: the event's trend, whether it is sold out, whether companion seats are still reserved.
    await store.count_sale(tx, event_id=event.id, tickets=book.live)
    await shows.follow_stock(tx, event.id)
    for zone in {choice.zone_id for sale in sold for choice, _ in sale.lines if choice.seat_id}:
        await seating.release_companions(tx, event.id, zone)
    return book.live
