"""A show that is moved takes its doors and its sale along; what has begun or was postponed is not edited."""

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from fullhouse.events import policy
from fullhouse.events.jobs import move_due_events
from fullhouse.kit.db.database import WORKER, Database
from fullhouse.kit.services import Services
from tests.accounts.helpers import data, refused
from tests.events.helpers import DAY, HOUR, NEW_DATE, draft, move, read, show, show_in
from tests.fixtures import Client, Tenant

Clock = Callable[[timedelta], Any]
MINUTE = timedelta(minutes=1)
ROUTES = {"/api/events": ("start_at", "end_at"), "/event/v1/events": ("start_time", "end_time")}


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


@pytest.fixture
async def finder(server_url: str, owner: Any) -> AsyncIterator[Database]:
    await owner.execute("UPDATE events SET status = 'archived' WHERE status IN ('published', 'live', 'postponed')")
    opened = await Database.open(server_url, WORKER, size=1)
    yield opened
    await opened.close()


def _at(event: Any, name: str) -> datetime:
    return datetime.fromisoformat(event[name])


@pytest.mark.req("EV-8", "EV-4")
@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("by", [7 * DAY, -1 * DAY])
@pytest.mark.parametrize("end_said", [True, False])
async def test_the_doors_and_the_sale_move_along(
    admin: Client, services: Services, finder: Database, clock: Clock, route: str, by: timedelta, end_said: bool
) -> None:
    start = datetime.now(UTC).replace(microsecond=0) + 2 * DAY
    times = {"start_at": start, "end_at": start + 2 * HOUR, "doors_at": start - HOUR, "sale_end_at": start - MINUTE}
    event = await show_in(admin, "published", **{name: at.isoformat() for name, at in times.items()})
    begins, ends = ROUTES[route]
    wish = {begins: (start + by).isoformat()} | ({ends: (start + by + 2 * HOUR).isoformat()} if end_said else {})
    data(await admin.patch(f"{route}/{event['id']}", json=wish))
    moved = await read(admin, event)
    assert {name: _at(moved, name) for name in times} == {name: at + by for name, at in times.items()}
    assert moved["sale_start_at"] == event["sale_start_at"]
    await clock(2 * DAY + by - HOUR - MINUTE)  # a minute before its doors
    await move_due_events(finder, services.database)
    assert (await read(admin, event))["status"] == "published"
    await clock(2 * DAY + by - HOUR + MINUTE)
    await move_due_events(finder, services.database)
    assert (await read(admin, event))["status"] == "live"


@pytest.mark.req("EV-8")
async def test_what_is_named_stays_as_it_is_named_and_an_end_alone_moves_nothing(admin: Client) -> None:
    event = await show_in(admin, "published", doors_at="2090-06-01T18:00:00Z")
    path = f"/api/events/{event['id']}"
    named = {"doors_at": "2090-06-02T12:00:00Z", "sale_end_at": "2090-06-02T13:00:00Z"}
    moved = data(await admin.patch(path, json={"start_at": "2090-06-02T19:00:00Z"} | named))
    assert moved.items() >= (named | {"end_at": "2090-06-02T21:30:00Z"}).items()
    longer = data(await admin.patch(path, json={"end_at": "2090-06-02T23:00:00Z"}))
    assert longer.items() >= named.items()


@pytest.mark.req("EV-8")
def test_a_sale_that_would_end_before_it_begins_lasts_a_minute() -> None:
    before = show()
    after = policy.shift_times(before, show(start_at=before.sale_start_at + HOUR), {"start_at"})
    assert after.sale_end_at == before.sale_start_at + HOUR
    late = show(sale_start_at=before.start_at - HOUR)
    after = policy.shift_times(late, show(start_at=late.start_at - DAY, sale_start_at=late.sale_start_at), {"start_at"})
    assert after.sale_end_at == late.sale_start_at + MINUTE


@pytest.mark.req("EV-8", "EV-4")
async def test_a_show_that_has_begun_is_not_moved_but_may_run_over(admin: Client) -> None:
    event = await show_in(admin, "live")
    path = f"/api/events/{event['id']}"
    later = {"start_at": "2091-06-01T19:00:00Z", "end_at": "2091-06-01T21:00:00Z"}
    answer = await admin.patch(path, json=later)
    assert refused(answer) == (409, "date_not_editable")
    assert "postpone" in answer.json()["detail"]
    assert data(await admin.patch(path, json={"end_at": "2090-06-01T23:00:00Z"}))["end_at"] == "2090-06-01T23:00:00Z"
    assert data(await admin.patch(path, json={"start_at": event["start_at"], "name": "Same"}))["name"] == "Same"


@pytest.mark.req("EV-8", "EV-4")
@pytest.mark.parametrize("dated", [True, False])
async def test_a_postponed_show_gets_its_date_by_rescheduling(admin: Client, dated: bool) -> None:
    event = await show_in(admin, "published")
    event = data(await move(admin, event, "postpone", **({"rescheduled_at": NEW_DATE} if dated else {})))
    for wish in ({"start_at": "2090-06-08T19:00:00Z"}, {"end_at": "2090-06-01T23:30:00Z"}):
        answer = await admin.patch(f"/api/events/{event['id']}", json=wish)
        assert refused(answer) == (409, "date_not_editable")
        assert "reschedule" in answer.json()["detail"]
    assert (await read(admin, event))["version"] == event["version"]


FAR = "9999-12-31T20:00:00Z"


@pytest.mark.req("EV-2")
async def test_a_time_beyond_reach_is_refused_everywhere(admin: Client) -> None:
    event = await show_in(admin, "published")
    path = f"/api/events/{event['id']}"
    for field in ("start_at", "end_at", "doors_at", "sale_start_at", "sale_end_at"):
        answer = await admin.patch(path, json={field: FAR})
        assert refused(answer) == (422, "invalid"), field
        assert answer.json()["fields"] == [{"path": field, "message": "Between the years 1800 and 2200."}]
    far = {"start_at": FAR, "end_at": "9999-12-31T23:59:00-05:00", "venue_id": event["venue_id"]}
    assert (
        refused(await admin.post("/api/events", json={"name": "A", "description": "B", "category": "c"} | far))[0]
        == 422
    )
    assert refused(await admin.post(f"{path}/duplicate", json={"start_at": FAR})) == (422, "invalid")
    assert refused(await move(admin, event, "postpone", rescheduled_at=FAR)) == (422, "invalid")
    assert data(await admin.post(f"{path}/duplicate", json={"start_at": "2200-12-30T20:00:00Z"}), 201)


@pytest.mark.req("EV-2")
@pytest.mark.parametrize("status", ["cancelled", "archived"])
async def test_a_show_that_was_called_off_may_be_announced_again(admin: Client, status: str) -> None:
    first = await show_in(admin, status)
    again = await draft(admin, venue_id=first["venue_id"])
    assert again["slug"] == "the-tempest-2"
    body = {name: again[name] for name in ("name", "description", "category", "start_at", "end_at", "venue_id")}
    assert refused(await admin.post("/api/events", json=body)) == (409, "event_exists")
