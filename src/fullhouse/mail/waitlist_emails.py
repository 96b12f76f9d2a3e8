"""Emails to people on a waitlist: that they have joined it, that tickets are held for them, that an offer expired."""

from datetime import datetime
from uuid import UUID

from fullhouse.events import actions as events
from fullhouse.kit.db.database import Tx
from fullhouse.kit.mail import mailbox
from fullhouse.kit.mail.email import EmailData
from fullhouse.kit.messages.outbox import Message
from fullhouse.kit.services import Services
from fullhouse.mail import model as emails
from fullhouse.mail.notices.actions import get_event_details
from fullhouse.tickets.model import TicketPlace
from fullhouse.waitlist import reads as waitlist_reads
from fullhouse.waitlist.facts import WaitlistJoined, WaitlistLapsed, WaitlistOffered
from fullhouse.waitlist.model import OfferedHold, StoredEntry


class WaitlistEmails:
    """Needs the installation's keyring: each link contains a secret that opens the recipient's own waitlist entry."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def send_joined(self, tx: Tx, message: Message) -> None:
        fact = message.fact(WaitlistJoined)
        email = emails.WaitlistJoined(
            show=await self._event_details(tx, fact.event_id),
            quantity=fact.party,
            list_path=self._path(tx, fact.subject_id),
        )
        await self._send(tx, message, email)

    async def send_offered(self, tx: Tx, message: Message) -> None:
        """Sends nothing if the offer has ended by now."""
        fact = message.fact(WaitlistOffered)
        entry = await waitlist_reads.require_entry(tx, fact.subject_id)
        if entry.status != "offered" or entry.answer_by != fact.answer_by:
            return
        assert isinstance(entry.answer_by, datetime)
        offered = await waitlist_reads.list_offered_holds(tx, entry)
        email = emails.WaitlistOffer(
            show=await self._event_details(tx, fact.event_id),
            quantity=sum(hold.quantity for hold in offered),
            places=tuple(dict.fromkeys(map(_to_place, offered))),
            offer_path=self._path(tx, entry.id),
            answer_by=entry.answer_by,
        )
        await self._send(tx, message, email)

    async def send_lapsed(self, tx: Tx, message: Message) -> None:
        fact = message.fact(WaitlistLapsed)
        event = await self._event_details(tx, fact.event_id)
        await self._send(tx, message, emails.WaitlistLapsed(show=event, quantity=fact.party))

    async def _event_details(self, tx: Tx, event_id: UUID) -> emails.EventDetails:
        return await get_event_details(tx, await events.require_event(tx, event_id))

    async def _send(self, tx: Tx, message: Message, email: EmailData) -> None:
        entry: StoredEntry = await waitlist_reads.require_entry(tx, message.subject_id)
        await mailbox.enqueue_email(tx, entry.email, email, about=message.id)

    def _path(self, tx: Tx, entry_id: UUID) -> str:
        """The secret is in the fragment, which browsers never send to a server."""
        assert tx.organization_id
        return f"/waiting-list#{waitlist_reads.make_secret(self._services.keyring, tx.organization_id, entry_id)}"


def _to_place(hold: OfferedHold) -> TicketPlace:
    return TicketPlace(zone_name=hold.zone_name, row=hold.row, seat=hold.seat_number)
