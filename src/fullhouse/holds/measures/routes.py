"""HTTP routes of the measures."""

from uuid import UUID

from fullhouse.holds.measures import reads
from fullhouse.holds.measures.reads import EventMeasures, Measures
from fullhouse.kit.actors import Principal
from fullhouse.kit.cache.limits import Limit
from fullhouse.kit.http.endpoints import get
from fullhouse.kit.services import Services


@get("/api/org/metrics", "sales.read", limit=Limit(30, 60))
async def get_measures(services: Services, who: Principal) -> Measures:
    """Measures of all events on sale, each with its target range and the limits beyond which it needs attention."""
    return await reads.read_measures(services, who.organization_id)


@get("/api/events/{event_id:uuid}/metrics", "sales.read", limit=Limit(30, 60))
async def get_event_measures(services: Services, who: Principal, event_id: UUID) -> EventMeasures:
    """Measures of one event, each with its target range and the limits beyond which it needs attention."""
    return await reads.read_event_measures(services, who.organization_id, event_id)


handlers = [get_measures, get_event_measures]
