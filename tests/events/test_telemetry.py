"""What operators hear of events: every change of status, and schedules that make no sense."""

from typing import Any

import pytest
from prometheus_client import REGISTRY
from structlog.testing import capture_logs

from fullhouse.events import actions
from fullhouse.events.policy import Move
from fullhouse.kit.services import Services
from tests.accounts.helpers import data, refused
from tests.events.helpers import NEW_DATE, draft, make_show, move
from tests.fixtures import Client, Tenant

pytestmark = pytest.mark.req("OBS-1")


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


def counted(old: str, new: str) -> float:
    labels = {"old": old, "new": new}
    return REGISTRY.get_sample_value("fullhouse_event_status_changes_total", labels) or 0.0


def anomalies(kind: str) -> float:
    return REGISTRY.get_sample_value("fullhouse_event_anomalies_total", {"kind": kind}) or 0.0


async def test_every_change_of_status_is_logged_and_counted(admin: Client, tenant: Tenant) -> None:
    event = await draft(admin)
    way = [
        ("publish", "draft", "published", None),
        ("postpone", "published", "postponed", "Storm warning"),
        ("reschedule", "postponed", "postponed", None),
        ("start", "postponed", "live", None),
        ("end", "live", "ended", None),
        ("archive", "ended", "archived", None),
    ]
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
