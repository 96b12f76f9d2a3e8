"""Nights in which the clocks change: instants and lengths are exact, whatever the wall says."""

from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import pytest

from fullhouse.events import actions, policy
from fullhouse.events.policy import Move, Scanning
from fullhouse.kit.services import Services
from tests.accounts.helpers import data, refused
from tests.events.helpers import DAY, HOUR, SHOW, draft, make_show, make_venue, move, read, show, show_in
from tests.fixtures import Client, Tenant

AMSTERDAM, JOHANNESBURG, NEW_YORK = "Europe/Amsterdam", "Africa/Johannesburg", "America/New_York"


class Night(NamedTuple):
    """A night in which six hours pass on the wall; `start`, `end` and `hours` are the world's."""

    zone: str
    evening: str
    morning: str
    start: str
    end: str
    hours: int


NIGHTS = [
    Night(NEW_YORK, "2090-03-11 22:00", "2090-03-12 04:00", "2090-03-12T03:00:00Z", "2090-03-12T08:00:00Z", 5),
    Night(NEW_YORK, "2090-11-04 22:00", "2090-11-05 04:00", "2090-11-05T02:00:00Z", "2090-11-05T09:00:00Z", 7),
    Night(AMSTERDAM, "2090-03-25 22:00", "2090-03-26 04:00", "2090-03-25T21:00:00Z", "2090-03-26T02:00:00Z", 5),
    Night(AMSTERDAM, "2090-10-28 22:00", "2090-10-29 04:00", "2090-10-28T20:00:00Z", "2090-10-29T03:00:00Z", 7),
    Night(JOHANNESBURG, "2090-03-25 22:00", "2090-03-26 04:00", "2090-03-25T20:00:00Z", "2090-03-26T02:00:00Z", 6),
    Night(JOHANNESBURG, "2090-10-28 22:00", "2090-10-29 04:00", "2090-10-28T20:00:00Z", "2090-10-29T02:00:00Z", 6),
]
# A show of six hours that is moved into the first of each city's nights; and when it is then over, by the wall.
MOVED = [(NIGHTS[0], "05:00"), (NIGHTS[2], "05:00"), (NIGHTS[4], "04:00")]


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


def wall(zone: str, when: str, fold: int = 0) -> str:
    """A time as a person there writes it, with that day's offset."""
    return instant(when).replace(tzinfo=ZoneInfo(zone), fold=fold).isoformat()


def on_the_wall(event: Any, *names: str) -> list[str]:
    zone = ZoneInfo(event["timezone"])
    return [instant(event[name]).astimezone(zone).strftime("%H:%M") for name in names]


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


def from_start(event: Any, *names: str) -> list[timedelta]:
    return [instant(event[name]) - instant(event["start_at"]) for name in names]


async def show_at(client: Client, zone: str, **walls: str) -> Any:
    """A published show in that zone, at times that its walls show."""
    venue = await make_venue(client, timezone=zone)
    times = {name: wall(zone, when) for name, when in walls.items()}
    return await show_in(client, "published", venue_id=venue["id"], **times)


async def show_in_winter(client: Client, zone: str) -> Any:
    times = {"doors_at": "2090-02-04 21:00", "start_at": "2090-02-04 22:00", "end_at": "2090-02-05 04:00"}
    return await show_at(client, zone, **times, sale_start_at="2090-01-04 10:00", sale_end_at="2090-02-05 04:00")


@pytest.mark.req("EV-2", "EV-3")
async def test_a_night_in_which_the_clocks_change(admin: Client) -> None:
    for night in NIGHTS:
        event = await read(admin, await show_at(admin, night.zone, start_at=night.evening, end_at=night.morning))
        assert (event["start_at"], event["end_at"], event["doors_at"]) == (night.start, night.end, night.start)
        assert from_start(event, "end_at") == [night.hours * HOUR]
        assert event["start_at_unix_ms"] == instant(wall(night.zone, night.evening)).timestamp() * 1000
        assert event["timezone"] == night.zone
        assert on_the_wall(event, "start_at", "end_at") == ["22:00", "04:00"]


