"""An event's seating over HTTP, for its organisers: the overlay, blocked seats, guests, the policy, migrations."""

from uuid import UUID

from fullhouse.events import actions as events
from fullhouse.kit.actors import Principal
from fullhouse.kit.db.cursors import LIMIT, Cursors, Page, page_by_age
from fullhouse.kit.db.database import Tx
from fullhouse.kit.http.endpoints import DataWithHeaders, delete, get, post, put
from fullhouse.kit.http.parameters import After, IfMatch, PageSize
from fullhouse.kit.http.versions import etag
from fullhouse.kit.services import Services
from fullhouse.seating import policy_actions as policies
from fullhouse.seating import store
from fullhouse.seating.model import (
    LIST_MAX_BYTES,
    AddGuests,
    AttachLayout,
    EventLayout,
    EventLayoutView,
    Guest,
    LayoutMigration,
    LayoutMigrationView,
    PlanMigration,
    PolicyValue,
    SeatChoice,
    SetEventPolicy,
)
from fullhouse.seating.overlay import actions, seat_actions
from fullhouse.seating.relocation import actions as relocation_actions

OVERLAY_MAX_BYTES = 12 * 2**20  # every seat of an arena, listed as blocked
SLOW_S = 60.0


@get("/api/events/{event_id:uuid}/layout", "seating.read")
async def get_event_layout(tx: Tx, event_id: UUID) -> DataWithHeaders[EventLayoutView]:
    """An event's layout version and what differs from it."""
    return await _to_response(tx, await actions.get_event_layout(tx, event_id))


@put("/api/events/{event_id:uuid}/layout", "seating.write", body_limit=OVERLAY_MAX_BYTES, deadline_s=SLOW_S)
async def attach_layout(
    tx: Tx, event_id: UUID, data: AttachLayout, if_match: IfMatch = None
) -> DataWithHeaders[EventLayoutView]:
    """Set an event's whole seating and create its seats. Refused once seats are held or sold."""
    return await _to_response(tx, await actions.attach(tx, event_id, data, if_match))


@delete("/api/events/{event_id:uuid}/layout", "seating.write", deadline_s=SLOW_S)
async def detach_layout(tx: Tx, event_id: UUID) -> None:
    """Remove an event's layout and seats. Refused once seats are held or sold."""
    await actions.detach(tx, event_id)


@post("/api/events/{event_id:uuid}/seats/block", "seating.write", status=200, body_limit=LIST_MAX_BYTES)
async def block_seats(tx: Tx, event_id: UUID, data: SeatChoice) -> dict[str, int]:
    """Block seats from sale, with a reason. Holds on them end; sold seats are refused."""
    return {"blocked": await seat_actions.block(tx, event_id, data)}


@post("/api/events/{event_id:uuid}/seats/unblock", "seating.write", status=200, body_limit=LIST_MAX_BYTES)
async def unblock_seats(tx: Tx, event_id: UUID, data: SeatChoice) -> dict[str, int]:
    """Put blocked seats back on sale, with a reason."""
    return {"unblocked": await seat_actions.unblock(tx, event_id, data)}


@get("/api/events/{event_id:uuid}/zones/{zone_id:uuid}/guests", "seating.read")
async def list_guests(
    tx: Tx, services: Services, event_id: UUID, zone_id: UUID, limit: PageSize = LIMIT, cursor: After = None
) -> Page[Guest]:
    """The guest list of a zone, by email address."""
    await actions.require_zone(tx, event_id, zone_id)
    cursors = Cursors(services.keyring, "guests", tx.organization_id, event_id, zone_id)
    (after,) = cursors.read(cursor, str) or (None,)
    rows = await store.list_guests(tx, event_id=event_id, zone_id=zone_id, after_email=after, limit=limit + 1)
    return cursors.page(rows, limit, "email")


@post("/api/events/{event_id:uuid}/zones/{zone_id:uuid}/guests", "seating.write", status=200, body_limit=LIST_MAX_BYTES)
async def add_guests(tx: Tx, event_id: UUID, zone_id: UUID, data: AddGuests) -> dict[str, int]:
    """Add people to a zone's guest list."""
    return {"listed": await actions.add_guests(tx, event_id, zone_id, data)}


