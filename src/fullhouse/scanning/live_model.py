"""Live figures for the console and the gates: occupancy, entries over time, and entries per gate."""

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
    """Five minutes from `at`: entries, exits, and how many people were inside at the end."""

    at: datetime
    entered: int
    left: int
    inside: int = 0


class GatePace(msgspec.Struct, frozen=True, kw_only=True):
    """Entries at a gate in the last five minutes."""

    gate_id: UUID
    entered: int


class Entries(msgspec.Struct, frozen=True, kw_only=True):
    """Entries and exits of a day. Intervals without any are left out."""

    event_id: UUID
    day: date
    points: list[EntriesPoint]
    pace: list[GatePace]


class LiveGates(msgspec.Struct, frozen=True, kw_only=True):
    """Occupancy of a day: by gate of entry, by zone, and in total."""

    event_id: UUID
    day: date
    inside: int
    entered: int
    rejected: int
    incidents: int
    gates: list[Occupancy]
    zones: list[Occupancy]
