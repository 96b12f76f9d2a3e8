"""What is counted, logged and warned of."""

from typing import Any

import pytest
from prometheus_client import REGISTRY
from structlog.testing import capture_logs

from fullhouse.holds import actions
from fullhouse.holds.measures import sale_monitor
from fullhouse.holds.measures.sale_monitor import SaleMonitor, Sample, find_unusual
from fullhouse.kit.db.database import Database
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from tests.fixtures import Tenant, make_tenant
from tests.holds.helpers import convert, hall, hold, places, seats, stage

pytestmark = pytest.mark.req("OBS-1")


@pytest.fixture
async def tenant(process: Services) -> Tenant:
    return await make_tenant(process)


def metric(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


async def test_holds_are_counted_by_how_they_went(process: Services, tenant: Tenant) -> None:
    sale = await stage(process, tenant, hall())
    names = {
        "held": ("fullhouse_hold_items_total", {"outcome": "held"}),
        "refused": ("fullhouse_hold_items_total", {"outcome": "seat_held_by_another_user"}),
        "cancelled": ("fullhouse_holds_ended_total", {"ending": "cancelled"}),
        "aged": ("fullhouse_hold_age_seconds_count", {"ending": "cancelled"}),
    }
    before = {key: metric(name, **labels) for key, (name, labels) in names.items()}
    kept = await hold(process, tenant, sale, new_id(), *seats(sale, 1, 2))
    await hold(process, tenant, sale, new_id(), *seats(sale, 1))
    async with process.database.tenant(tenant.id) as tx:
        await actions.end(tx, [result.hold_id for result in kept if result.hold_id], "cancelled", reason="changed mind")
    after = {key: metric(name, **labels) - before[key] for key, (name, labels) in names.items()}
    assert after == {"held": 2, "refused": 1, "cancelled": 2, "aged": 2}


async def test_what_did_not_commit_is_not_counted(process: Services, tenant: Tenant) -> None:
    sale = await stage(process, tenant, hall())
    [kept] = await hold(process, tenant, sale, new_id(), *seats(sale, 1))
    before = metric("fullhouse_holds_ended_total", ending="cancelled")
    with pytest.raises(ZeroDivisionError):
        async with process.database.tenant(tenant.id) as tx:
            await actions.end(tx, [kept.hold_id] if kept.hold_id else [], "cancelled")
            raise ZeroDivisionError
    assert metric("fullhouse_holds_ended_total", ending="cancelled") == before


async def test_logs_name_the_show_the_seat_and_the_reason(process: Services, tenant: Tenant, owner: Any) -> None:
    sale = await stage(process, tenant, hall(wheelchairs=2))
    user_id = new_id()
    wheelchair = await owner.fetchval(
        "SELECT w.ordinal FROM event_seats c JOIN event_seats w ON w.event_id = c.event_id"
        " AND w.seat_id = c.companion_of WHERE c.event_id = $1 LIMIT 1",
        sale.event_id,
    )
    with capture_logs() as logs:
        [kept] = await hold(process, tenant, sale, user_id, seats(sale, wheelchair)[0]._replace(keeps_companions=True))
        await hold(process, tenant, sale, new_id(), *seats(sale, wheelchair))
        async with process.database.tenant(tenant.id) as tx:
            await actions.end(tx, [kept.hold_id] if kept.hold_id else [], "cancelled", reason="leak in the roof")
    said = {entry["event"]: entry for entry in logs}
    assert said["hold.refused"]["log_level"] == "debug"
    assert said["hold.refused"]["reason"] == "seat_held_by_another_user"
    assert {"holds": 1, "ending": "cancelled", "reason": "leak in the roof"}.items() <= said["holds.ended"].items()


async def test_gauges_say_how_a_show_is(
    process: Services, tenant: Tenant, finder: Database, owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sale_monitor, "ENDED_MIN", 1)
    sale = await stage(process, tenant, hall(rows=1, seats=10, pit=4))
    # 0 _ 2 3 _ 5 … : seats 0 and 5 to 9 free beside taken ones; 0 stands alone.
    results = await hold(process, tenant, sale, new_id(), *seats(sale, 1, 4), places(sale, "pit", 4))
    assert await convert(process, tenant, results[0].hold_id)
    async with process.database.tenant(tenant.id) as tx:
        await actions.end(tx, [r.hold_id for r in results[1:] if r.hold_id], "cancelled")
    with capture_logs() as logs:
        watching = SaleMonitor(process, finder)
        await watching.check_all()
        await watching.check_all()  # it is not odd anew
    labels = {"organization": str(tenant.id), "event": str(sale.event_id)}
    assert metric("fullhouse_event_orphans_ratio", **labels) == pytest.approx(1 / 9)
    assert metric("fullhouse_event_conversion_ratio", **labels) == pytest.approx(1 / 3)
    assert REGISTRY.get_sample_value("fullhouse_event_vip_ratio", labels) is None
    warnings = [entry for entry in logs if entry.get("event_id") == str(sale.event_id)]
    assert [(entry["measure"], entry["log_level"]) for entry in warnings] == [("orphans", "warning")]


async def test_live_holds_of_a_stopped_show_are_an_alert(
    process: Services, tenant: Tenant, finder: Database, owner: Any
) -> None:
    sale = await stage(process, tenant, hall())
    await hold(process, tenant, sale, new_id(), *seats(sale, 1))
    watching = SaleMonitor(process, finder)
    await watching.check_all()
    cancelled = {"status": "cancelled", "kind": "holds"}
    before = metric("fullhouse_live_of_stopped_events", **cancelled)
    await owner.execute(
        "UPDATE events SET status = 'cancelled', cancelled_at = now(), cancellation_reason = 'x' WHERE id = $1",
        sale.event_id,
    )
    try:
        with capture_logs() as logs:
            await watching.check_all()
        assert metric("fullhouse_live_of_stopped_events", **cancelled) == before + 1
        assert any(entry["log_level"] == "error" for entry in logs)
        (line,) = [entry for entry in logs if entry["event"] == "event.stopped_with_live"]
        assert (line["event_id"], line["status"], line["tickets"], line["holds"]) == (
            str(sale.event_id),
            "cancelled",
            0,
            1,
        )
    finally:
        await owner.execute("UPDATE seat_holds SET status = 'cancelled' WHERE event_id = $1", sale.event_id)
    await watching.check_all()
    assert metric("fullhouse_live_of_stopped_events", **cancelled) == before


USUAL = Sample(orphans=0.04, vip=0.7, accessible=0.02, conversion=0.5, full=0.6, ended=100)


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ({}, []),
        ({"orphans": 0.1}, []),
        ({"orphans": 0.11}, ["orphans"]),
        ({"vip": 0.39}, ["vip"]),
        ({"vip": 0.39, "full": 0.4}, []),
        ({"vip": 0.96, "full": 0.1}, ["vip"]),
        ({"accessible": 0.0}, ["accessible"]),
        ({"accessible": 0.0, "full": 0.4}, []),
        ({"accessible": 0.051}, ["accessible"]),
        ({"conversion": 0.24}, ["conversion"]),
        ({"conversion": 0.86, "full": 0.1}, ["conversion"]),
        ({"conversion": 0.0, "ended": 19}, []),
        ({"orphans": None, "vip": None, "accessible": None, "conversion": None}, []),
    ],
)
def test_what_is_unusual(more: dict[str, Any], found: list[str]) -> None:
    fields = {name: getattr(USUAL, name) for name in Sample.__struct_fields__}
    assert list(find_unusual(Sample(**fields | more))) == found
