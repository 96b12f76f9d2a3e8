"""Who sits where when an event with sold tickets gets another layout version. Pure.

The same seat if its terms are unchanged; otherwise the nearest seat that is equal or better: same price and category,
same zone type and access, and not farther from the stage; otherwise none. Tickets are placed in the order of their
seats, so that neighbours stay neighbours where possible.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fullhouse.seating.plans.chart import Chart, build_chart
from fullhouse.seating.plans.plan import RESERVED, Place, Plan, price_of, walk

_CLOSE_ENOUGH = 1.02  # of the old distance to the stage: a corrected drawing does not make a seat worse


class ZoneTerms(NamedTuple):
    """A zone's type, access and price in the event, where its overlay differs from the plan."""

    zone_type: str
    access: tuple[object, ...]
    price: str | None = None  # for all of its seats


class Move(NamedTuple):
    """By ordinals. `to` is None if there is no equal or better seat."""

    ticket: Any  # the caller's id of it
    here: int
    to: int | None
    kind: str  # same, equal_or_better, unplaced
    reason: str = ""


class _Version(NamedTuple):
    places: list[Place]
    chart: Chart
    seat_terms: list[tuple[object, ...]]
    distances: NDArray[np.float64]


def plan_moves(
    old: Plan,
    new: Plan,
    sold: Iterable[tuple[object, int]],
    blocked: Collection[int] = (),
    here: Mapping[str, ZoneTerms] | None = None,
    there: Mapping[str, ZoneTerms] | None = None,
) -> list[Move]:
    """A move for every ticket, in the order of the old ordinals. `blocked` are ordinals of the new plan.

    `here` and `there` are the event's zones by key. If given, zones that are missing in them are closed, and so are
    those that have no seats in the event.
    """
    before, after = _to_version(old, here), _to_version(new, there)
    by_key = {place.seat.key: ordinal for ordinal, place in enumerate(after.places)}
    free = np.ones(len(after.places), dtype=bool)
    free[list(blocked)] = False
    free[[n for n, place in enumerate(after.places) if _is_closed(place, there)]] = False
    tickets = sorted(sold, key=lambda ticket: ticket[1])
    stays: dict[int, int] = {}
    for _, ordinal in tickets:
        same = by_key.get(_seat_key(before, ordinal))
        if same is not None and free[same] and before.seat_terms[ordinal] == after.seat_terms[same]:
            stays[ordinal] = same
    free[list(stays.values())] = False
    alike: dict[tuple[object, ...], list[int]] = {}
    for ordinal, offer in enumerate(after.seat_terms):
        alike.setdefault(offer, []).append(ordinal)
    candidates = {offer: np.array(ordinals) for offer, ordinals in alike.items()}
    moves = []
    for ticket, ordinal in tickets:
        if ordinal in stays:
            moves.append(Move(ticket, ordinal, stays[ordinal], "same"))
            continue
        found = _find_equal_or_better(before, after, ordinal, free, candidates.get(before.seat_terms[ordinal]))
        if found is None:
            moves.append(Move(ticket, ordinal, None, "unplaced", "No free seat of this price and kind is as good."))
            continue
        free[found] = False
        reason = (
            "The seat is not available on the same terms any more."
            if _seat_key(before, ordinal) in by_key
            else "The seat is gone."
        )
        moves.append(Move(ticket, ordinal, found, "equal_or_better", reason))
    return moves


def _to_version(plan: Plan, terms: Mapping[str, ZoneTerms] | None) -> _Version:
    chart = build_chart(plan)
    places = list(walk(plan))
    away = np.hypot(chart.x - chart.focal_x, chart.y - chart.focal_y)
    return _Version(places, chart, [_seat_terms(place, (terms or {}).get(place.zone.key)) for place in places], away)


def _seat_key(side: _Version, ordinal: int) -> str:
    return side.places[ordinal].seat.key


def _is_closed(place: Place, terms: Mapping[str, ZoneTerms] | None) -> bool:
    return terms is not None and (place.zone.key not in terms or terms[place.zone.key].zone_type not in RESERVED)


def _seat_terms(place: Place, terms: ZoneTerms | None) -> tuple[object, ...]:
    """The terms on which a seat is sold, apart from its position."""
    zone = place.zone
    terms = terms or ZoneTerms(zone.zone_type, (zone.access_mode, zone.membership_tier, zone.allowed_roles))
    price = terms.price or price_of(zone, place.row, place.seat)
    return (price, place.seat.category, terms.zone_type, terms.access)


def _find_equal_or_better(
    before: _Version, after: _Version, here: int, free: NDArray[np.bool_], alike: NDArray[np.int64] | None
) -> int | None:
    if alike is None:
        return None
    good = alike[free[alike] & (after.distances[alike] <= before.distances[here] * _CLOSE_ENOUGH)]
    if not len(good):
        return None
    way = np.hypot(after.chart.x[good] - before.chart.x[here], after.chart.y[good] - before.chart.y[here])
    return int(good[np.argmin(way)])
