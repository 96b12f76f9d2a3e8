"""Emails about orders, refunds and transfers, with the tickets attached.

Attachments are rendered when the email is sent, so that they never contain a code that has become void.
"""

import asyncio
from contextlib import suppress
from uuid import UUID

from fullhouse.accounts import actions as accounts
from fullhouse.checkout.facts import OrderCancelled, OrderNeedsConsent, OrderPaid, OrderPaidTwice, OrderRefunded
from fullhouse.checkout.model import ProposedPlace, StoredOrder
from fullhouse.checkout.orders import reads as order_reads
from fullhouse.checkout.orders.settle import REASONS
from fullhouse.events import actions as events
from fullhouse.events.public import calendar
from fullhouse.events.public import reads as public_reads
from fullhouse.events.public.model import EventNotFound
from fullhouse.kit.actors import Principal
from fullhouse.kit.cache.limits import Limit
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.languages import Words
from fullhouse.kit.mail import mailbox
from fullhouse.kit.mail.email import AttachmentRef
from fullhouse.kit.mail.mailer import Attachment
from fullhouse.kit.messages.outbox import Message
from fullhouse.kit.money import Money
from fullhouse.kit.services import Services
from fullhouse.mail import model as emails
from fullhouse.mail.notices.actions import get_event_details, my_tickets_path
from fullhouse.tickets import actions as tickets
from fullhouse.tickets import documents
from fullhouse.tickets.facts import TicketTransferred
from fullhouse.tickets.model import TicketPlace, TicketView
from fullhouse.tickets.words import WORDS

RESEND_LIMIT = Limit(3, 600)  # for one order: resending must not flood the buyer's inbox


