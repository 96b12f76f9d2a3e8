"""Shows for tests: over HTTP, by the room's own verbs, and as plain values for the policies."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import httpx
import msgspec

from fullhouse.events import actions, store
from fullhouse.events.model import Event, NewEvent, NewVenue, Status
from fullhouse.events.policy import Move
from fullhouse.events.venues import actions as venue_actions
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from tests.accounts.helpers import data
from tests.fixtures import Client, Tenant

HALL: dict[str, Any] = {
    "name": "Grande Salle",
    "city": "Liège",
    "country": "BE",
    "timezone": "Europe/Brussels",
    "address": "Place Xavier-Neujean 7, Liège",
}
# Far enough away that no test ever meets these dates.
SHOW: dict[str, Any] = {
    "name": "The Tempest",
    "description": "An island, a storm, a duke.",
    "category": "theatre",
    "start_at": "2090-06-01T19:00:00Z",
    "end_at": "2090-06-01T21:30:00Z",
}
# One grey pixel.
PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b550000000a49444154789c636800000082008177"
    "cd72b60000000049454e44ae426082"
)
NEW_DATE = "2090-09-01T19:00:00Z"
STATUSES = [status.value for status in Status]

# How a draft gets to each status; a postponed show with its new date, from which every move is possible.
WAYS: dict[str, list[str]] = {
    "draft": [],
    "published": ["publish"],
    "live": ["publish", "start"],
    "ended": ["publish", "start", "end"],
    "cancelled": ["publish", "cancel"],
    "postponed": ["publish", "postpone", "reschedule"],
    "archived": ["archive"],
}
BODIES: dict[str, dict[str, Any]] = {
    "unpublish": {},
    "cancel": {"reason": "The roof leaks"},
    "postpone": {"reason": "Storm warning"},
    "reschedule": {"rescheduled_at": NEW_DATE},
}


async def make_venue(client: Client, **more: Any) -> Any:
    return data(await client.post("/api/venues", json=HALL | more), 201)


async def poster(client: Client) -> str:
    """An uploaded picture. The same one every time."""
    answer = await client.post("/api/images", content=PICTURE, headers={"content-type": "image/png"})
    image_id: str = data(answer, 201)["id"]
    return image_id


async def draft(client: Client, **more: Any) -> Any:
    """A show at `venue_id`, or at a venue of its own."""
    venue_id = more.pop("venue_id", None) or (await make_venue(client))["id"]
    cover = {"cover_image_ids": [await poster(client)]} if "cover_image_ids" not in more else {}
    return data(await client.post("/api/events", json=SHOW | {"venue_id": venue_id} | cover | more), 201)


async def move(client: Client, event: Any, name: str, **body: Any) -> httpx.Response:
    json = BODIES[name] | body if name in BODIES else None
    return await client.post(f"/api/events/{event['id']}/{name}", json=json)


ENTRY: dict[str, Any] = {"name": "Entry", "kind": "ga", "price": 1000, "currency": "EUR", "quantity": 100}


async def show_in(client: Client, status: str, **more: Any) -> Any:
    """A show that has come to this status by the ordinary way, with something to sell (`tickets=True`) or without."""
    tickets = more.pop("tickets", False)
    event = await draft(client, **more)
    if tickets:
        data(await client.post(f"/api/events/{event['id']}/ticket-types", json=ENTRY), 201)
    for name in WAYS[status]:
        event = data(await move(client, event, name))
    assert event["status"] == status
    return event


async def read(client: Client, event: Any) -> Any:
    return data(await client.get(f"/api/events/{event['id']}"))


async def trail(owner: Any, tenant: Tenant, event: Any) -> list[dict[str, Any]]:
    """The audit of a show, oldest first."""
    rows = await owner.fetch(
        "SELECT action, actor_type, actor_id, before::text, after::text, reason, approval_reference, ip"
        " FROM audit_log WHERE organization_id = $1 AND entity_id::text = $2 ORDER BY created_at, id",
        tenant.id,
        _id(event),
    )
    return [
        dict(row) | {side: msgspec.json.decode(row[side] or "null") for side in ("before", "after")} for row in rows
    ]


async def announced(owner: Any, event: Any) -> list[dict[str, Any]]:
    """The facts about a show, as the outbox has them, each with its name."""
    rows = await owner.fetch(
        "SELECT name, payload::text FROM outbox WHERE subject_id::text = $1 ORDER BY seq", _id(event)
    )
    return [{"name": row["name"], **msgspec.json.decode(row["payload"])} for row in rows]


def _id(event: Any) -> str:
    return str(event.id if isinstance(event, Event) else event["id"])


# --- straight from the room

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


async def make_picture(tx: Tx) -> UUID:
    """Its row, which is all that a show asks for."""
    image = await store.insert_image(tx, id=new_id(), digest="0" * 64, width=1, height=1, bytes=1, created_by=None)
    assert image
    await audit.write(tx, "image.uploaded", "image", image.id)
    return image.id


async def make_show(services: Services, tenant: Tenant, *moves: Move, **more: Any) -> Event:
    """A show of four hours in thirty days, doors two hours before; `more` is said of the draft."""
    who = tenant.principal("owner")
    async with services.database.tenant(tenant.id, who.actor) as tx:
        venue = await venue_actions.create_venue(tx, who, NewVenue(**HALL))
        start = await tx.now() + 30 * DAY
        usual = {"start_at": start, "end_at": start + 4 * HOUR, "doors_at": start - 2 * HOUR}
        cover = {"cover_image_ids": [await make_picture(tx)]}
        words = {name: SHOW[name] for name in ("name", "description", "category")}
        event = await actions.create_event(tx, who, NewEvent(**{"venue_id": venue.id} | words | cover | usual | more))
        for move in moves:
            event = await actions.move_event(tx, event.id, move, reason="a test")
    return event


# --- without a database

NOW = datetime(2030, 3, 1, 12, tzinfo=UTC)


def show(**more: Any) -> Event:
    """A draft of NOW for an evening thirty days later: doors an hour before, two hours long, sold until it begins."""
    start = NOW + 30 * DAY
    usual: dict[str, Any] = {
        "id": new_id(),
        "venue_id": new_id(),
        "slug": "the-tempest",
        "name": "The Tempest",
        "description": "An island, a storm, a duke.",
        "category": "theatre",
        "status": "draft",
        "start_at": start,
        "end_at": start + 2 * HOUR,
        "doors_at": start - HOUR,
        "sale_start_at": NOW,
        "sale_end_at": start,
        "rescheduled_at": None,
        "capacity": 0,
        "settings": {},
        "venue_name": "Grande Salle",
        "city": "Liège",
        "country": "BE",
        "address": None,
        "timezone": "Europe/Brussels",
        "cover_image_ids": [],
        "recurrence_group_id": None,
        "replaced_by_event_id": None,
        "postponement_reason": None,
        "cancellation_reason": None,
        "created_by": None,
        "version": 1,
        "published_at": None,
        "cancelled_at": None,
        "created_at": NOW,
        "updated_at": NOW,
    }
    return Event(**usual | more)
