"""Metrics and logs of holds and seats, and warnings about events with unusual measures."""

import logging
from collections import Counter as Tally
from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
import numpy as np
import structlog
from prometheus_client import Counter, Gauge, Histogram

from fullhouse.holds import actions, engine, store
from fullhouse.holds.system_hold_actions import SYSTEM_PLACED, SystemHold
from fullhouse.kit.db.database import Database
from fullhouse.kit.services import Services
from fullhouse.seating import journal
from fullhouse.seating.allocation import best_available
from fullhouse.seating.allocation.index import WHEELCHAIR
from fullhouse.seating.maps.seat_states import SeatStateCache, SeatStates
from fullhouse.seating.model import AVAILABLE, HELD, SOLD
from fullhouse.seating.plans.chart import ordinal_of, seat_id

AGE_BUCKETS_S = (5, 15, 30, 60, 120, 180, 240, 300, 600, 1800)
ENDED = Counter("fullhouse_holds_ended_total", "Holds that ended, by how", ["ending"])
AGE = Histogram("fullhouse_hold_age_seconds", "How old holds were when they ended", ["ending"], buckets=AGE_BUCKETS_S)
STOPPED_EVENTS = Gauge(
    "fullhouse_live_of_stopped_events",
    "Live tickets and holds of events that are cancelled or postponed",
    ["status", "kind"],
    multiprocess_mode="mostrecent",
)
STOPPED_STATUSES, STOPPED_KINDS = ("cancelled", "postponed"), ("tickets", "holds")
RATIO_GAUGES = {
    name: Gauge(f"fullhouse_event_{name}_ratio", what, ["organization", "event"], multiprocess_mode="mostrecent")
    for name, what in (
        ("orphans", "Free seats without a free neighbour, of all free seats"),
        ("vip", "Held and sold places of VIP zones, of all of them"),
        ("accessible", "Wheelchair spaces, of all seats held and sold"),
        ("conversion", "Holds that were sold, of those that ended in the last day"),
    )
}
log = structlog.get_logger()


# --- counting and logging, in every process


