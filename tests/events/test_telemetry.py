"""What operators hear of events: every change of status, and schedules that make no sense."""

from collections.abc import Callable, MutableMapping, Sequence
from datetime import timedelta
from typing import Any

import pytest
from prometheus_client import REGISTRY
from structlog.testing import capture_logs

from fullhouse.events import actions
from fullhouse.events.jobs import move_due_events
from fullhouse.events.policy import Move
from fullhouse.kit.db.database import WORKER, Database
from fullhouse.kit.services import Services
from tests.accounts.helpers import PASSWORD, data, make_platform_user, refused
from tests.events.helpers import DAY, HOUR, NEW_DATE, draft, make_show, move, show_in
from tests.events.test_event_service import SERVICE, body
from tests.fixtures import Client, Tenant

pytestmark = pytest.mark.req("OBS-1")


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


def counted(old: str, new: str) -> float:
    labels = {"old": old, "new": new}
    return REGISTRY.get_sample_value("fullhouse_event_status_changes_total", labels) or 0.0


def told(logs: Sequence[MutableMapping[str, Any]], event_id: str) -> list[MutableMapping[str, Any]]:
    return [line for line in logs if line["event"] == "event.status_changed" and line["event_id"] == event_id]


def anomalies(kind: str) -> float:
    return REGISTRY.get_sample_value("fullhouse_event_anomalies_total", {"kind": kind}) or 0.0


async def test_every_change_of_status_is_logged_and_counted(admin: Client, tenant: Tenant) -> None:
    event = await draft(admin)
    way = [
        ("publish", "draft", "published", None),
        ("unpublish", "published", "draft", None),
        ("publish", "draft", "published", None),
        ("postpone", "published", "postponed", "Storm warning"),
        ("reschedule", "postponed", "postponed", None),
        ("start", "postponed", "live", None),
        ("end", "live", "ended", None),
        ("archive", "ended", "archived", None),
    ]
    assert {name for name, *_ in way} == set(Move) - {Move.CANCEL}
    for name, old, new, reason in way:
        before = counted(old, new)
        with capture_logs() as logs:
            data(await move(admin, event, name))
        [line] = [line for line in logs if line["event"] == "event.status_changed"]
        assert (line["old_status"], line["new_status"], line["reason"]) == (old, new, reason), name
        assert (line["event_id"], line["venue_id"]) == (event["id"], event["venue_id"])
        assert line["organization_id"] == str(tenant.id)
        assert (line["actor_type"], line["actor_id"]) == ("user", str(tenant.people["admin"].id))
        assert counted(old, new) == before + 1
        assert line["rescheduled_at"] == (NEW_DATE.replace("Z", "+00:00") if name == "reschedule" else None)


async def test_a_cancellation_is_too(admin: Client, tenant: Tenant) -> None:
    for status in ("published", "postponed", "live"):
        event, before = await show_in(admin, status), counted(status, "cancelled")
        with capture_logs() as logs:
            data(await move(admin, event, "cancel"))
        [line] = told(logs, event["id"])
        assert (line["old_status"], line["new_status"], line["fact"]) == (status, "cancelled", "event.canceled")
        assert (line["reason"], line["actor_id"]) == ("The roof leaks", str(tenant.people["admin"].id))
        assert counted(status, "cancelled") == before + 1


async def test_so_is_every_change_by_the_event_service(admin: Client, tenant: Tenant) -> None:
    event = data(await admin.post(SERVICE, json=body(tenant)), 201)
    way = [
        ("publish", "draft", "published", None),
        ("unpublish", "published", "draft", None),
        ("publish", "draft", "published", None),
        ("cancel", "published", "cancelled", "canceled through the event service"),
    ]
    for name, old, new, reason in way:
        before = counted(old, new)
        with capture_logs() as logs:
            data(await admin.post(f"{SERVICE}/{event['id']}/{name}"))
        [line] = told(logs, event["id"])
        assert (line["old_status"], line["new_status"], line["reason"]) == (old, new, reason), name
        assert (line["actor_type"], line["actor_id"]) == ("user", str(tenant.people["admin"].id))
        assert counted(old, new) == before + 1


