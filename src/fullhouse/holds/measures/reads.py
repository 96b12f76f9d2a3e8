"""Measures of an organisation's sales, each with its usual range."""

from collections.abc import Sequence
from datetime import datetime
from statistics import fmean, pstdev
from typing import Literal
from uuid import UUID

import msgspec

from fullhouse.events.model import EventSummary
from fullhouse.events.public import reads as events
from fullhouse.holds import store
from fullhouse.holds.measures.sale_monitor import (
    ENDED_MIN,
    FULL_MIN,
    USUAL_RANGES,
    Range,
    Sample,
    find_unusual,
    measure_event,
)
from fullhouse.holds.model import HourOfEndings
from fullhouse.kit.services import Services
from fullhouse.kit.telemetry import telemetry
from fullhouse.seating.maps.seat_states import SeatStateCache

State = Literal["good", "watch", "alert", "unknown"]
EVENTS_MAX = 25
SPIKE_MIN = 10  # fewer expiries in one hour are never a spike
OBSERVED_MIN = 100  # loads, writes or reads before their measure counts: a process is slow right after its start

# Of the whole installation, in seconds and ratios.
INSTALLATION = {
    "layout_load": Range(0.0, 0.200, "loading an event's seats is slow: check the database and the cache", 0.0, 0.050),
    "warm_write": Range(0.0, 0.100, "writes to Redis are slow: the cluster may be degraded", 0.0, 0.020),
    "layout_hits": Range(0.80, 1.0, "events are often reloaded: too little memory, or too many changes", 0.95, 1.0),
}


class Measure(msgspec.Struct, frozen=True, kw_only=True):
    """`state` is good, watch, alert, or unknown if there is too little data. Outside `low` to `high` the measure needs
    attention; `value` is a ratio, or in seconds.
    """

    name: str
    value: float | None
    state: State
    low: float
    high: float
    target_low: float
    target_high: float
    why: str | None = None


class EventMeasures(msgspec.Struct, frozen=True, kw_only=True):
    event_id: UUID
    name: str
    start_at: datetime
    rescheduled_at: datetime | None
    timezone: str
    full: float
    measures: list[Measure]


class Expiries(msgspec.Struct, frozen=True, kw_only=True):
    """Holds that ended in the last day, by hour. `spike`: the last hour stands out from the hours before it."""

    hours: list[HourOfEndings]
    usual_max: float
    spike: bool


class Measures(msgspec.Struct, frozen=True, kw_only=True):
    shows: list[EventMeasures]
    more_shows: int  # not listed here
    house: list[Measure]
    expiries: Expiries


async def read_measures(services: Services, organization_id: UUID) -> Measures:
    """Measures of current and upcoming events, the next ones first, and of the installation; and how holds ended in the
    last day."""
    shows = await events.list_upcoming(services, organization_id, None)
    found = [await _find_event_measures(services, organization_id, event) for event in shows[:EVENTS_MAX]]
    async with services.database.tenant(organization_id) as tx:
        hours = await store.count_endings_by_hour(tx, [event.id for event in shows])
    return Measures(
        shows=[event for event in found if event],
        more_shows=max(0, len(shows) - EVENTS_MAX),
        house=_read_installation_measures(),
        expiries=to_expiries(hours),
    )


async def read_event_measures(services: Services, organization_id: UUID, event_id: UUID) -> EventMeasures:
    """The measures of one event. Without a layout there are none."""
    event = await events.require_summary(services, organization_id, event_id)
    found = await _find_event_measures(services, organization_id, event)
    return found or _to_event_measures(event, 0.0, [])


async def _find_event_measures(services: Services, organization_id: UUID, event: EventSummary) -> EventMeasures | None:
    seat_states = await services.part(SeatStateCache).get(organization_id, event.id)
    if seat_states is None:  # without a layout there is nothing to measure
        return None
    async with services.database.tenant(organization_id) as tx:
        endings = await store.count_endings(tx, event.id)
    sample = measure_event(seat_states, {row.status: row.holds for row in endings})
    return _to_event_measures(event, sample.full, to_measures(sample))


def _to_event_measures(event: EventSummary, full: float, found: list[Measure]) -> EventMeasures:
    return EventMeasures(
        event_id=event.id,
        name=event.name,
        start_at=event.start_at,
        rescheduled_at=event.rescheduled_at,
        timezone=event.timezone,
        full=full,
        measures=found,
    )


def to_measures(sample: Sample) -> list[Measure]:
    """All measures; those that the worker warns about (`find_unusual`) are alerts with the same text."""
    warned = find_unusual(sample)
    found = []
    for name, usual in USUAL_RANGES.items():
        value: float | None = getattr(sample, name)
        early = sample.ended < ENDED_MIN if name == "conversion" else sample.full < FULL_MIN
        state: State = "alert" if name in warned else _rate(value, usual)
        if name not in warned and early and state != "good":
            state = "unknown"  # too early to say
        found.append(_to_measure(name, value, usual, state))
    return found


def _read_installation_measures() -> list[Measure]:
    read = telemetry.read_samples(
        "fullhouse_layout_load_seconds", "fullhouse_mirror_write_seconds", "fullhouse_layout_reads"
    )
    where = {s.labels.get("where"): s.value for s in read["fullhouse_layout_reads"] if s.name.endswith("_total")}
    asked = sum(where.values())
    loads, writes = read["fullhouse_layout_load_seconds"], read["fullhouse_mirror_write_seconds"]
    found = {  # the value and the number of observations
        "layout_load": (telemetry.quantile(loads, 0.95), telemetry.count_observations(loads)),
        "warm_write": (telemetry.quantile(writes, 0.95), telemetry.count_observations(writes)),
        "layout_hits": (where.get("memory", 0.0) / asked if asked else None, asked),
    }
    return [to_installation_measure(name, *found[name]) for name in INSTALLATION]


def to_installation_measure(name: str, value: float | None, observed: float) -> Measure:
    """A measure of the installation."""
    state = _rate(value, INSTALLATION[name])
    return _to_measure(name, value, INSTALLATION[name], state if observed >= OBSERVED_MIN else "unknown")


def _rate(value: float | None, usual: Range) -> State:
    if value is None:
        return "unknown"
    if usual.target_low <= value <= usual.target_high:
        return "good"
    return "watch" if usual.low <= value <= usual.high else "alert"


def _to_measure(name: str, value: float | None, usual: Range, state: State) -> Measure:
    return Measure(
        name=name,
        value=value,
        state=state,
        low=usual.low,
        high=usual.high,
        target_low=usual.target_low,
        target_high=usual.target_high,
        why=usual.why if state == "alert" else None,
    )


def to_expiries(hours: Sequence[HourOfEndings]) -> Expiries:
    """The last hour is a spike if it is three standard deviations above the hours before it."""
    *before, last = [hour.expired for hour in hours] or [0]
    usual = max(float(SPIKE_MIN), fmean(before) + 3 * pstdev(before)) if before else float(SPIKE_MIN)
    return Expiries(hours=list(hours), usual_max=usual, spike=last > usual)