class HoldLogger:
    """Logs and counts what the engine and the commands of this process have done."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._unsubscribes = [
            services.bus.subscribe(engine.PLACED, lambda _topic, batch: self._log_placed(*batch)),
            services.bus.subscribe(SYSTEM_PLACED, lambda _topic, batch: self._log_system_holds(*batch)),
            services.bus.subscribe(actions.ENDED, lambda _topic, batch: self._log_ended(*batch)),
        ]

    async def start(self) -> None: ...

    async def stop(self) -> None:
        for unsubscribe in self._unsubscribes:
            unsubscribe()

    def _log_placed(self, organization_id: UUID, requests: Sequence[engine.HoldRequest], rows: Sequence[Any]) -> None:
        """One entry for the batch and one for each hold; refused items are logged at debug level only."""
        cache = self._services.part(SeatStateCache)
        for event_id, times in Tally(request.event_id for request in requests).items():
            cache.touch(event_id, times)
        if not log.is_enabled_for(logging.INFO):
            return
        outcomes = Tally(row["outcome"] for row in rows if row["req"])
        log.info("holds.placed", organization_id=str(organization_id), requests=len(requests), **outcomes)
        is_debugging = log.is_enabled_for(logging.DEBUG)
        kept = {row["hold_id"]: row["ordinal"] for row in rows if row["outcome"] == "accompanied"}
        for row in rows:
            if not row["req"]:
                self._log_other_seat(organization_id, row)
                continue
            request = requests[row["req"] - 1]
            item = request.items[row["line"] - 1]
            ids = {"org_id": str(organization_id), "event_id": str(request.event_id)}
            place = {"seat_id": str(item.seat_id)} if item.seat_id else {f"{item.kind}_id": str(item.ref_id)}
            if row["outcome"] == "held":
                made = SystemHold(
                    request.event_id,
                    row["hold_id"],
                    request.user_id,
                    item.seat_id,
                    item.kind,
                    item.ref_id,
                    item.quantity,
                    row["held_until"],
                    row["version"],
                    request.source,
                )
                _log_created(ids, made, request.source)
                if item.keeps_companions and item.seat_id:
                    self._log_wheelchair(ids, request.event_id, item.seat_id, kept.get(row["hold_id"]))
            elif is_debugging:
                log.debug("hold.refused", **ids, **place, user_id=str(request.user_id), reason=row["outcome"])

    def _log_other_seat(self, organization_id: UUID, row: Any) -> None:
        """What a batch did to seats that were not in its requests."""
        change = journal.SIDE_EFFECTS.get(row["outcome"])
        seat_states = self._services.part(SeatStateCache).peek(row["event_id"]) if change else None
        if change and seat_states and row["ordinal"] is not None:
            seat = seat_id(seat_states.seat_index.layout_id, row["ordinal"])
            journal.log_seat_change(organization_id, row["event_id"], seat, *change)

    def _log_system_holds(self, organization_id: UUID, made: Sequence[SystemHold]) -> None:
        """Logs them like the holds of a batch, with the reason for which they were made."""
        for row in made:
            ids = {"org_id": str(organization_id), "event_id": str(row.event_id)}
            _log_created(ids, row, row.reason)
            if row.seat_id and (row.companion is not None or self._is_wheelchair(row)):
                self._log_wheelchair(ids, row.event_id, row.seat_id, row.companion)

    def _is_wheelchair(self, row: SystemHold) -> bool:
        seat_states = self._services.part(SeatStateCache).peek(row.event_id) if row.is_wheelchair is None else None
        if seat_states is None or row.seat_id is None:
            return bool(row.is_wheelchair)
        return ordinal_of(seat_states.seat_index.layout_id, row.seat_id) in seat_states.seat_index.wheelchairs

    def _log_wheelchair(self, ids: dict[str, str], event_id: UUID, place: UUID, kept: int | None) -> None:
        """`kept` is the ordinal of the reserved companion seat; without one, the layout's companion seat is logged. The
        seat ids contain the layout, which both share."""
        companion = kept
        if companion is None and (seat_states := self._services.part(SeatStateCache).peek(event_id)):
            ordinal = ordinal_of(seat_states.seat_index.layout_id, place)
            companion = next(
                iter(np.flatnonzero(seat_states.seat_index.index.chart.companion_of == ordinal).tolist()), None
            )
        log.info(
            "wheelchair.held",
            **ids,
            seat_id=str(place),
            companion_seat_id=None if companion is None else str(seat_id(place, companion)),
            companion_soft_reserved=kept is not None,
        )

    def _log_ended(
        self, organization_id: UUID, ending: str, reason: str | None, rows: Sequence[store.EndedHold]
    ) -> None:
        ended = [row for row in rows if row.hold_id]
        ENDED.labels(ending).inc(len(ended))
        after = "sold" if ending == "converted" else "available"
        why = reason or ending
        seats = {}
        for row in ended:
            AGE.labels(ending).observe(row.age_s or 0)
            if row.seat_id:
                seats[row.event_id] = row.seat_id
                now = after if row.kept is None else "blocked"  # a companion seat of a space that is still held
                journal.log_seat_change(organization_id, row.event_id, row.seat_id, "held", now, why)
        for row in rows:  # companion seats that are free again; their ids are of the same layout
            if row.hold_id is None and row.ordinal is not None and (place := seats.get(row.event_id)):
                seat = seat_id(place, row.ordinal)
                journal.log_seat_change(organization_id, row.event_id, seat, "blocked", "available", why)
        for event_id, count in Tally(row.event_id for row in ended).items():
            log.info(
                "holds.ended",
                organization_id=str(organization_id),
                event_id=str(event_id),
                holds=count,
                status_before="held",
                status_after=after,
                ending=ending,
                reason=reason,
            )


def _log_created(ids: dict[str, str], made: SystemHold, reason: str) -> None:
    place = {"seat_id": str(made.seat_id)} if made.seat_id else {f"{made.kind}_id": str(made.ref_id)}
    seat = {"status_before": "available", "status_after": "held", "reason": reason} if made.seat_id else {}
    log.info(
        "seat_hold.created",
        **ids,
        **place,
        user_id=str(made.user_id),
        hold_id=str(made.hold_id),
        held_until=made.held_until.isoformat(),
        quantity=made.quantity,
        **seat,
    )


# --- monitoring, by one worker


class Sample(msgspec.Struct, frozen=True):
    """An event's ratios; None if there is nothing to divide by."""

    orphans: float | None
    vip: float | None
    accessible: float | None
    conversion: float | None
    full: float  # held and sold, of the capacity
    ended: int  # holds that ended in the last day


class Range(NamedTuple):
    """Outside `low` to `high` a measure needs attention; between the targets it is good."""

    low: float
    high: float
    why: str
    target_low: float
    target_high: float