@pytest.mark.parametrize(("name", "new"), [("cancel", "cancelled"), ("postpone", "postponed")])
async def test_so_is_every_show_that_the_platform_stops(
    name: str, new: str, admin: Client, client: Client, owner: Any, tenant: Tenant
) -> None:
    wish = {"email": await make_platform_user(owner, "super_admin"), "password": PASSWORD}
    signed_in = data(await client.post("/api/platform/login", json=wish), 201)
    event, before = await show_in(admin, "published"), counted("published", new)
    with capture_logs() as logs:
        path = f"/api/platform/events/{event['id']}/{name}"
        data(await client.as_(signed_in["token"]).post(path, json={"reason": "fire safety"}))
    [line] = told(logs, event["id"])
    assert (line["old_status"], line["new_status"], line["reason"]) == ("published", new, "fire safety")
    assert (line["organization_id"], line["venue_id"]) == (str(tenant.id), event["venue_id"])
    assert line["actor_type"] == "platform"
    [stopped_by] = await owner.fetch(
        "SELECT actor_id::text AS id FROM audit_log WHERE entity_id::text = $1 AND actor_type = 'platform'", event["id"]
    )
    assert line["actor_id"] == stopped_by["id"]
    assert counted("published", new) == before + 1


async def test_so_is_every_show_that_begins_and_ends_on_schedule(
    server_url: str, services: Services, owner: Any, tenant: Tenant, clock: Callable[[timedelta], Any]
) -> None:
    event = await make_show(services, tenant, Move.PUBLISH)
    finder = await Database.open(server_url, WORKER, size=2)
    for shift, old, new in ((29 * DAY + 23 * HOUR, "published", "live"), (30 * DAY + 5 * HOUR, "live", "ended")):
        before = counted(old, new)
        await clock(shift)
        with capture_logs() as logs:
            await move_due_events(finder, services.database)  # of other tests' shows, too
        [line] = told(logs, str(event.id))
        assert (line["old_status"], line["new_status"], line["reason"]) == (old, new, "on schedule")
        assert (line["actor_type"], line["actor_id"]) == ("system", None)
        assert (line["organization_id"], line["venue_id"]) == (str(tenant.id), str(event.venue_id))
        assert counted(old, new) >= before + 1
    await finder.close()


async def test_what_was_rolled_back_never_was(services: Services, tenant: Tenant) -> None:
    event, before = await make_show(services, tenant), counted("draft", "published")
    with capture_logs() as logs, pytest.raises(ZeroDivisionError):
        async with services.database.tenant(tenant.id) as tx:
            await actions.move_event(tx, event.id, Move.PUBLISH)
            raise ZeroDivisionError
    assert [line for line in logs if line["event"] == "event.status_changed"] == []
    assert counted("draft", "published") == before


@pytest.mark.req("EV-16")
async def test_schedules_that_make_no_sense_are_counted(admin: Client, tenant: Tenant) -> None:
    event = await draft(admin)
    path = f"/api/events/{event['id']}"
    postponed: Any = await draft(admin, name="Postponed")
    for name in ("publish", "postpone"):
        data(await move(admin, postponed, name))
    wish = {name: event[name] for name in ("venue_id", "description", "category", "start_at", "end_at")}
    wrong = [
        ("invalid_times", admin.patch(path, json={"end_at": event["start_at"]}), event["id"]),
        ("start_in_the_past", admin.patch(path, json={"start_at": "2001-01-01T19:00:00Z"}), event["id"]),
        ("no_new_date", move(admin, postponed, "publish"), postponed["id"]),
        (
            "invalid_times",
            admin.post("/api/events", json=wish | {"name": "Twisted", "end_at": event["start_at"]}),
            None,
        ),
    ]
    for kind, asked, event_id in wrong:
        before = anomalies(kind)
        with capture_logs() as logs:
            assert refused(await asked)[1] == kind
        [line] = [line for line in logs if line["event"] == "event.schedule_anomaly"]
        assert (line["kind"], line["event_id"], line["organization_id"]) == (kind, event_id, str(tenant.id))
        assert line["venue_id"] in (event["venue_id"], postponed["venue_id"])
        assert anomalies(kind) == before + 1
