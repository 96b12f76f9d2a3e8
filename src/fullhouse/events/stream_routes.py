"""Shows as they change, over Server-Sent Events: `snapshot` first, then an `event` for each change.

A public stream says no more than the public may know: which show, from which status to which, and the dates.
"""

from typing import Any
from uuid import UUID

from fullhouse.events import policy, store
from fullhouse.events.public_model import EventNotFound, PublicEvent
from fullhouse.kit.actors import Principal
from fullhouse.kit.broadcast import Channel, News
from fullhouse.kit.http.endpoints import get
from fullhouse.kit.limits import Limit
from fullhouse.kit.services import Services

LISTED_MAX = 200
OPENINGS = Limit(600, 60)  # from one network; a stream lasts about a minute
_SHOWN = ("fact", "event_id", "old_status", "new_status", "rescheduled_at", "replaced_by_event_id")


@get("/api/org/stream", "events.read")
async def stream_organization(services: Services, who: Principal) -> Channel:
    """The organisation's shows, live.

    Server-Sent Events. `snapshot` has the shows that are published, live or postponed: at most 200, the next one first.
    `event` tells a change of any show. A stream ends after about a minute; a browser comes back by itself, and says
    with `Last-Event-ID` what it has seen.
    """
    organization_id = who.organization_id

    async def snapshot() -> dict[str, list[store.RunningEvent]]:
        async with services.database.tenant(organization_id) as tx:
            return {"events": await store.running_events(tx, organization_id, LISTED_MAX)}

    topic = f"events:org:{organization_id}"
    return Channel(topic, {topic: _told}, snapshot)


@get("/api/events/{event_id:uuid}/stream", public=True, limit=OPENINGS)
async def stream_event(services: Services, event_id: UUID) -> Channel:
    """One public show, live.

    Server-Sent Events. `snapshot` has the show as the public sees it, `event` tells a change of its status, its dates
    or its details. When the public may not see it any more, the stream says so and ends for good.
    """

    async def snapshot() -> PublicEvent:
        async with services.database.nobody() as tx:
            event = await store.public_event(tx, event_id)
        if event is None:
            raise EventNotFound()
        return event

    topic = f"events:event:{event_id}"
    return Channel(topic, {topic: _told_in_public}, snapshot)


def _told(news: Any) -> News:
    return News("event", {name: news[name] for name in _SHOWN})


def _told_in_public(news: Any) -> News | None:
    """News may come late: how a draft was made is not for the public, and ends nothing."""
    was, is_now = policy.is_visible(news["old_status"]), policy.is_visible(news["new_status"])
    return _told(news)._replace(last=not is_now) if was or is_now else None


handlers = [stream_organization, stream_event]
