"""Who reacts to what, at one glance.

SYNC runs inside the transaction that announces the fact, in this order: an exception there undoes everything.
JOBS are calls to the outside that a worker makes later, at least once.
"""

from collections.abc import Mapping, Sequence
from uuid import UUID

from fullhouse.accounts import store as accounts
from fullhouse.accounts.facts import OrganizationChanged, OrganizationStatusChanged
from fullhouse.config import Config
from fullhouse.events import facts, public_actions
from fullhouse.events import store as events
from fullhouse.events.views import Views
from fullhouse.holds import actions as holds
from fullhouse.holds.engine import Engine
from fullhouse.holds.warm import WarmHolds
from fullhouse.holds.watch import Journal
from fullhouse.kit import mail
from fullhouse.kit.files import S3, Disk, Files
from fullhouse.kit.jobs import Handler
from fullhouse.kit.outbox import Consequence, Fact
from fullhouse.kit.services import Part, Services
from fullhouse.seating import overlay_actions, reads
from fullhouse.seating.facts import EventLayoutChanged, LayoutMigrated, SeatingPolicyChanged, SeatsBlocked
from fullhouse.seating.halls import Halls
from fullhouse.seating.live import Live

# What happens to a show happens to what is held of it and to its seats, before the public sees it.
_BEFORE_THE_PUBLIC: Mapping[type[Fact], Sequence[Consequence]] = {
    facts.EventCanceled: (holds.release_all,),
    facts.EventEnded: (holds.release_all,),
    facts.EventPostponed: (holds.suspend_or_resume,),
    facts.EventRescheduled: (holds.resume,),
    facts.EventPublished: (holds.resume,),
    facts.EventStarted: (holds.resume,),
    facts.EventUpdated: (
        holds.refuse_move_without_consent,
        holds.end_overdue,
        holds.release_outside_window,
        overlay_actions.follow,
    ),
    facts.EventUnpublished: (holds.refuse_while_in_sale,),
}

SYNC: Mapping[type[Fact], Sequence[Consequence]] = {
    OrganizationChanged: (public_actions.forget_house,),
    OrganizationStatusChanged: (public_actions.forget_house,),
    SeatsBlocked: (holds.release_blocked,),
    EventLayoutChanged: (reads.forget_seating,),
    LayoutMigrated: (reads.forget_seating,),
    SeatingPolicyChanged: (reads.forget_policy,),
    **{fact: (*_BEFORE_THE_PUBLIC.get(fact, ()), public_actions.project) for fact in facts.ABOUT_A_SHOW},
}


async def organization_of(services: Services, ids: Mapping[str, UUID]) -> UUID | None:
    """Whose thing an address of the platform's names: that organisation's audit hears who tried."""
    async with services.database.nobody() as tx:
        if event_id := ids.get("event_id"):
            return await events.organization_of_event(tx, event_id)
        organization = await accounts.organization_by_id(tx, ids.get("organization_id"))
        return organization.id if organization else None


# What a room keeps in every API process: made with the services, started and stopped with them.
PARTS: tuple[type[Part], ...] = (Views, Halls, Live, Engine, WarmHolds, Journal)
# And in a worker, which ends holds too.
WORKER_PARTS: tuple[type[Part], ...] = (Halls, WarmHolds, Journal)


def jobs(config: Config) -> Mapping[str, Handler]:
    return {
        mail.JOB: mail.Postman(config.smtp_url, config.smtp_from).deliver,
    }


def files(config: Config) -> Files:
    """The bucket if one is named, otherwise a folder beside the other state."""
    return S3(config.s3) if config.s3 else Disk(config.home / "images")
