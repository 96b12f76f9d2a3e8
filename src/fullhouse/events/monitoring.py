"""Logs and counts every change of an event's status, and every refused schedule, for operators."""

from uuid import UUID

import structlog
from prometheus_client import Counter

from fullhouse.events.facts import EventFact
from fullhouse.events.model import Event, NewEvent
from fullhouse.kit.actors import Actor

STATUS_CHANGES = Counter(
    "fullhouse_event_status_changes_total", "Changes of an event's status that were committed", ["old", "new"]
)
ANOMALIES = Counter(
    "fullhouse_event_anomalies_total", "Schedules that were refused or could not be applied, by kind", ["kind"]
)
log = structlog.get_logger()


def record_status_change(organization_id: UUID, actor: Actor, before: Event, after: Event, fact: EventFact) -> None:
    """Called after the commit, so that a rolled-back change is not counted."""
    STATUS_CHANGES.labels(before.status, after.status).inc()
    log.info(
        "event.status_changed",
        **_ids(organization_id, after.id, after.venue_id),
        old_status=before.status,
        new_status=after.status,
        fact=fact.name,
        reason=fact.reason,
        rescheduled_at=after.rescheduled_at and after.rescheduled_at.isoformat(),
        actor_type=actor.type,
        actor_id=actor.id and str(actor.id),
    )


def record_anomaly(kind: str, detail: str | None, organization_id: UUID | None, about: Event | NewEvent | None) -> None:
    ANOMALIES.labels(kind).inc()
    ids = _ids(organization_id, getattr(about, "id", None), about.venue_id if about else None)
    log.warning("event.schedule_anomaly", kind=kind, detail=detail, **ids)


def _ids(organization_id: UUID | None, event_id: UUID | None, venue_id: UUID | None) -> dict[str, str | None]:
    ids = {"organization_id": organization_id, "event_id": event_id, "venue_id": venue_id}
    return {name: str(value) if value else None for name, value in ids.items()}
