"""How the demo's buyers choose: parties sit together, the front rows sell first, sales peak in the evening."""

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

PARTIES, PARTY_WEIGHTS = (1, 2, 3, 4, 5, 6), (12, 45, 14, 20, 5, 4)
# Relative sales by the hour of the day, UTC.
HOUR_WEIGHTS = (2, 1, 0, 0, 0, 1, 3, 6, 9, 10, 10, 11, 13, 11, 9, 8, 9, 12, 16, 20, 22, 19, 12, 6)
RESTRICTED_SHARE = 0.7  # the share of lounge tables and wheelchair spaces that are sold


class Choice(NamedTuple):
    """An order item: a seat, or a number of spots in a zone."""

    zone_id: UUID
    zone_key: str
    price: str | None
    seat_id: UUID | None = None
    quantity: int = 1


def choose_seats(chance: random.Random, seats: Sequence[Any], share: float) -> Iterator[list[Choice]]:
    rows: dict[tuple[str, str], list[Any]] = defaultdict(list)
    places: dict[UUID, list[Any]] = defaultdict(list)  # a wheelchair space with its companion seats
    tables: dict[tuple[str, str], list[Any]] = defaultdict(list)  # lounge tables
    for seat in seats:
        if share < 1 and seat["category"] in ("wheelchair", "companion"):
            places[seat["companion_of"] or seat["seat_id"]].append(seat)
        elif share < 1 and seat["access_mode"] != "public":
            tables[seat["section"], seat["row_label"]].append(seat)
        else:
            rows[seat["section"], seat["row_label"]].append(seat)
    for together in (*places.values(), *tables.values()):
        if share < 1 and chance.random() < RESTRICTED_SHARE:
            yield [_to_choice(each) for each in together]
    for number, row in enumerate(rows.values()):
        wanted = 1.0 if share >= 1 else share + 0.3 * (0.5 - number / len(rows))
        while row:
            size = chance.choices(PARTIES, PARTY_WEIGHTS)[0]
            party, row = row[:size], row[size:]
            if chance.random() < wanted:
                yield [_to_choice(each) for each in party]


def _to_choice(row: Any) -> Choice:
    return Choice(row["zone_id"], row["zone_key"], row["price"], row["seat_id"])


def choose_spots(chance: random.Random, zones: Sequence[Any], share: float) -> Iterator[list[Choice]]:
    for zone in zones:
        left = int(zone["capacity"] * share)
        while left > 0:
            size = min(left, chance.choices(PARTIES, PARTY_WEIGHTS)[0])
            left -= size
            yield [Choice(zone["zone_id"], zone["zone_key"], zone["price"], quantity=size)]


def draw_times(chance: random.Random, since: datetime, until: datetime, count: int) -> list[datetime]:
    """Times of sale: most in the first days, the latest a few minutes ago."""
    days = max(1, (until - since).days)
    found = []
    for _ in range(count):
        hour = chance.choices(range(24), HOUR_WEIGHTS)[0]
        day = since + timedelta(days=days * chance.random() ** 1.7)
        moment = day.replace(hour=hour, minute=chance.randrange(60), second=chance.randrange(60))
        found.append(min(max(moment, since), until - timedelta(minutes=chance.randint(3, 600))))
    return sorted(found)