USUAL_RANGES = {
    "orphans": Range(0.0, 0.10, "many single seats stay empty: check the seating rules", 0.0, 0.05),
    "vip": Range(0.40, 0.95, "VIP zones sell unusually well or badly", 0.60, 0.90),
    "accessible": Range(0.0, 0.05, "wheelchair spaces sell unusually often or not at all", 0.01, 0.03),
    "conversion": Range(0.25, 0.85, "unusually few or many holds become sales", 0.40, 0.60),
}
ENDED_MIN = 20  # ended holds before the conversion counts
FULL_MIN = 0.5  # how full an event must be before "too few" counts


def find_unusual(sample: Sample) -> dict[str, str]:
    """The measures of an event that are unusual, with the reason."""
    found = {}
    for name, usual in USUAL_RANGES.items():
        value: float | None = getattr(sample, name)
        if value is None or (name == "conversion" and sample.ended < ENDED_MIN):
            continue
        few = value < usual.low or (name == "accessible" and value == 0)
        if value > usual.high or (few and (name == "conversion" or sample.full >= FULL_MIN)):
            found[name] = usual.why
    return found


def measure_event(seat_states: SeatStates, endings: dict[str, int]) -> Sample:
    index, free = seat_states.seat_index.index, seat_states.states == AVAILABLE
    taken = np.isin(seat_states.states, (HELD, SOLD))
    wheelchairs = index.chart.category == WHEELCHAIR
    found = seat_states.occupancy()
    vip = [zone for zone in found.zones if zone.zone_type.startswith("vip")]
    ended = sum(endings.values())
    return Sample(
        orphans=_ratio(len(best_available.find_stranded(index, free)), int(free.sum())),
        vip=_ratio(sum(zone.held + zone.sold for zone in vip), sum(zone.capacity for zone in vip)),
        accessible=_ratio(int((taken & wheelchairs).sum()), int(taken.sum())) if wheelchairs.any() else None,
        conversion=_ratio(endings.get("converted", 0), ended),
        full=_ratio(found.held + found.sold, found.capacity) or 0.0,
        ended=ended,
    )


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


class SaleMonitor:
    """Remembers its warnings, so that the same one is not repeated every minute."""

    def __init__(self, services: Services, finder: Database) -> None:
        self._services, self._finder = services, finder
        self._warned: set[tuple[UUID, str]] = set()
        self._stopped_before: dict[tuple[UUID, str], store.StoppedEvent] = {}

    async def check_all(self) -> None:
        async with self._finder.without_tenant() as tx:
            shows = await store.list_events_on_sale(tx)
            stopped = await store.list_stopped_events(tx)
        self._check_stopped(stopped)
        warned = set()
        for show in shows:
            warned |= await self._check_event(show)
        self._warned = warned

    def _check_stopped(self, stopped: Sequence[store.StoppedEvent]) -> None:
        """Sets the gauges, and warns about each event that has more live tickets or holds than a round ago."""
        for status in STOPPED_STATUSES:
            for kind in STOPPED_KINDS:
                live = sum(getattr(event, kind) for event in stopped if event.status == status)
                STOPPED_EVENTS.labels(status, kind).set(live)
        for event in stopped:
            before = self._stopped_before.get((event.event_id, event.status))
            if before is None or event.tickets > before.tickets or event.holds > before.holds:
                log.warning(
                    "event.stopped_with_live",
                    organization_id=str(event.organization_id),
                    event_id=str(event.event_id),
                    venue_id=str(event.venue_id) if event.venue_id else None,
                    status=event.status,
                    tickets=event.tickets,
                    holds=event.holds,
                )
        if wrong := sum(event.wrong for event in stopped):
            detail = "holds of a cancelled event must end, those of a postponed one must be suspended"
            log.error("event.stopped_with_wrong_holds", detail=detail, holds=wrong)
        self._stopped_before = {(event.event_id, event.status): event for event in stopped}

    async def _check_event(self, show: store.EventKey) -> set[tuple[UUID, str]]:
        seat_states = await self._services.part(SeatStateCache).get(*show)
        if seat_states is None:
            return set()
        async with self._services.database.tenant(show.organization_id) as tx:
            endings = await store.count_endings(tx, show.event_id)
        sample = measure_event(seat_states, {row.status: row.holds for row in endings})
        for name, gauge in RATIO_GAUGES.items():
            if (value := getattr(sample, name)) is not None:
                gauge.labels(str(show.organization_id), str(show.event_id)).set(value)
        unusual = find_unusual(sample)
        for name, why in unusual.items():
            if (show.event_id, name) not in self._warned:
                ids = {"organization_id": str(show.organization_id), "event_id": str(show.event_id)}
                value = round(getattr(sample, name), 3)
                log.warning("event.measure_unusual", **ids, measure=name, value=value, why=why)
        return {(show.event_id, name) for name in unusual}
