"""All handlers of facts and jobs, in one place.

SYNC handlers run inside the transaction that announces the fact, in this order: an exception rolls it back.
ASYNC handlers run after the commit, in a transaction of their own, effectively once. An ASYNC_ALL handler gets every
fact that its filter selects.
Jobs are calls to external systems, which a worker makes later, at least once.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any
from uuid import UUID

from fullhouse.accounts import store as accounts
from fullhouse.accounts.facts import GuestSignedIn, OrganizationChanged, OrganizationStatusChanged
from fullhouse.broker import actions as participants
from fullhouse.broker.facts import JoinCanceled, JoinConfirmed
from fullhouse.checkout import actions as checkouts
from fullhouse.checkout.facts import (
    OrderCancelled,
    OrderNeedsConsent,
    OrderPaid,
    OrderPaidTwice,
    OrderRefunded,
)
from fullhouse.checkout.guests import actions as guest_actions
from fullhouse.checkout.orders import settle
from fullhouse.checkout.orders.settlement_batcher import SettlementBatcher
from fullhouse.config import Config
from fullhouse.events import facts
from fullhouse.events import store as events
from fullhouse.events.live.channels import EventChannelPublisher
from fullhouse.events.public import actions as public_actions
from fullhouse.events.public.view_counter import ViewCounter
from fullhouse.holds import actions as holds
from fullhouse.holds import capacity_actions
from fullhouse.holds.engine import Engine
from fullhouse.holds.measures.sale_monitor import HoldLogger
from fullhouse.holds.mirror.held_seat_stream import HeldSeatStream
from fullhouse.holds.mirror.writer import RedisMirror
from fullhouse.holds.refusal_audit import RefusalAudit
from fullhouse.holds.sale_context import SaleContexts
from fullhouse.kit.db.database import Tx
from fullhouse.kit.mail import mailbox
from fullhouse.kit.mail.mailer import AttachmentMaker, Mailer
from fullhouse.kit.media.files import S3, Disk, Files
from fullhouse.kit.messages import outbox
from fullhouse.kit.messages.jobs import Handler
from fullhouse.kit.messages.outbox import AsyncHandler, Fact, FactFilter, Message, SyncHandler
from fullhouse.kit.services import Part, Services
from fullhouse.mail import actions as mail_actions
from fullhouse.mail import seat_emails
from fullhouse.mail.notices import actions as notice_actions
from fullhouse.mail.ticket_emails import TicketEmails
from fullhouse.mail.waitlist_emails import WaitlistEmails
from fullhouse.payments.facts import PaymentCaptured, PaymentFailed, RefundFound
from fullhouse.payments.model import StripeKeys
from fullhouse.payments.providers.actions import Providers
from fullhouse.refunds import actions as refund_actions
from fullhouse.relocations import actions as move_actions
from fullhouse.scanning import fold_actions
from fullhouse.scanning.engine import ScanEngine as Scanning
from fullhouse.seating import reads
from fullhouse.seating.facts import (
    CompanionsReleased,
    EventLayoutChanged,
    EventPolicyChanged,
    LayoutMigrated,
    LayoutMigrating,
    SeatingPolicyChanged,
    SeatsBlocked,
    SeatsReleased,
)
from fullhouse.seating.maps.live import SeatChangePublisher
from fullhouse.seating.maps.seat_states import SeatStateCache
from fullhouse.seating.overlay import actions as overlay_actions
from fullhouse.seating.overlay import copy_actions
from fullhouse.seating.reads import SeatingConfigCache
from fullhouse.tickets.facts import TicketTransferred, TicketTypesChanged, TicketVoided
from fullhouse.tickets.live import LiveOffers
from fullhouse.tickets.types import actions as type_actions
from fullhouse.waiting_room import actions as queue
from fullhouse.waiting_room.facts import QueueOpened
from fullhouse.waiting_room.rooms import WaitingRooms
from fullhouse.waitlist import actions as waitlist
from fullhouse.waitlist.facts import (
    WaitlistJoined,
    WaitlistLapsed,
    WaitlistLeft,
    WaitlistOffered,
    WaitlistWithdrawn,
)
from fullhouse.webhooks import actions as webhook_actions
from fullhouse.webhooks import jobs as webhook_jobs

# An event's holds and seats follow a change before the public projection does.
_BEFORE_PROJECTION: Mapping[type[Fact], Sequence[SyncHandler]] = {
    facts.EventCreated: (copy_actions.copy_seating,),
    facts.EventCanceled: (
        settle.end_proposals_and_checkouts,
        refund_actions.start_batch,
        queue.close_with_event,
        waitlist.close_with_event,
        holds.release_all,
    ),
    facts.EventEnded: (
        settle.end_proposals_and_checkouts,
        queue.close_with_event,
        waitlist.close_with_event,
        holds.release_all,
    ),
    facts.EventPostponed: (waitlist.withdraw_when_postponed, holds.suspend_or_resume),
    facts.EventRescheduled: (waitlist.withdraw_when_postponed, holds.resume),
    facts.EventPublished: (waitlist.withdraw_when_postponed, holds.resume, type_actions.move_days),
    facts.EventStarted: (waitlist.withdraw_when_postponed, holds.resume, type_actions.move_days),
    facts.EventUpdated: (
        type_actions.move_days,
        holds.refuse_move_without_consent,
        waitlist.withdraw_outside_window,
        holds.release_outside_window,
        capacity_actions.check_event_limit,
        type_actions.check_capacity,
        overlay_actions.apply_venue_change,
    ),
    facts.EventUnpublished: (holds.refuse_while_in_sale,),
}

SYNC: Mapping[type[Fact], Sequence[SyncHandler]] = {
    OrganizationChanged: (public_actions.invalidate_organization,),
    OrganizationStatusChanged: (public_actions.invalidate_organization,),
    facts.VenueChanged: (capacity_actions.check_venue_limit, type_actions.invalidate_offers_of_venue),
    facts.LimitsJudged: (checkouts.end_overdue, capacity_actions.end_overdue),
    GuestSignedIn: (guest_actions.hand_over_guest,),
    SeatsBlocked: (waitlist.withdraw_seats, holds.release_blocked),
    SeatsReleased: (waitlist.withdraw_seats, holds.release_blocked),
    QueueOpened: (holds.admit_holders,),
    PaymentCaptured: (settle.settle,),
    PaymentFailed: (settle.reopen_after_failure,),
    RefundFound: (refund_actions.record_provider_refund,),
    TicketTypesChanged: (public_actions.update_stock_after, type_actions.invalidate_prices),
    EventLayoutChanged: (
        reads.invalidate_seating,
        waitlist.update_neighbours,
        public_actions.update_stock_after,
        type_actions.invalidate_prices,
    ),
    CompanionsReleased: (reads.invalidate_seating,),
    EventPolicyChanged: (reads.invalidate_seating,),
    LayoutMigrating: (waitlist.withdraw_for_layout,),
    LayoutMigrated: (
        reads.invalidate_seating,
        waitlist.update_neighbours,
        move_actions.reissue_tickets,
        fold_actions.recount_zones,
        public_actions.update_stock_after,
        type_actions.invalidate_prices,
    ),
    SeatingPolicyChanged: (reads.invalidate_policy,),
    **{
        fact: (*_BEFORE_PROJECTION.get(fact, ()), public_actions.update_projection, type_actions.invalidate_prices)
        for fact in facts.EVENT_FACTS
    },
}

# An async handler's name is stored with the facts that it has processed: it must not change, even if the function does.
# These are the names that were stored before handlers had names of their own.
_FORMER_NAMES = {
    "notices.email_ticket_holders": "fullhouse.messaging.notice_actions.tell_people",
    "notices.email_waitlist": "fullhouse.messaging.notice_actions.tell_waiting",
    "orders.email_cancelled": "fullhouse.messaging.handout_actions.Handout.tell_called_off",
    "orders.email_other_seats": "fullhouse.messaging.handout_actions.Handout.tell_other_seats",
    "orders.email_paid_twice": "fullhouse.messaging.handout_actions.Handout.tell_paid_twice",
    "orders.follow_sale": "fullhouse.checkout.settle_actions.follow_sale",
    "orders.follow_void": "fullhouse.checkout.refund_actions.follow_void",
    "participants.count": "fullhouse.messaging.actions.follow_join",
    "refunds.email": "fullhouse.messaging.handout_actions.Handout.tell_refunded",
    "tickets.email": "fullhouse.messaging.handout_actions.Handout.send_tickets",
    "tickets.email_moved_seats": "fullhouse.messaging.receipt_actions.tell_moved",
    "tickets.email_transfer": "fullhouse.messaging.handout_actions.Handout.tell_transfer",
    "waitlist.email_joined": "fullhouse.messaging.waiting_actions.WaitingLetters.tell_joined",
    "waitlist.email_lapsed": "fullhouse.messaging.waiting_actions.WaitingLetters.tell_lapsed",
    "waitlist.email_offered": "fullhouse.messaging.waiting_actions.WaitingLetters.tell_offered",
    "waitlist.offer_returned_places": "fullhouse.checkout.waitlist_actions.follow_return",
    "webhooks.deliver": "fullhouse.messaging.webhook_actions.deliver_later",
}


def _async_handler(name: str, run: Callable[[Tx, Message], Awaitable[None]]) -> AsyncHandler:
    return AsyncHandler(name, run, (_FORMER_NAMES[name],) if name in _FORMER_NAMES else ())


_EMAIL_TICKET_HOLDERS = _async_handler("notices.email_ticket_holders", notice_actions.email_ticket_holders)
_EMAIL_WAITLIST = _async_handler("notices.email_waitlist", notice_actions.email_waitlist)
_EMAIL_MOVED_SEATS = _async_handler("tickets.email_moved_seats", seat_emails.email_moved_seats)
_OFFER_RETURNED_PLACES = _async_handler("waitlist.offer_returned_places", waitlist.serve_after_return)
_FOLLOW_VOID = _async_handler("orders.follow_void", refund_actions.update_after_void)
_FOLLOW_SALE = _async_handler("orders.follow_sale", settle.update_after_sale)
_COUNT_PARTICIPANTS = _async_handler("participants.count", participants.apply_join)
_DELIVER_WEBHOOKS = _async_handler("webhooks.deliver", webhook_actions.enqueue_deliveries)
ASYNC: Mapping[type[Fact], Sequence[AsyncHandler]] = {
    facts.EventCanceled: (_EMAIL_TICKET_HOLDERS, _EMAIL_WAITLIST),
    facts.EventPostponed: (_EMAIL_TICKET_HOLDERS,),
    facts.EventRescheduled: (_EMAIL_TICKET_HOLDERS,),
    facts.EventUpdated: (_EMAIL_TICKET_HOLDERS, _OFFER_RETURNED_PLACES),
    LayoutMigrated: (_EMAIL_MOVED_SEATS,),
    TicketVoided: (_FOLLOW_VOID, _OFFER_RETURNED_PLACES),
    TicketTypesChanged: (_OFFER_RETURNED_PLACES,),
    SeatsBlocked: (_OFFER_RETURNED_PLACES,),
    WaitlistLapsed: (_OFFER_RETURNED_PLACES,),
    WaitlistLeft: (_OFFER_RETURNED_PLACES,),
    WaitlistWithdrawn: (_OFFER_RETURNED_PLACES,),
    OrderPaid: (_FOLLOW_SALE,),
    JoinConfirmed: (_COUNT_PARTICIPANTS,),
    JoinCanceled: (_COUNT_PARTICIPANTS,),
}
ASYNC_ALL: Mapping[AsyncHandler, FactFilter] = {_DELIVER_WEBHOOKS: webhook_actions.filter_subscribed}


def register_handlers(public_url: str) -> None:
    """Registers the sync handlers and the writer of emails. Every entry point calls it before its first transaction."""
    outbox.wire(SYNC)
    mailbox.wire(mail_actions.create_email_writer(public_url))


async def find_organization_of(services: Services, ids: Mapping[str, UUID]) -> UUID | None:
    """The organisation that a platform route's address refers to: its audit records refused attempts."""
    async with services.database.without_tenant() as tx:
        if event_id := ids.get("event_id"):
            return await events.organization_of_event(tx, event_id)
        organization = await accounts.organization_by_id(tx, ids.get("organization_id"))
        return organization.id if organization else None


