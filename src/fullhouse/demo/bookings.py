"""The rows of the demo's sales: holds, checkouts, orders, tickets, payments, refunds, ledger entries and facts."""

import hashlib
import os
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from fullhouse.accounts.model import User
from fullhouse.checkout import policy, store
from fullhouse.checkout.facts import OrderPaid, OrderRefunded
from fullhouse.checkout.orders.reads import derive_secret
from fullhouse.demo import stock
from fullhouse.demo.choices import Choice
from fullhouse.demo.rows import Row, insert_rows, to_hex_bytea
from fullhouse.events.model import Event
from fullhouse.events.public import actions as shows
from fullhouse.kit import secrets
from fullhouse.kit.codes import new_code
from fullhouse.kit.db.database import Tx
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages.outbox import Fact
from fullhouse.kit.secrets import Keyring
from fullhouse.payments.facts import PaymentCaptured, RefundDone, RefundRequested
from fullhouse.payments.model import FEES, ORGANIZER, REFUNDS, TAX, provider_account
from fullhouse.seating.overlay import actions as seating
from fullhouse.tickets import actions as tickets
from fullhouse.tickets.facts import TicketIssued, TicketVoided
from fullhouse.tickets.policy import is_counted_by_day
from fullhouse.tickets.pricing import Quote
from fullhouse.tickets.types.model import TicketType

# In turn: the status of an abandoned hold, and of its checkout if there was one.
ABANDONED_OUTCOMES = (
    ("expired", None),
    ("expired", "expired"),
    ("cancelled", None),
    ("expired", None),
    ("cancelled", "left"),
)
HOLD_TIME, CHECKOUT_TIME = timedelta(minutes=5), timedelta(minutes=10)
REFUND_REASONS = ("I am ill and cannot travel.", "Bought twice by mistake.", "The babysitter cancelled.")


class Sale(NamedTuple):
    """An order, with what is needed to write its rows."""

    at: datetime
    buyer: User
    lines: Sequence[tuple[Choice, TicketType]]
    bill: Quote
    is_refunded: bool
    was_abandoned_before: bool  # there was an abandoned hold of the same seat before


