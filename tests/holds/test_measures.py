"""The measures that people see: the same bounds as the worker's warnings, and what lies between them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from prometheus_client import CollectorRegistry, Histogram

from fullhouse.holds.measures.reads import OBSERVED_MIN, to_expiries, to_installation_measure, to_measures
from fullhouse.holds.measures.sale_monitor import Sample
from fullhouse.holds.model import HourOfEndings
from fullhouse.kit.telemetry import telemetry
from tests.accounts.helpers import data
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest, hall, on_sale

pytestmark = pytest.mark.req("OBS-1")
BUSY = {"orphans": 0.04, "vip": 0.7, "accessible": 0.02, "conversion": 0.5, "full": 0.6, "ended": 100}


@pytest.mark.parametrize(
    ("more", "states"),
    [
        ({}, {"orphans": "good", "vip": "good", "accessible": "good", "conversion": "good"}),
        ({"orphans": 0.07}, {"orphans": "watch"}),
        ({"orphans": 0.11}, {"orphans": "alert"}),
        ({"vip": 0.5}, {"vip": "watch"}),
        ({"vip": 0.5, "full": 0.1}, {"vip": "unknown"}),
        ({"vip": 0.3}, {"vip": "alert"}),
        ({"vip": 0.3, "full": 0.1}, {"vip": "unknown"}),
        ({"vip": None}, {"vip": "unknown"}),
        ({"accessible": 0.0}, {"accessible": "alert"}),
        ({"accessible": 0.0, "full": 0.1}, {"accessible": "unknown"}),
        ({"accessible": 0.04}, {"accessible": "watch"}),
        ({"conversion": 0.1, "ended": 5}, {"conversion": "unknown"}),
        ({"conversion": 0.1}, {"conversion": "alert"}),
        ({"conversion": 0.3}, {"conversion": "watch"}),
    ],
)
def test_how_a_show_is_doing(more: dict[str, Any], states: dict[str, str]) -> None:
    found = {measure.name: measure for measure in to_measures(Sample(**BUSY | more))}
    assert {name: found[name].state for name in states} == states
    assert all((measure.state == "alert") == (measure.why is not None) for measure in found.values())


@pytest.mark.parametrize(
    ("name", "value", "state"),
    [
        ("layout_load", 0.04, "good"),
        ("layout_load", 0.15, "watch"),
        ("layout_load", 0.21, "alert"),
        ("warm_write", 0.11, "alert"),
        ("warm_write", None, "unknown"),
        ("layout_hits", 0.96, "good"),
        ("layout_hits", 0.85, "watch"),
        ("layout_hits", 0.79, "alert"),
    ],
)
def test_how_the_installation_is_doing(name: str, value: float | None, state: str) -> None:
    assert to_installation_measure(name, value, OBSERVED_MIN).state == state
    assert to_installation_measure(name, value, OBSERVED_MIN - 1).state == "unknown"  # a house that was just opened


def _day(*expired: int) -> list[HourOfEndings]:
    first = datetime(2027, 1, 1, tzinfo=UTC)
    return [
        HourOfEndings(hour=first + timedelta(hours=n), converted=0, expired=count, cancelled=0)
        for n, count in enumerate(expired)
    ]


@pytest.mark.parametrize(
    ("hours", "spike"),
    [
        ((), False),
        ((0, 0, 0, 10), False),  # few are no spike, however quiet it was
        ((0, 0, 0, 11), True),
        ((20, 24, 22, 26), False),
        ((20, 24, 22, 60), True),
    ],
)
def test_a_spike_stands_out_of_the_hours_before(hours: tuple[int, ...], spike: bool) -> None:
    assert to_expiries(_day(*hours)).spike is spike


def test_a_quantile_of_a_histogram() -> None:
    registry = CollectorRegistry()
    seconds = Histogram("seconds", "…", ["kind"], buckets=(1, 2, 4), registry=registry)
    samples = [s for family in registry.collect() for s in family.samples]
    assert telemetry.quantile(samples, 0.95) is None
    for value in (0.5, 1.5, 1.5, 3):
        seconds.labels("a").observe(value)
    seconds.labels("b").observe(100)
    samples = [s for family in registry.collect() for s in family.samples]
    assert telemetry.quantile(samples, 0.5) == pytest.approx(1.75)
    assert telemetry.quantile(samples, 0.8) == pytest.approx(4)
    assert telemetry.count_observations(samples) == 5
    assert telemetry.quantile(samples, 0.99) == 4  # beyond the last bucket: at least its edge


async def test_an_organisation_sees_its_own_shows(client: Client, tenant: Tenant, other_tenant: Tenant) -> None:
    owners = client.as_(tenant.tokens["owner"])
    sale = await on_sale(owners, hall(rows=1, seats=10, wheelchairs=1))
    buyer = await guest(client, tenant)
    given_back = data(await buyer.post(sale.path(f"seats/{sale.seat(7)}/reserve"), json={}), 201)
    await buyer.delete(f"/api/holds/{given_back['hold_id']}")
    data(await buyer.post(sale.path(f"seats/{sale.seat(4)}/reserve"), json={}), 201)
    found = data(await owners.get("/api/org/metrics"))
    [show] = found["shows"]
    assert (show["event_id"], show["full"]) == (str(sale.event_id), 0.1)
    measures = {measure["name"]: measure for measure in show["measures"]}
    assert measures["orphans"]["value"] == 0
    assert (measures["orphans"]["target_high"], measures["orphans"]["high"]) == (0.05, 0.10)
    assert measures["accessible"]["state"] == "unknown"  # too early: the show is empty
    hours = found["expiries"]["hours"]
    assert len(hours) == 24
    assert sum(hour["cancelled"] for hour in hours) == 1
    assert sum(hour["converted"] + hour["expired"] for hour in hours) == 0
    assert {measure["name"] for measure in found["house"]} == {"layout_load", "warm_write", "layout_hits"}
    strangers = client.as_(other_tenant.tokens["owner"])
    assert data(await strangers.get("/api/org/metrics"))["shows"] == []
    later = {
        "reason": "Storm",
        "rescheduled_at": (datetime.fromisoformat(show["start_at"]) + timedelta(30)).isoformat(),
    }
    moved = data(await owners.post(f"/api/events/{sale.event_id}/postpone", json=later))
    [show] = data(await owners.get("/api/org/metrics"))["shows"]
    assert (show["start_at"], show["rescheduled_at"]) == (moved["start_at"], moved["rescheduled_at"])
