"""Tickets on their way to people: with the confirmation of an order, and to whoever is given one; and word of money
that goes back.

The codes are made when a letter leaves, so that it never carries one that was void before.
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
from fullhouse.mail import model as letters
from fullhouse.mail.notices.actions import my_path, show_of
from fullhouse.tickets import actions as tickets
from fullhouse.tickets import papers
from fullhouse.tickets.facts import TicketTransferred
from fullhouse.tickets.model import TicketPlace, TicketView
from fullhouse.tickets.words import WORDS

AGAIN = Limit(3, 600)  # for one order: a letter is not a toy


class Handout:
    """Needs the house's keys: tickets are signed, and an order's page is opened by its secret."""

    def __init__(self, services: Services) -> None:
        self._services = services

    # --- reactions

    async def send_tickets(self, tx: Tx, message: Message) -> None:
        """An order is paid: the tickets, the bill, and the way back to both."""
        await self._post_order(tx, await order_reads.get(tx, message.fact(OrderPaid).subject_id), message.id)

    async def send_again(self, tx: Tx, who: Principal, order_id: UUID) -> None:
        """The buyer asks for the letter once more. It goes to the address that the order names, and to no other."""
        await order_reads.check_mine(tx, who, order_id)
        order = await self._with_tickets(tx, order_id)
        await self._services.limiter.check(f"resend:{order_id}", AGAIN)
        await self._post_order(tx, order, None)

    async def send_by_secret(self, secret: str) -> None:
        """Whoever has the order's page asks. What they get to know by it is nothing: the letter goes to the buyer."""
        async with self._services.database.tenant(order_reads.organization_in(secret)) as tx:
            order = await self._with_tickets(tx, (await order_reads.opened_to_change(tx, secret)).id)
            await self._services.limiter.check(f"resend:{order.id}", AGAIN)
            await self._post_order(tx, order, None)

    async def send_for_staff(self, tx: Tx, order_id: UUID) -> None:
        """Staff were asked for the tickets: the same letter, with those that are still good."""
        await self._post_order(tx, await self._with_tickets(tx, order_id), None)
        await audit.write(tx, "order.sent_again", "order", order_id)

    async def _with_tickets(self, tx: Tx, order_id: UUID) -> StoredOrder:
        order = await order_reads.get(tx, order_id)
        if order.paid_at is None or not await tickets.printed(tx, self._services.keyring, order_id):
            raise letters.NothingToSend(f"The order is {order.status.replace('_', ' ')}.")
        return order

    async def _post_order(self, tx: Tx, order: StoredOrder, about: UUID | None) -> None:
        views = await tickets.printed(tx, self._services.keyring, order.id)
        letter = letters.OrderConfirmed(
            show=await show_of(tx, await events.get_event(tx, order.event_id)),
            order_code=order.code,
            order_path=self._order_path(tx, order.id),
            tickets=tuple(_line(view, order.currency) for view in views),
            total=Money(order.total, order.currency),
        )
        enclosed = [Enclosure("tickets.pdf", order.id), Enclosure("show.ics", order.event_id)]
        await mails.post(tx, order.buyer_email, letter, about=about, enclosures=enclosed)

    async def tell_refunded(self, tx: Tx, message: Message) -> None:
        """Whoever paid hears that money goes back. Why staff decided so is for the audit."""
        fact = message.fact(OrderRefunded)
        if not fact.amount:
            return
        letter = letters.OrderRefunded(
            show=await show_of(tx, await events.get_event(tx, fact.event_id)),
            order_code=fact.code,
            order_path=self._order_path(tx, fact.subject_id),
            amount=Money(fact.amount, fact.currency),
            paid=Money(fact.total, fact.currency),
            message=fact.reason if fact.cancelled else None,
        )
        await mails.post(tx, fact.buyer_email, letter, about=message.id)

    async def tell_other_seats(self, tx: Tx, message: Message) -> None:
        """Others are held for whoever paid late. Whoever has answered by now needs no letter."""
        fact = message.fact(OrderNeedsConsent)
        places = await order_reads.proposed(tx, await order_reads.get(tx, fact.subject_id))
        if not places:
            return
        letter = letters.OtherSeats(
            show=await show_of(tx, await events.get_event(tx, fact.event_id)),
            order_code=fact.code,
            order_path=self._order_path(tx, fact.subject_id),
            places=tuple(_held(place) for place in places),
            paid=Money(fact.total, fact.currency),
            answer_by=fact.consent_by,
        )
        await mails.post(tx, fact.buyer_email, letter, about=message.id)

    async def tell_called_off(self, tx: Tx, message: Message) -> None:
        """Nothing was sold for a payment, and it goes back. Whoever was charged nothing needs no letter."""
        fact = message.fact(OrderCancelled)
        if not fact.refunded:
            return
        letter = letters.OrderCalledOff(
            show=await show_of(tx, await events.get_event(tx, fact.event_id)),
            order_code=fact.code,
            order_path=self._order_path(tx, fact.subject_id),
            amount=Money(fact.refunded, fact.currency),
            because=fact.reason if fact.reason in WHY.values() else None,
        )
        await mails.post(tx, fact.buyer_email, letter, about=message.id)

    async def tell_paid_twice(self, tx: Tx, message: Message) -> None:
        """Whoever was charged once more hears that it goes back, and that the tickets stay good."""
        fact = message.fact(OrderPaidTwice)
        letter = letters.PaidTwice(
            show=await show_of(tx, await events.get_event(tx, fact.event_id)),
            order_code=fact.code,
            order_path=self._order_path(tx, fact.subject_id),
            amount=Money(fact.amount, fact.currency),
        )
        await mails.post(tx, fact.buyer_email, letter, about=message.id)

    async def tell_transfer(self, tx: Tx, message: Message) -> None:
        """A ticket changed hands: the new one to whoever has it now, word to whoever had it."""
        fact = message.fact(TicketTransferred)
        show = await show_of(tx, await events.get_event(tx, fact.event_id))
        place = _place(await self._view(tx, fact.subject_id))
        path = my_path((await accounts.get_profile(tx)).slug, fact.subject_id)
        received = letters.TicketReceived(show=show, place=place, from_name=fact.from_name, ticket_path=path)
        enclosed = [Enclosure("ticket.pdf", fact.subject_id), Enclosure("show.ics", fact.event_id)]
        await mails.post(tx, fact.to_email, received, about=message.id, enclosures=enclosed)
        sent = letters.TicketSent(show=show, place=place, to_name=fact.to_name)
        await mails.post(tx, fact.from_email, sent, about=message.id)

    # --- what goes with a letter

    async def tickets_pdf(self, tx: Tx, order_id: UUID, recipient: str) -> Attachment:
        return await self._pdf(tx, await tickets.printed(tx, self._services.keyring, order_id), recipient)

    async def ticket_pdf(self, tx: Tx, ticket_id: UUID, recipient: str) -> Attachment:
        """Whoever has passed it on before the letter left must not get the next holder's code."""
        view = await self._view(tx, ticket_id)
        is_theirs = view.holder_email.lower() == recipient.lower()
        return await self._pdf(tx, [view] if view.qr and is_theirs else [], recipient)

    async def show_ics(self, tx: Tx, event_id: UUID, recipient: str) -> Attachment:
        """A show that the public does not see any more is no date to keep."""
        shows = []
        with suppress(EventNotFound):
            shows.append((await public_reads.public_show(self._services, event_id)).show)
        t = await _words(tx, recipient)
        address = self._services.public_url + my_path((await accounts.get_profile(tx)).slug)
        made = calendar.of_shows(t("your_tickets"), shows, lambda _: address, t.code)
        return Attachment("show.ics", calendar.MEDIA_TYPE, made)

    def _order_path(self, tx: Tx, order_id: UUID) -> str:
        assert tx.organization_id
        return f"/orders/{order_reads.secret_of(self._services.keyring, tx.organization_id, order_id)}"

    async def _pdf(self, tx: Tx, views: list[TicketView], recipient: str) -> Attachment:
        t = await _words(tx, recipient)
        if not views:  # all of them are void by now
            return Attachment("tickets.txt", "text/plain", f"{t('void')}\n".encode())
        house = await accounts.get_profile(tx)
        made = await asyncio.to_thread(papers.sheets, views, house.name, t)
        return Attachment("tickets.pdf", "application/pdf", made)

    async def _view(self, tx: Tx, ticket_id: UUID) -> TicketView:
        return await tickets.printed_one(tx, self._services.keyring, ticket_id)


def _line(view: TicketView, currency: str) -> letters.TicketLine:
    price = view.price or Money(0, currency)
    return letters.TicketLine(kind=view.type_name, place=_place(view), code=view.code, price=price)


def _place(view: TicketView) -> TicketPlace | None:
    """None for a ticket that is good anywhere."""
    place = TicketPlace(zone_name=view.zone_name, row=view.row, seat=view.seat)
    return place if place != TicketPlace() else None


def _held(place: ProposedPlace) -> letters.Held:
    return letters.Held(zone_name=place.zone_name, row=place.row, seat=place.seat, quantity=place.quantity)


async def _words(tx: Tx, recipient: str) -> Words:
    """In which the letter is written too (kit/mail/mails.py)."""
    known = await mails.languages_of(tx, [recipient])
    return WORDS.of(known.get(recipient.lower()) or (await accounts.get_profile(tx)).locale)
