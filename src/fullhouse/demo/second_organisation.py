"""A second, small organisation on the same installation, so that platform staff have more than one to look at.

Its users have no passwords. One event is postponed; for another one the audit has a refused attempt of platform staff
to postpone it without the organisation's approval.
"""

from uuid import UUID

from fullhouse.accounts import actions
from fullhouse.accounts.model import ChangeOrganization, PlatformUser, Role, User
from fullhouse.demo import rows
from fullhouse.demo.events import EventPlan, VenuePlan
from fullhouse.events import store as events
from fullhouse.events.model import NewVenue
from fullhouse.events.policy import Move
from fullhouse.kit.db.database import Tx
from fullhouse.kit.ids import new_id
from fullhouse.seating.plans.generators import Theatre, generate
from fullhouse.tickets.types.model import NewTicketType

SLUG, NAME = "karoo-folk-club", "Karoo Folk Club"
SETTINGS = ChangeOrganization(currency="ZAR", timezone="Africa/Johannesburg")
OWNER = ("anna.visagie@demo.example", "Anna Visagie")
REFUSED_EVENT = "Dust and Fiddles"
VENUE = VenuePlan(
    NewVenue(
        name="Old Mill Hall",
        city="Prince Albert",
        country="ZA",
        timezone="Africa/Johannesburg",
        address="12 Church Street, Prince Albert",
        latitude=-33.2253,
        longitude=22.0297,
        max_capacity=120,
    ),
    (("DOOR", "Front door", 120),),
    lambda: generate(
        Theatre(
            name="Old Mill Hall",
            stalls_rows=8,
            stalls_seats=14,
            circle_rows=0,
            aisles=1,
            premium_rows=2,
            wheelchair_places=2,
        )
    ),
    (
        EventPlan(
            REFUSED_EVENT, "concert", "Four fiddles, a drum, and a floor that gives.", 13, sold=0.58, art="records"
        ),
        EventPlan(
            "Songs from the Long Road",
            "concert",
            "One voice, one guitar, eleven hundred kilometres.",
            24,
            sold=0.22,
            moves=(Move.PUBLISH, Move.POSTPONE),
            art="hills",
        ),
        EventPlan("Open Stage in Summer", "concert", "Bring a song.", 61, moves=(), art="arches"),
    ),
    (NewTicketType(name="Seat", kind="seated", price=18000, currency="ZAR", prices={"premium": 24000}),),
)


async def record_refused_postponement(tx: Tx, manager: PlatformUser) -> None:
    """Writes the audit row that the platform's route writes: a tenant manager without the organisation's approval."""
    found = await events.list_events(
        tx,
        statuses=None,
        slug=None,
        venue_id=None,
        since=None,
        until=None,
        after_at=None,
        after_id=None,
        limit=100,
    )
    await rows.insert_rows(
        tx,
        "audit_log",
        [
            {
                "id": new_id(),
                "created_at": await tx.now(),
                "actor_type": "platform",
                "actor_id": manager.id,
                "actor_name": manager.name,
                "action": "event.postpone_refused",
                "entity_type": "event",
                "entity_id": event.id,
                "reason": "Flood warning for the town; the organisation has been asked.",
            }
            for event in found
            if event.name == REFUSED_EVENT
        ],
    )


async def create_organisation(tx: Tx, organization_id: UUID) -> User:
    """Creates the organisation without events, and its owner."""
    await actions.create_organization(tx, organization_id, SLUG, NAME)
    await actions.change_organization(tx, SETTINGS)
    return await actions.create_user(tx, email=OWNER[0], name=OWNER[1], role=Role.OWNER)