class TicketEmails:
    """Needs the installation's keyring: ticket codes are signed, and an order's page is opened by its secret."""

    def __init__(self, services: Services) -> None:
        self._services = services

    # --- async handlers

    async def send_tickets(self, tx: Tx, message: Message) -> None:
        """An order is paid: emails the tickets, the prices and the link to the order."""
        await self._send_order(tx, await order_reads.require_order(tx, message.fact(OrderPaid).subject_id), message.id)

    async def resend_for_buyer(self, tx: Tx, who: Principal, order_id: UUID) -> None:
        """Resends the confirmation for the buyer, to the email address of the order only."""
        await order_reads.check_owner(tx, who, order_id)
        order = await self._require_tickets(tx, order_id)
        await self._services.limiter.check(f"resend:{order_id}", RESEND_LIMIT)
        await self._send_order(tx, order, None)

    async def resend_by_secret(self, secret: str) -> None:
        """Resends the confirmation for a caller with the order's secret. The email goes to the buyer only."""
        async with self._services.database.tenant(order_reads.parse_organization(secret)) as tx:
            order = await self._require_tickets(tx, (await order_reads.require_by_secret_to_change(tx, secret)).id)
            await self._services.limiter.check(f"resend:{order.id}", RESEND_LIMIT)
            await self._send_order(tx, order, None)

    async def resend_for_staff(self, tx: Tx, order_id: UUID) -> None:
        """Resends the confirmation on behalf of staff, with the tickets that are still valid."""
        await self._send_order(tx, await self._require_tickets(tx, order_id), None)
        await audit.write(tx, "order.sent_again", "order", order_id)

    async def _require_tickets(self, tx: Tx, order_id: UUID) -> StoredOrder:
        order = await order_reads.require_order(tx, order_id)
        if order.paid_at is None or not await tickets.list_printable(tx, self._services.keyring, order_id):
            raise emails.NothingToSend(
                f"The order is {order.status.replace('_', ' ')}. Only a paid order with valid tickets can be resent."
            )
        return order

    async def _send_order(self, tx: Tx, order: StoredOrder, about: UUID | None) -> None:
        views = await tickets.list_printable(tx, self._services.keyring, order.id)
        email = emails.OrderConfirmed(
            show=await get_event_details(tx, await events.require_event(tx, order.event_id)),
            order_code=order.code,
            order_path=self._order_path(tx, order.id),
            tickets=tuple(_to_ticket_line(view, order.currency) for view in views),
            total=Money(order.total, order.currency),
        )
        enclosures = [AttachmentRef("tickets.pdf", order.id), AttachmentRef("show.ics", order.event_id)]
        await mailbox.enqueue_email(tx, order.buyer_email, email, about=about, enclosures=enclosures)

    async def send_refunded(self, tx: Tx, message: Message) -> None:
        """Tells the buyer about a refund. The reason that staff gave is for the audit log, and is not emailed."""
        fact = message.fact(OrderRefunded)
        if not fact.amount:
            return
        email = emails.OrderRefunded(
            show=await get_event_details(tx, await events.require_event(tx, fact.event_id)),
            order_code=fact.code,
            order_path=self._order_path(tx, fact.subject_id),
            amount=Money(fact.amount, fact.currency),
            paid=Money(fact.total, fact.currency),
            message=fact.reason if fact.cancelled else None,
        )
        await mailbox.enqueue_email(tx, fact.buyer_email, email, about=message.id)

    async def send_other_seats(self, tx: Tx, message: Message) -> None:
        """Offers other seats to a buyer whose payment came late. Sends nothing if the buyer has decided by now."""
        fact = message.fact(OrderNeedsConsent)
        places = await order_reads.load_proposed(tx, await order_reads.require_order(tx, fact.subject_id))
        if not places:
            return
        email = emails.OtherSeats(
            show=await get_event_details(tx, await events.require_event(tx, fact.event_id)),
            order_code=fact.code,
            order_path=self._order_path(tx, fact.subject_id),
            places=tuple(_to_held_spots(place) for place in places),
            paid=Money(fact.total, fact.currency),
            answer_by=fact.consent_by,
        )
        await mailbox.enqueue_email(tx, fact.buyer_email, email, about=message.id)

    async def send_order_cancelled(self, tx: Tx, message: Message) -> None:
        """Tells the buyer that the order failed and the payment is refunded. Sends nothing if nothing was charged."""
        fact = message.fact(OrderCancelled)
        if not fact.refunded:
            return
        email = emails.OrderCalledOff(
            show=await get_event_details(tx, await events.require_event(tx, fact.event_id)),
            order_code=fact.code,
            order_path=self._order_path(tx, fact.subject_id),
            amount=Money(fact.refunded, fact.currency),
            because=fact.reason if fact.reason in REASONS.values() else None,
        )
        await mailbox.enqueue_email(tx, fact.buyer_email, email, about=message.id)

    async def send_paid_twice(self, tx: Tx, message: Message) -> None:
        """Tells the buyer that a second payment is refunded, and that the tickets stay valid."""
        fact = message.fact(OrderPaidTwice)
        email = emails.PaidTwice(
            show=await get_event_details(tx, await events.require_event(tx, fact.event_id)),
            order_code=fact.code,
            order_path=self._order_path(tx, fact.subject_id),
            amount=Money(fact.amount, fact.currency),
        )
        await mailbox.enqueue_email(tx, fact.buyer_email, email, about=message.id)

    async def send_transfer(self, tx: Tx, message: Message) -> None:
        """A ticket was transferred: emails the new ticket to the new holder, and a notice to the former one."""
        fact = message.fact(TicketTransferred)
        event = await get_event_details(tx, await events.require_event(tx, fact.event_id))
        place = _to_place(await self._require_view(tx, fact.subject_id))
        path = my_tickets_path((await accounts.require_profile(tx)).slug, fact.subject_id)
        received = emails.TicketReceived(show=event, place=place, from_name=fact.from_name, ticket_path=path)
        enclosures = [AttachmentRef("ticket.pdf", fact.subject_id), AttachmentRef("show.ics", fact.event_id)]
        await mailbox.enqueue_email(tx, fact.to_email, received, about=message.id, enclosures=enclosures)
        sent = emails.TicketSent(show=event, place=place, to_name=fact.to_name)
        await mailbox.enqueue_email(tx, fact.from_email, sent, about=message.id)

    # --- attachments

    async def render_tickets_pdf(self, tx: Tx, order_id: UUID, recipient: str) -> Attachment:
        return await self._render_pdf(tx, await tickets.list_printable(tx, self._services.keyring, order_id), recipient)

    async def render_ticket_pdf(self, tx: Tx, ticket_id: UUID, recipient: str) -> Attachment:
        """A recipient who has transferred the ticket meanwhile must not get the new holder's code."""
        view = await self._require_view(tx, ticket_id)
        is_theirs = view.holder_email.lower() == recipient.lower()
        return await self._render_pdf(tx, [view] if view.qr and is_theirs else [], recipient)

    async def render_event_ics(self, tx: Tx, event_id: UUID, recipient: str) -> Attachment:
        """Empty if the event is no longer public."""
        found = []
        with suppress(EventNotFound):
            found.append((await public_reads.require_public_event(self._services, event_id)).event)
        t = await _find_words(tx, recipient)
        address = self._services.public_url + my_tickets_path((await accounts.require_profile(tx)).slug)
        ics = calendar.render_feed(t("your_tickets"), found, lambda _: address, t.code)
        return Attachment("show.ics", calendar.MEDIA_TYPE, ics)

    def _order_path(self, tx: Tx, order_id: UUID) -> str:
        assert tx.organization_id
        return f"/orders/{order_reads.derive_secret(self._services.keyring, tx.organization_id, order_id)}"

    async def _render_pdf(self, tx: Tx, views: list[TicketView], recipient: str) -> Attachment:
        t = await _find_words(tx, recipient)
        if not views:  # all tickets are void by now
            return Attachment("tickets.txt", "text/plain", f"{t('void')}\n".encode())
        organization = await accounts.require_profile(tx)
        pdf = await asyncio.to_thread(documents.render_tickets, views, organization.name, t)
        return Attachment("tickets.pdf", "application/pdf", pdf)

    async def _require_view(self, tx: Tx, ticket_id: UUID) -> TicketView:
        return await tickets.read_printable(tx, self._services.keyring, ticket_id)


def _to_ticket_line(view: TicketView, currency: str) -> emails.TicketLine:
    price = view.price or Money(0, currency)
    return emails.TicketLine(kind=view.type_name, place=_to_place(view), code=view.code, price=price)


def _to_place(view: TicketView) -> TicketPlace | None:
    """None for a ticket that is not bound to a zone or seat."""
    place = TicketPlace(zone_name=view.zone_name, row=view.row, seat=view.seat)
    return place if place != TicketPlace() else None


def _to_held_spots(place: ProposedPlace) -> emails.HeldSpots:
    return emails.HeldSpots(zone_name=place.zone_name, row=place.row, seat=place.seat, quantity=place.quantity)


async def _find_words(tx: Tx, recipient: str) -> Words:
    """In the language that the email is written in (kit/mail/mailbox.py)."""
    known = await mailbox.find_languages(tx, [recipient])
    return WORDS.of(known.get(recipient.lower()) or (await accounts.require_profile(tx)).locale)
