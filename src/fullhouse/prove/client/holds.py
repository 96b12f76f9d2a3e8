"""Compares the holds and releases in a client's log with the database."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from fullhouse.prove.client.log import Call, ItemKey


class Row(NamedTuple):
    """A hold as the database has it."""

    id: UUID
    event_id: UUID
    basket_id: UUID
    user_id: UUID
    place: UUID
    quantity: int
    status: str
    is_released: bool = False  # by a release, not by anything else that cancels holds

    @property
    def key(self) -> ItemKey:
        return self.place, self.quantity


# The person who made the request: if a guest has signed in since, the hold belongs to another user.
_ROWS = """
SELECT h.id, h.event_id, h.basket_id, coalesce(g.user_id, h.user_id) AS user_id,
       coalesce(h.seat_id, h.zone_id, h.ticket_type_id) AS place, h.quantity, h.status,
       EXISTS (SELECT FROM audit_log a
               WHERE a.organization_id = h.organization_id AND a.entity_type = 'seat_hold' AND a.entity_id = h.id
                 AND a.action = 'hold.cancelled' AND a.actor_type = 'user' AND a.reason IS NULL) AS is_released
FROM seat_holds h
LEFT JOIN LATERAL (
    SELECT (a.before ->> 'user_id')::uuid AS user_id FROM audit_log a
    WHERE a.organization_id = h.organization_id AND a.entity_type = 'seat_hold' AND a.entity_id = h.id
      AND a.action = 'hold.handed_over' ORDER BY a.created_at LIMIT 1) g ON true
WHERE h.id = ANY ($1::uuid[]) OR h.event_id = ANY ($2::uuid[]) AND h.user_id = ANY ($3::uuid[])
"""


async def find_disagreements(connection: Any, calls: Sequence[Call]) -> list[str]:
    """The disagreements between the client's log and the database, as sentences."""
    known = {i for call in calls for i in (*call.holds, call.hold) if i}
    events, users = {call.event for call in calls if call.event}, {call.user for call in calls if call.user}
    rows = [Row(*row) for row in await connection.fetch(_ROWS, list(known), list(events), list(users))]
    return compare(calls, rows)


def compare(calls: Sequence[Call], rows: Iterable[Row]) -> list[str]:
    by_id = {row.id: row for row in rows}
    wrong = []
    for call in calls:
        if call.end == "ok" and call.kind in _CHECKS:
            wrong += _CHECKS[call.kind](call, by_id)
    return wrong + _check_refused_releases(calls, by_id) + _check_unclaimed(calls, by_id.values())


def _check_acknowledged(call: Call, rows: dict[UUID, Row]) -> list[str]:
    wrong = [f"call {call.call} was acknowledged, but hold {i} is not there" for i in call.holds if i not in rows]
    found = [rows[i] for i in call.holds if i in rows]
    wrong += [
        f"call {call.call} was acknowledged, but hold {row.id} is somebody else's"
        for row in found
        if (row.event_id, row.user_id) != (call.event, call.user)
    ]
    asked = Counter(item.key for item in call.items)
    if not wrong and asked and Counter(row.key for row in found) != asked:
        wrong.append(f"call {call.call} was acknowledged, but its holds are not what it asked for")
    if call.best and sum(row.quantity for row in found) != call.best:
        wrong.append(f"call {call.call} was acknowledged with {call.best}, but has {len(found)}")
    return wrong


def _check_released(call: Call, rows: dict[UUID, Row]) -> list[str]:
    row = rows.get(call.hold) if call.hold else None
    if row and row.status == "cancelled":
        return []
    return [f"call {call.call} gave hold {call.hold} back, but it is {row.status if row else 'not there'}"]


_CHECKS = {"hold": _check_acknowledged, "release": _check_released}


def _check_refused_releases(calls: Sequence[Call], rows: dict[UUID, Row]) -> list[str]:
    """A refused release must not have released the hold; another release, or another cause, may have."""
    back = [call for call in calls if call.kind == "release"]
    others = {call.hold for call in back if call.end == "ok" or call.is_unknown}
    return [
        f"call {call.call} was refused, but gave hold {call.hold} back"
        for call in back
        if call.end == "fail" and call.hold and call.hold not in others
        if (row := rows.get(call.hold)) and row.is_released
    ]


def _check_unclaimed(calls: Sequence[Call], rows: Iterable[Row]) -> list[str]:
    """Holds of the log's people in the log's events that no response named. Only calls that ended unknown can explain
    them, each call one basket.
    """
    claimed = {i for call in calls if call.end == "ok" for i in call.holds}
    people = {(call.event, call.user) for call in calls if call.kind == "hold"}
    unknown = [call for call in calls if call.kind == "hold" and call.is_unknown]
    baskets: dict[UUID, list[Row]] = defaultdict(list)
    theirs: dict[tuple[UUID, UUID], Counter[ItemKey]] = defaultdict(Counter)
    for row in rows:
        if (row.event_id, row.user_id) in people:
            baskets[row.basket_id].append(row)
            theirs[row.event_id, row.user_id][row.key] += 1
    wrong = []
    for basket in baskets.values():
        if all(row.id in claimed for row in basket):
            continue
        call = min((c for c in unknown if _explains(c, basket)), key=lambda c: len(c.items), default=None)
        if call is None:
            wrong += [_describe_unclaimed(row, calls) for row in basket if row.id not in claimed]
            continue
        unknown.remove(call)
        missing = Counter(item.key for item in call.items) - theirs[basket[0].event_id, basket[0].user_id]
        if missing:
            wrong.append(f"call {call.call} ended unknown, and is there in part: {missing.total()} things are not")
    return wrong


def _explains(call: Call, basket: Sequence[Row]) -> bool:
    """Whether the call requested all of the basket. It may have requested more, if the person held that already."""
    if (call.event, call.user) != (basket[0].event_id, basket[0].user_id):
        return False
    if call.best:
        return sum(row.quantity for row in basket) == call.best
    return Counter(row.key for row in basket) <= Counter(item.key for item in call.items)


def _describe_unclaimed(row: Row, calls: Sequence[Call]) -> str:
    refused = [
        call.call
        for call in calls
        if call.end == "fail" and call.user == row.user_id and row.key in [item.key for item in call.items]
    ]
    reason = f"call {refused[0]} was refused" if refused else "no call asked for it, or one did twice"
    return f"hold {row.id} of {row.place} is there, but {reason}"