def async_handlers(services: Services) -> Mapping[type[Fact], Sequence[AsyncHandler]]:
    """ASYNC, and the handlers that need the installation's keys: emails with tickets, or links that grant access."""
    ticket_emails, waitlist_emails = TicketEmails(services), WaitlistEmails(services)
    keyed: Mapping[type[Fact], AsyncHandler] = {
        OrderPaid: _async_handler("tickets.email", ticket_emails.send_tickets),
        OrderRefunded: _async_handler("refunds.email", ticket_emails.send_refunded),
        OrderNeedsConsent: _async_handler("orders.email_other_seats", ticket_emails.send_other_seats),
        OrderCancelled: _async_handler("orders.email_cancelled", ticket_emails.send_order_cancelled),
        OrderPaidTwice: _async_handler("orders.email_paid_twice", ticket_emails.send_paid_twice),
        TicketTransferred: _async_handler("tickets.email_transfer", ticket_emails.send_transfer),
        WaitlistJoined: _async_handler("waitlist.email_joined", waitlist_emails.send_joined),
        WaitlistOffered: _async_handler("waitlist.email_offered", waitlist_emails.send_offered),
        WaitlistLapsed: _async_handler("waitlist.email_lapsed", waitlist_emails.send_lapsed),
    }
    return {fact: (*ASYNC.get(fact, ()), *filter(None, [keyed.get(fact)])) for fact in {**ASYNC, **keyed}}


