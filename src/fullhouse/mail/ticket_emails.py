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
from fullhouse.checkout.orders.settle import WHY
from fullhouse.events import actions as events
from fullhouse.events.public import calendar
from fullhouse.events.public import reads as public_reads
from fullhouse.events.public.model import EventNotFound
from fullhouse.kit.actors import Principal
from fullhouse.kit.cache.limits import Limit
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.languages import Words
from fullhouse.kit.mail import mails
from fullhouse.kit.mail.email import Enclosure
from fullhouse.kit.mail.mailer import Attachment
from fullhouse.kit.messages.outbox import Message
from fullhouse.kit.money import Money
from fullhouse.kit.services import Services
from fullhouse.mail import model as emails
from fullhouse.mail.notices.actions import my_path, show_of
from fullhouse.tickets import actions as tickets
from fullhouse.tickets import papers
from fullhouse.tickets.facts import TicketTransferred
from fullhouse.tickets.model import TicketPlace, TicketView
from fullhouse.tickets.words import WORDS

AGAIN = Limit(3, 600)  # for one order: resending must not flood the buyer's inbox


class Handout:
    """Needs the installation's keyring: ticket codes are signed, and an order's page is opened by its secret."""

    def __init__(self, services: Services) -> None:
        self._services = services

    # --- async handlers

    async def send_tickets(self, tx: Tx, message: Message) -> None:
        """An order is paid: emails the tickets, the prices and the link to the order."""
        await self._post_order(tx, await order_reads.get(tx, message.fact(OrderPaid).subject_id), message.id)

    async def send_again(self, tx: Tx, who: Principal, order_id: UUID) -> None:
        """Resends the confirmation for the buyer, to the email address of the order only."""
        await order_reads.check_mine(tx, who, order_id)
        order = await self._with_tickets(tx, order_id)
        await self._services.limiter.check(f"resend:{order_id}", AGAIN)
        await self._post_order(tx, order, None)

    async def send_by_secret(self, secret: str) -> None:
        """Resends the confirmation for a caller with the order's secret. The email goes to the buyer only."""
        async with self._services.database.tenant(order_reads.organization_in(secret)) as tx:
            order = await self._with_tickets(tx, (await order_reads.opened_to_change(tx, secret)).id)
            await self._services.limiter.check(f"resend:{order.id}", AGAIN)
            await self._post_order(tx, order, None)

    async def send_for_staff(self, tx: Tx, order_id: UUID) -> None:
        """Resends the confirmation on behalf of staff, with the tickets that are still valid."""
        await self._post_order(tx, await self._with_tickets(tx, order_id), None)
        await audit.write(tx, "order.sent_again", "order", order_id)

    async def _with_tickets(self, tx: Tx, order_id: UUID) -> StoredOrder:
        order = await order_reads.get(tx, order_id)
        if order.paid_at is None or not await tickets.printed(tx, self._services.keyring, order_id):
            raise emails.NothingToSend(
                f"The order is {order.status.replace('_', ' ')}. Only a paid order with valid tickets can be resent."
            )
        return order

    async def _post_order(self, tx: Tx, order: StoredOrder, about: UUID | None) -> None:
        views = await tickets.printed(tx, self._services.keyring, order.id)
        email = emails.OrderConfirmed(
            show=await show_of(tx, await events.get_event(tx, order.event_id)),
            order_code=order.code,
            order_path=self._order_path(tx, order.id),
            tickets=tuple(_line(view, order.currency) for view in views),
            total=Money(order.total, order.currency),
        )
        enclosures = [Enclosure("tickets.pdf", order.id), Enclosure("show.ics", order.event_id)]
        await mails.post(tx, order.buyer_email, email, about=about, enclosures=enclosures)

    async def tell_refunded(self, tx: Tx, message: Message) -> None:
        """Tells the buyer about a refund. The reason that staff gave is for the audit log, and is not emailed."""
        fact = message.fact(OrderRefunded)
        if not fact.amount:
            return
        email = emails.OrderRefunded(
            show=await show_of(tx, await events.get_event(tx, fact.event_id)),
            order_code=fact.code,
            order_path=self._order_path(tx, fact.subject_id),
            amount=Money(fact.amount, fact.currency),
            paid=Money(fact.total, fact.currency),
            message=fact.reason if fact.cancelled else None,
        )
        await mails.post(tx, fact.buyer_email, email, about=message.id)

    async def tell_other_seats(self, tx: Tx, message: Message) -> None:
        """Offers other seats to a buyer whose payment came late. Sends nothing if the buyer has decided by now."""
        fact = message.fact(OrderNeedsConsent)
        places = await order_reads.proposed(tx, await order_reads.get(tx, fact.subject_id))
        if not places:
            return
        email = emails.OtherSeats(
            show=await show_of(tx, await events.get_event(tx, fact.event_id)),
            order_code=fact.code,
            order_path=self._order_path(tx, fact.subject_id),
            places=tuple(_held(place) for place in places),
            paid=Money(fact.total, fact.currency),
            answer_by=fact.consent_by,
        )
        await mails.post(tx, fact.buyer_email, email, about=message.id)

    async def tell_called_off(self, tx: Tx, message: Message) -> None:
        """Tells the buyer that the order failed and the payment is refunded. Sends nothing if nothing was charged."""
        fact = message.fact(OrderCancelled)
        if not fact.refunded:
            return
        email = emails.OrderCalledOff(
            show=await show_of(tx, await events.get_event(tx, fact.event_id)),
            order_code=fact.code,
            order_path=self._order_path(tx, fact.subject_id),
            amount=Money(fact.refunded, fact.currency),
            because=fact.reason if fact.reason in WHY.values() else None,
        )
        await mails.post(tx, fact.buyer_email, email, about=message.id)

    async def tell_paid_twice(self, tx: Tx, message: Message) -> None:
        """Tells the buyer that a second payment is refunded, and that the tickets stay valid."""
        fact = message.fact(OrderPaidTwice)
        email = emails.PaidTwice(
            show=await show_of(tx, await events.get_event(tx, fact.event_id)),
            order_code=fact.code,
            order_path=self._order_path(tx, fact.subject_id),
            amount=Money(fact.amount, fact.currency),
        )
        await mails.post(tx, fact.buyer_email, email, about=message.id)

    async def tell_transfer(self, tx: Tx, message: Message) -> None:
        """A ticket was transferred: emails the new ticket to the new holder, and a notice to the former one."""
        fact = message.fact(TicketTransferred)
        event = await show_of(tx, await events.get_event(tx, fact.event_id))
        place = _place(await self._view(tx, fact.subject_id))
        path = my_path((await accounts.get_profile(tx)).slug, fact.subject_id)
        received = emails.TicketReceived(show=event, place=place, from_name=fact.from_name, ticket_path=path)
        enclosures = [Enclosure("ticket.pdf", fact.subject_id), Enclosure("show.ics", fact.event_id)]
        await mails.post(tx, fact.to_email, received, about=message.id, enclosures=enclosures)
        sent = emails.TicketSent(show=event, place=place, to_name=fact.to_name)
        await mails.post(tx, fact.from_email, sent, about=message.id)

    # --- attachments

    async def tickets_pdf(self, tx: Tx, order_id: UUID, recipient: str) -> Attachment:
        return await self._pdf(tx, await tickets.printed(tx, self._services.keyring, order_id), recipient)

    async def ticket_pdf(self, tx: Tx, ticket_id: UUID, recipient: str) -> Attachment:
        """A recipient who has transferred the ticket meanwhile must not get the new holder's code."""
        view = await self._view(tx, ticket_id)
        is_theirs = view.holder_email.lower() == recipient.lower()
        return await self._pdf(tx, [view] if view.qr and is_theirs else [], recipient)

    async def show_ics(self, tx: Tx, event_id: UUID, recipient: str) -> Attachment:
        """Empty if the event is no longer public."""
        found = []
        with suppress(EventNotFound):
            found.append((await public_reads.public_show(self._services, event_id)).show)
        t = await _words(tx, recipient)
        address = self._services.public_url + my_path((await accounts.get_profile(tx)).slug)
        ics = calendar.of_shows(t("your_tickets"), found, lambda _: address, t.code)
        return Attachment("show.ics", calendar.MEDIA_TYPE, ics)

    def _order_path(self, tx: Tx, order_id: UUID) -> str:
        assert tx.organization_id
        return f"/orders/{order_reads.secret_of(self._services.keyring, tx.organization_id, order_id)}"

    async def _pdf(self, tx: Tx, views: list[TicketView], recipient: str) -> Attachment:
        t = await _words(tx, recipient)
        if not views:  # all tickets are void by now
            return Attachment("tickets.txt", "text/plain", f"{t('void')}\n".encode())
        organization = await accounts.get_profile(tx)
        pdf = await asyncio.to_thread(papers.sheets, views, organization.name, t)
        return Attachment("tickets.pdf", "application/pdf", pdf)

    async def _view(self, tx: Tx, ticket_id: UUID) -> TicketView:
        return await tickets.printed_one(tx, self._services.keyring, ticket_id)


def _line(view: TicketView, currency: str) -> emails.TicketLine:
    price = view.price or Money(0, currency)
    return emails.TicketLine(kind=view.type_name, place=_place(view), code=view.code, price=price)


def _place(view: TicketView) -> TicketPlace | None:
    """None for a ticket that is not bound to a zone or seat."""
    place = TicketPlace(zone_name=view.zone_name, row=view.row, seat=view.seat)
    return place if place != TicketPlace() else None


def _held(place: ProposedPlace) -> emails.Held:
    return emails.Held(zone_name=place.zone_name, row=place.row, seat=place.seat, quantity=place.quantity)


async def _words(tx: Tx, recipient: str) -> Words:
    """In the language that the email is written in (kit/mail/mails.py)."""
    known = await mails.languages_of(tx, [recipient])
    return WORDS.of(known.get(recipient.lower()) or (await accounts.get_profile(tx)).locale)
