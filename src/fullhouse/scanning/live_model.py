"""Who is inside, at which gate and how fast they come: what the console and the gates are shown."""

from datetime import date, datetime
from uuid import UUID

import msgspec


class Occupancy(msgspec.Struct, frozen=True, kw_only=True):
    kind: str
    id: UUID
    name: str | None
    status: str | None
    capacity: int | None
    inside: int
    entered: int


class EntriesPoint(msgspec.Struct, frozen=True, kw_only=True):
    """Five minutes at the gates, from `at`: who came in, who went out, and how many were inside after them."""

    at: datetime
    entered: int
    left: int
    inside: int = 0


class GatePace(msgspec.Struct, frozen=True, kw_only=True):
    """How many came in by a gate in the last five minutes."""

    gate_id: UUID
    entered: int


class Entries(msgspec.Struct, frozen=True, kw_only=True):
    """A day at the gates over time. Five minutes in which nobody moved are left out."""

    event_id: UUID
    day: date
    points: list[EntriesPoint]
    pace: list[GatePace]


class LiveGates(msgspec.Struct, frozen=True, kw_only=True):
    """A day at the gates: by the gate that people came in by, by zone, and in all."""

    event_id: UUID
    day: date
    inside: int
    entered: int
    rejected: int
    incidents: int
    gates: list[Occupancy]
    zones: list[Occupancy]