@pytest.mark.req("EV-2")
async def test_the_hour_that_comes_twice_is_two_hours(admin: Client) -> None:
    for zone, twice in ((NEW_YORK, "2090-11-05 01:30"), (AMSTERDAM, "2090-10-29 02:30")):
        venue = await make_venue(admin, timezone=zone)
        first, second = wall(zone, twice), wall(zone, twice, fold=1)
        event = await draft(admin, venue_id=venue["id"], start_at=first, end_at=second)
        assert from_start(event, "end_at") == [HOUR]
        assert on_the_wall(event, "start_at") == on_the_wall(event, "end_at")
        # By the wall the second is no earlier than the first, and by the world it is: an end before the start.
        backwards = SHOW | {"venue_id": venue["id"], "start_at": second, "end_at": first}
        assert refused(await admin.post("/api/events", json=backwards)) == (422, "invalid_times")


@pytest.mark.req("EV-10")
async def test_a_copy_across_the_change_keeps_its_distances_in_utc_and_not_on_the_wall(admin: Client) -> None:
    for night, closing in MOVED:
        winter = await show_in_winter(admin, night.zone)
        copying = {"start_at": wall(night.zone, night.evening)}
        copy = data(await admin.post(f"/api/events/{winter['id']}/duplicate", json=copying), 201)
        assert copy["start_at"] == night.start
        kept = ("doors_at", "end_at", "sale_start_at", "sale_end_at")
        assert from_start(copy, *kept) == from_start(winter, *kept)
        assert on_the_wall(copy, "doors_at", "start_at", "end_at") == ["21:00", "22:00", closing]


@pytest.mark.req("EV-8")
async def test_a_show_rescheduled_across_the_change_is_as_long_as_before(admin: Client) -> None:
    for night, closing in MOVED:
        event = await show_in_winter(admin, night.zone)
        dated = data(await move(admin, event, "postpone", rescheduled_at=wall(night.zone, night.evening)))
        assert dated["rescheduled_at"] == night.start
        assert instant(dated["sale_end_at"]) - instant(night.start) == 6 * HOUR
        back = data(await move(admin, event, "publish"))
        assert from_start(back, "doors_at", "end_at", "sale_end_at") == [-HOUR, 6 * HOUR, 6 * HOUR]
        assert on_the_wall(back, "doors_at", "start_at", "end_at") == ["21:00", "22:00", closing]


@pytest.mark.req("EV-8")
@pytest.mark.parametrize("session_zone", ["UTC", AMSTERDAM, NEW_YORK])
async def test_the_database_counts_hours_as_we_do_wherever_it_stands(
    session_zone: str, services: Services, tenant: Tenant
) -> None:
    """To PostgreSQL two days across the change are not 48 hours, unless it is asked in a way that does not matter."""
    start = datetime(2090, 6, 2, 16, tzinfo=UTC)
    lasts = 2 * DAY + 5 * HOUR
    event = await make_show(
        services, tenant, Move.PUBLISH, start_at=start, end_at=start + lasts, doors_at=start, sale_end_at=start + lasts
    )
    for new_date in (datetime(2090, 3, 24, 17, tzinfo=UTC), datetime(2090, 3, 10, 23, tzinfo=UTC)):
        async with services.database.tenant(tenant.id) as tx:
            await tx.execute(f"SET LOCAL timezone = '{session_zone}'")
            name = Move.POSTPONE if event.status == "published" else Move.RESCHEDULE
            event = await actions.move_event(tx, event.id, name, new_date=new_date, reason="a test")
        assert event.sale_end_at == new_date + lasts


@pytest.mark.req("EV-5")
def test_scanning_on_the_new_date_lasts_as_long_as_the_show() -> None:
    """The six hours of a winter's night, on the night in which five pass by the wall."""
    start = datetime(2090, 2, 4, 21, tzinfo=UTC)
    new = instant(NIGHTS[2].start)
    event = show(status="postponed", start_at=start, end_at=start + 6 * HOUR, doors_at=start, rescheduled_at=new)
    second = timedelta(seconds=1)
    moments = (new - second, new, new + 6 * HOUR, new + 6 * HOUR + second)
    expected = [Scanning.NONE, Scanning.REAL, Scanning.REAL, Scanning.NONE]
    assert [policy.can_scan(event, now) for now in moments] == expected