class _Rows:
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
        self.abandoned = 0
        self.live_tickets = 0

    def add_sale(self, sale: Sale) -> None:
        order_id, session_id, attempt_id = new_id(), new_id(), new_id()
        status = "refunded" if sale.is_refunded else "paid"
        chosen, paid = sale.at - timedelta(minutes=4), sale.at
        items = [
            self._make_item(self._add_hold(sale, choice, "converted", chosen, paid, attempt_id), choice, kind)
            for choice, kind in sale.lines
        ]
        issued = [
            self._add_ticket(sale, order_id, choice, kind)
            for choice, kind in sale.lines
            for _ in range(choice.quantity)
        ]
        if sale.was_abandoned_before:
            self._add_abandoned_hold(sale)
        self._add_checkout(sale, session_id, items, "completed", sale.at - timedelta(minutes=2), sale.at)
        self._add_order(sale, order_id, session_id, attempt_id, status, items)
        self._add_payment(sale, order_id, attempt_id)
        if sale.is_refunded:
            self._add_refund(sale, order_id, attempt_id, issued)

    def _add_hold(
        self, sale: Sale, choice: Choice, status: str, begun: datetime, ended: datetime, attempt_id: UUID | None = None
    ) -> UUID:
        hold_id, until, is_paid = new_id(), begun + HOLD_TIME, attempt_id is not None
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
        self._add_audit_row(sale.buyer, begun, "seat_reserved", "seat_hold", hold_id, after)
        self._add_audit_row(sale.buyer, ended, f"hold.{status}", "seat_hold", hold_id, after)
        return hold_id

    def _make_item(self, hold_id: UUID, choice: Choice, kind: TicketType) -> Row:
        priced = kind.price_in(choice.price)
        return {
            "hold_id": hold_id, "ticket_type_id": kind.id, "name": kind.name, "seat_id": choice.seat_id,
            "zone_id": choice.zone_id, "quantity": choice.quantity, "unit": priced, "net": priced * choice.quantity,
            "counted": kind.quantity is not None,
        }  # fmt: skip

    def _add_abandoned_hold(self, sale: Sale) -> None:
        """Writes an earlier hold of the same seat that was abandoned, in the basket or in the checkout."""
        (choice, kind), begun = sale.lines[0], sale.at - timedelta(minutes=20)
        self.abandoned += 1
        status, checkout = ABANDONED_OUTCOMES[self.abandoned % len(ABANDONED_OUTCOMES)]
        ended = begun + (HOLD_TIME if status == "expired" else timedelta(minutes=3))
        item = self._make_item(self._add_hold(sale, choice, status, begun, ended), choice, kind)
        if checkout:
            opened = begun + timedelta(minutes=1)
            self._add_checkout(
                sale, new_id(), [item], checkout, opened, ended if checkout == "left" else opened + CHECKOUT_TIME
            )

    def _add_checkout(
        self, sale: Sale, session_id: UUID, items: Sequence[Row], status: str, begun: datetime, ended: datetime
    ) -> None:
        self.rows["checkout_sessions"].append(
            {
                "id": session_id, "event_id": self.event.id, "user_id": sale.buyer.id, "status": status,
                "expires_at": begun + CHECKOUT_TIME, "currency": sale.bill.currency, "total": sale.bill.total,
                "quote": sale.bill, "created_at": begun, "updated_at": ended,
            }
        )  # fmt: skip
        self.rows["checkout_items"] += [
            {"session_id": session_id, "position": n} | dict(item) for n, item in enumerate(items)
        ]
        after = {"event_id": self.event.id}
        self._add_audit_row(
            sale.buyer, begun, "checkout.started", "checkout", session_id, after | {"total": sale.bill.total}
        )
        if status != "completed":
            self._add_audit_row(sale.buyer, ended, f"checkout.{status}", "checkout", session_id, after)

    def _add_order(
        self, sale: Sale, order_id: UUID, session_id: UUID, attempt_id: UUID, status: str, items: Sequence[Row]
    ) -> None:
        secret = derive_secret(self.keyring, self.organization_id, order_id)
        self.rows["orders"].append(
            {
                "id": order_id, "event_id": self.event.id, "user_id": sale.buyer.id, "session_id": session_id,
                "attempt_id": attempt_id, "code": new_code(), "secret_hash": to_hex_bytea(secrets.digest_token(secret)),
                "status": status, "provider": "test", "currency": sale.bill.currency, "total": sale.bill.total,
                "quote": sale.bill, "buyer_name": sale.buyer.name, "buyer_email": sale.buyer.email,
                "purchase_key": order_id.hex, "body_hash": to_hex_bytea(hashlib.sha256(order_id.bytes).digest()),
                "created_at": sale.at, "updated_at": sale.at, "paid_at": sale.at,
            }
        )  # fmt: skip
        self.rows["order_lines"] += [{"order_id": order_id, "position": n} | dict(item) for n, item in enumerate(items)]
        after = {"event_id": self.event.id, "total": sale.bill.total}
        self._add_audit_row(sale.buyer, sale.at, "order.placed", "order", order_id, after)
        self._add_audit_row(sale.buyer, sale.at, "order.paid", "order", order_id, {"attempt_id": attempt_id})
        self._add_fact(
            sale.at, OrderPaid(**self._fact_fields(sale, order_id), tickets=sum(w.quantity for w, _ in sale.lines))
        )

    def _add_ticket(self, sale: Sale, order_id: UUID, choice: Choice, kind: TicketType) -> UUID:
        ticket_id = new_id()
        self.issued += 1
        self.rows["tickets"].append(
            {
                "id": ticket_id, "event_id": self.event.id, "order_id": order_id, "ticket_type_id": kind.id,
                "seat_id": choice.seat_id, "zone_id": choice.zone_id,
                "number": f"{tickets.event_prefix(self.event.id)}-{self.issued:05}", "code": new_code(),
                "nonce": to_hex_bytea(os.urandom(tickets.NONCE_BYTES)), "holder_name": sale.buyer.name,
                "holder_email": sale.buyer.email, "holder_user_id": sale.buyer.id,
                "status": "refunded" if sale.is_refunded else "valid",
                "reason": _choose_reason(order_id) if sale.is_refunded else None,
                "voided_at": sale.at if sale.is_refunded else None, "issued_at": sale.at, "updated_at": sale.at,
            }
        )  # fmt: skip
        after = {"event_id": self.event.id, "order_id": order_id, "number": self.rows["tickets"][-1]["number"]}
        self._add_audit_row(sale.buyer, sale.at, "ticket.issued", "ticket", ticket_id, after)
        fact = TicketIssued(
            subject_id=ticket_id, event_id=self.event.id, order_id=order_id, number=self.rows["tickets"][-1]["number"],
            ticket_type_id=kind.id, seat_id=choice.seat_id, zone_id=choice.zone_id, holder_user_id=sale.buyer.id,
        )  # fmt: skip
        self._add_fact(sale.at, fact)
        if not sale.is_refunded:
            self.live_tickets += 1
            if is_counted_by_day(kind):
                self.day_counts.update([("zone", choice.zone_id, kind.id), ("event", self.event.id, kind.id)])
            else:
                self.counts.update((choice.zone_id, self.event.id))
            if kind.quantity is not None:
                self.counts[kind.id] += 1
            if choice.seat_id:
                self.seats[choice.seat_id] = ticket_id
        return ticket_id

    def _add_payment(self, sale: Sale, order_id: UUID, attempt_id: UUID) -> None:
        paid: dict[str, Any] = {"amount": sale.bill.total, "currency": sale.bill.currency}
        self.rows["payment_attempts"].append(
            {
                "id": attempt_id, "order_id": order_id, "provider": "test", "method": "approve", "status": "captured",
                "provider_ref": f"test_{attempt_id.hex}", "ask_at": sale.at, "give_up_at": sale.at,
                "refunded": sale.bill.total if sale.is_refunded else 0, "created_at": sale.at, "updated_at": sale.at,
            } | paid
        )  # fmt: skip
        self._add_charge(attempt_id, "charge", "captured", sale.at, paid)
        self._add_ledger_entries(
            "capture",
            attempt_id,
            order_id,
            sale.at,
            sale.bill,
            policy.sale_entries(sale.bill, provider_account("test")),
        )
        self._add_fact(sale.at, PaymentCaptured(subject_id=attempt_id, order_id=order_id, provider="test", **paid))

    def _add_refund(self, sale: Sale, order_id: UUID, attempt_id: UUID, issued: Sequence[UUID]) -> None:
        refund_id, at = new_id(), sale.at + timedelta(hours=2)
        reason = _choose_reason(order_id)
        paid: dict[str, Any] = {"amount": sale.bill.total, "currency": sale.bill.currency}
        about = {"id": refund_id, "order_id": order_id, "event_id": self.event.id, "reason": reason, "created_at": at}
        self.rows["refunds"].append(
            about | paid
            | {"attempt_id": attempt_id, "status": "done", "provider_ref": f"test_{refund_id.hex}", "ask_at": at,
               "updated_at": at}
        )  # fmt: skip
        self.rows["order_refunds"].append(about | paid | {"fees": "return", "ticket_ids": issued, "batch": False})
        self._add_charge(refund_id, "refund", "refunded", at, paid)
        earned = policy.sale_entries(sale.bill, REFUNDS)
        self._add_ledger_entries(
            "refund", refund_id, order_id, at, sale.bill, {name: -amount for name, amount in earned.items()}
        )
        payout = {REFUNDS: sale.bill.total, provider_account("test"): -sale.bill.total}
        self._add_ledger_entries("payout", refund_id, order_id, at + timedelta(minutes=1), sale.bill, payout)
        given = {"refund_id": refund_id, "amount": sale.bill.total, "reason": reason}
        self._add_audit_row(sale.buyer, at, "order.refunded", "order", order_id, given)
        self._add_audit_row(sale.buyer, at, "refund.requested", "refund", refund_id, paid)
        self._add_audit_row(sale.buyer, at, "refund.done", "refund", refund_id, paid)
        back: dict[str, Any] = {
            "amount": sale.bill.total,
            "tickets": len(issued),
            "reason": reason,
            "status": "refunded",
        }
        self._add_fact(at, OrderRefunded(**self._fact_fields(sale, order_id), refund_id=refund_id, **back))
        moved: dict[str, Any] = {"subject_id": refund_id, "order_id": order_id, "attempt_id": attempt_id} | paid
        self._add_fact(at, RefundRequested(**moved, provider="test", reason=reason))
        self._add_fact(at, RefundDone(**moved, provider="test"))
        for ticket_id in issued:
            self._add_audit_row(sale.buyer, at, "ticket.refunded", "ticket", ticket_id, {"status": "refunded"})
            void: dict[str, Any] = {
                "event_id": self.event.id,
                "order_id": order_id,
                "status": "refunded",
                "reason": reason,
            }
            self._add_fact(at, TicketVoided(subject_id=ticket_id, **void))

    def _fact_fields(self, sale: Sale, order_id: UUID) -> dict[str, Any]:
        """The fields that every fact about an order has."""
        code = self.rows["orders"][-1]["code"]
        return {
            "subject_id": order_id, "event_id": self.event.id, "user_id": sale.buyer.id, "code": code,
            "total": sale.bill.total, "currency": sale.bill.currency, "buyer_email": sale.buyer.email,
        }  # fmt: skip

    def _add_fact(self, at: datetime, fact: Fact) -> None:
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

    def _add_charge(self, key: UUID, kind: str, status: str, at: datetime, paid: Row) -> None:
        """Writes the test provider's row, so that it can refund the payment."""
        self.rows["test_charges"].append(
            {"key": key, "kind": kind, "method": "approve", "status": status, "created_at": at} | dict(paid)
        )

    def _add_ledger_entries(
        self, kind: str, source_id: UUID, order_id: UUID, at: datetime, bill: Quote, entries: dict[str, int]
    ) -> None:
        moved = [(account, entries[account]) for account in entries if entries[account]]
        assert {account for account, _ in moved} <= {provider_account("test"), ORGANIZER, FEES, TAX, REFUNDS}
        posted = {"id": new_id(), "kind": kind, "source_id": source_id, "order_id": order_id}
        self.rows["ledger_transactions"].append(posted | {"event_id": self.event.id, "created_at": at})
        self.rows["ledger_entries"] += [
            {"transaction_id": posted["id"], "position": n, "account": account, "amount": amount,
             "currency": bill.currency}
            for n, (account, amount) in enumerate(moved)
        ]  # fmt: skip

    def _add_audit_row(
        self, who: User, at: datetime, action: str, entity: str, entity_id: UUID, after: dict[str, Any]
    ) -> None:
        self.rows["audit_log"].append(
            {
                "id": new_id(), "created_at": at, "actor_type": "user", "actor_id": who.id, "actor_name": who.name,
                "action": action, "entity_type": entity, "entity_id": entity_id, "after": after,
            }
        )  # fmt: skip


def _choose_reason(order_id: UUID) -> str:
    return REFUND_REASONS[order_id.int % len(REFUND_REASONS)]


async def write_rows(tx: Tx, keyring: Keyring, event: Event, sold: Sequence[Sale]) -> int:
    book = _Rows(tx, keyring, event, await tx.now() - timedelta(days=7))
    for sale in sold:
        book.add_sale(sale)
    if not book.issued:
        return 0
    for table, rows in book.rows.items():
        await insert_rows(tx, table, rows)
    await insert_rows(tx, "ticket_counters", [{"event_id": event.id, "last": book.issued}])
    await stock.mark_sold(tx, event.id, book.seats, book.counts, book.day_counts)
    # Then what follows a sale: the event's trend, whether it is sold out, whether companion seats are still reserved.
    await store.count_sale(tx, event_id=event.id, tickets=book.live_tickets)
    await shows.update_stock(tx, event.id)
    for zone in {choice.zone_id for sale in sold for choice, _ in sale.lines if choice.seat_id}:
        await seating.release_companions(tx, event.id, zone)
    return book.live_tickets
