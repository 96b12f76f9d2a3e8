"""HTTP routes of venues and gates."""

from typing import Annotated, Any, Literal
from uuid import UUID

from litestar.params import QueryParameter

from fullhouse.events import store
from fullhouse.events.model import ChangeGate, ChangeVenue, Gate, NewGate, NewVenue, Venue
from fullhouse.events.venues import actions
from fullhouse.kit.actors import Principal
from fullhouse.kit.db.cursors import LIMIT, Page, page_by_age
from fullhouse.kit.db.database import Tx
from fullhouse.kit.http.endpoints import DataWithHeaders, delete, get, patch, post
from fullhouse.kit.http.parameters import After, IfMatch, PageSize
from fullhouse.kit.http.versions import etag
from fullhouse.kit.services import Services


@get("/api/venues", "venues.read")
async def list_venues(
    tx: Tx,
    services: Services,
    city: Annotated[str | None, QueryParameter(max_length=50)] = None,
    timezone: Annotated[str | None, QueryParameter(max_length=64, description="IANA, e.g. Europe/Brussels")] = None,
    limit: PageSize = LIMIT,
    cursor: After = None,
) -> Page[Venue]:
    """Venues, oldest first."""
    return await page_by_age(
        tx, services.keyring, "venues", store.list_venues, cursor, limit, city=city, timezone=timezone
    )


@post("/api/venues", "venues.write", location="/api/venues/{id}")
async def create_venue(tx: Tx, who: Principal, data: NewVenue) -> DataWithHeaders[Venue]:
    """Create a venue. Without a slug, one is made of its name."""
    return _to_reply(await actions.create_venue(tx, who, data))


@get("/api/venues/{venue_id:uuid}", "venues.read")
async def get_venue(tx: Tx, venue_id: UUID) -> DataWithHeaders[Venue]:
    """One venue."""
    return _to_reply(await actions.require_venue(tx, venue_id))


@patch("/api/venues/{venue_id:uuid}", "venues.write")
async def change_venue(
    tx: Tx, who: Principal, venue_id: UUID, data: ChangeVenue, if_match: IfMatch = None
) -> DataWithHeaders[Venue]:
    """Change a venue. Existing events keep their copy of its name, address and time zone."""
    return _to_reply(await actions.change_venue(tx, who, venue_id, data, if_match))


@delete("/api/venues/{venue_id:uuid}", "venues.delete")
async def delete_venue(tx: Tx, venue_id: UUID, if_match: IfMatch = None) -> None:
    """Delete a venue and its gates."""
    await actions.delete_venue(tx, venue_id, if_match)


@get("/api/venues/{venue_id:uuid}/gates", "venues.read")
async def list_gates(
    tx: Tx,
    services: Services,
    venue_id: UUID,
    status: Literal["open", "closed"] | None = None,
    limit: PageSize = LIMIT,
    cursor: After = None,
) -> Page[Gate]:
    """A venue's gates, oldest first."""
    await actions.require_venue(tx, venue_id)
    return await page_by_age(
        tx, services.keyring, "gates", store.list_gates, cursor, limit, venue_id=venue_id, status=status
    )


@post("/api/venues/{venue_id:uuid}/gates", "venues.write", location="/api/gates/{id}")
async def create_gate(tx: Tx, who: Principal, venue_id: UUID, data: NewGate) -> DataWithHeaders[Gate]:
    """Create a gate of a venue."""
    return _to_reply(await actions.create_gate(tx, who, venue_id, data))


@get("/api/gates/{gate_id:uuid}", "venues.read")
async def get_gate(tx: Tx, gate_id: UUID) -> DataWithHeaders[Gate]:
    """One gate."""
    return _to_reply(await actions.require_gate(tx, gate_id))


@patch("/api/gates/{gate_id:uuid}", "venues.write")
async def change_gate(
    tx: Tx, who: Principal, gate_id: UUID, data: ChangeGate, if_match: IfMatch = None
) -> DataWithHeaders[Gate]:
    """Open, close, rename or resize a gate."""
    return _to_reply(await actions.change_gate(tx, who, gate_id, data, if_match))


@delete("/api/gates/{gate_id:uuid}", "venues.delete")
async def delete_gate(tx: Tx, gate_id: UUID, if_match: IfMatch = None) -> None:
    """Delete a gate."""
    await actions.delete_gate(tx, gate_id, if_match)


def _to_reply(row: Any) -> DataWithHeaders[Any]:
    return DataWithHeaders(row, {"etag": etag(row.version)})


handlers = [
    list_venues, create_venue, get_venue, change_venue, delete_venue,
    list_gates, create_gate, get_gate, change_gate, delete_gate,
]  # fmt: skip