def attachment_makers(services: Services) -> Mapping[str, AttachmentMaker]:
    """Makers of email attachments, by the kind that the template names. They run when the email is sent."""
    ticket_emails = TicketEmails(services)
    return {
        "tickets.pdf": ticket_emails.render_tickets_pdf,
        "ticket.pdf": ticket_emails.render_ticket_pdf,
        "show.ics": ticket_emails.render_event_ics,
    }


# The parts of every API process: created with the services, started and stopped with them.
PARTS: tuple[type[Part], ...] = (
    ViewCounter, EventChannelPublisher, SeatingConfigCache, SeatStateCache, SeatChangePublisher, WaitingRooms,
    SaleContexts, Engine, RefusalAudit, Scanning, RedisMirror, HoldLogger, HeldSeatStream, LiveOffers, Providers,
    SettlementBatcher,
)  # fmt: skip
# The parts of a worker, which expires holds too.
WORKER_PARTS: tuple[type[Part], ...] = (EventChannelPublisher, SeatStateCache, RedisMirror, HoldLogger, Providers)


def part_settings(config: Config) -> Mapping[type[Any], Any]:
    """Settings that parts get injected, by type."""
    return {StripeKeys: config.stripe} if config.stripe else {}


def job_handlers(config: Config, services: Services) -> Mapping[str, Handler]:
    return {
        webhook_actions.JOB: webhook_jobs.Sender(services.keyring, services.safe_http).deliver,
        mailbox.JOB: Mailer(config.smtp_url, config.smtp_from, attachment_makers(services)).deliver,
        notice_actions.JOB: notice_actions.send_page,
    }


def file_storage(config: Config) -> Files:
    """The S3 bucket if one is configured, otherwise a folder in the state folder."""
    return S3(config.s3) if config.s3 else Disk(config.home / "images")