@delete("/api/events/{event_id:uuid}/zones/{zone_id:uuid}/guests/{email:str}", "seating.write")
async def remove_guest(tx: Tx, event_id: UUID, zone_id: UUID, email: str) -> None:
    """Remove a person from a zone's guest list."""
    await actions.remove_guest(tx, event_id, zone_id, email)


@get("/api/org/seating-policy", "seating.read")
async def get_seating_policy(tx: Tx) -> list[PolicyValue]:
    """The organisation's seating policy: each value, and which level sets it."""
    return await policies.load_effective_policy(tx)


@get("/api/events/{event_id:uuid}/seating-policy", "seating.read")
async def get_event_seating_policy(tx: Tx, event_id: UUID) -> list[PolicyValue]:
    """The effective seating policy of an event."""
    await events.require_event(tx, event_id)
    return await policies.load_effective_policy(tx, event_id)


@put("/api/events/{event_id:uuid}/seating-policy", "seating.write")
async def set_event_seating_policy(
    tx: Tx, event_id: UUID, data: SetEventPolicy, if_match: IfMatch = None
) -> DataWithHeaders[list[PolicyValue]]:
    """Set the fields in which an event differs from its organisation's policy, also during the sale."""
    overlay = await policies.set_event_policy(tx, event_id, data, if_match)
    return DataWithHeaders(await policies.load_effective_policy(tx, event_id), {"etag": etag(overlay.version)})


@get("/api/events/{event_id:uuid}/layout/migrations", "seating.read")
async def list_migrations(
    tx: Tx, services: Services, event_id: UUID, limit: PageSize = LIMIT, cursor: After = None
) -> Page[LayoutMigration]:
    """An event's migrations to other layout versions, planned, applied or discarded."""
    await events.require_event(tx, event_id)
    return await page_by_age(
        tx, services.keyring, "migrations", store.list_migrations, cursor, limit, event_id=event_id
    )


@post(
    "/api/events/{event_id:uuid}/layout/migrations", "seating.migrate", location="/api/layout-migrations/{id}",
    deadline_s=SLOW_S,
)  # fmt: skip
async def plan_migration(tx: Tx, who: Principal, event_id: UUID, data: PlanMigration) -> LayoutMigrationView:
    """Plan who would sit where on another version of the layout. Nothing moves yet."""
    return await relocation_actions.to_view(tx, await relocation_actions.plan(tx, who, event_id, data))


@get("/api/layout-migrations/{migration_id:uuid}", "seating.read")
async def get_migration(tx: Tx, migration_id: UUID) -> LayoutMigrationView:
    """One migration, with the new seat of each ticket."""
    return await relocation_actions.to_view(tx, await relocation_actions.get_migration(tx, migration_id))


@post("/api/layout-migrations/{migration_id:uuid}/approve", "seating.migrate", status=200, deadline_s=SLOW_S)
async def approve_migration(tx: Tx, who: Principal, migration_id: UUID) -> LayoutMigrationView:
    """Apply a planned migration to all tickets at once, or fail without any change."""
    return await relocation_actions.to_view(tx, await relocation_actions.approve(tx, who, migration_id))


@post("/api/layout-migrations/{migration_id:uuid}/discard", "seating.migrate", status=200)
async def discard_migration(tx: Tx, who: Principal, migration_id: UUID) -> LayoutMigrationView:
    """Discard a planned migration."""
    return await relocation_actions.to_view(tx, await relocation_actions.discard(tx, who, migration_id))


async def _to_response(tx: Tx, overlay: EventLayout) -> DataWithHeaders[EventLayoutView]:
    return DataWithHeaders(await actions.to_view(tx, overlay), {"etag": etag(overlay.version)})


handlers = [
    get_event_layout, attach_layout, detach_layout, block_seats, unblock_seats, list_guests, add_guests, remove_guest,
    get_seating_policy, get_event_seating_policy, set_event_seating_policy, list_migrations, plan_migration,
    get_migration, approve_migration, discard_migration,
]  # fmt: skip
