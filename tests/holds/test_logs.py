"""What is written of seats, layouts, zones and caches: one line each, at info, with the ids that people search for."""

from typing import Any
from uuid import UUID

import pytest
from structlog.testing import capture_logs

from fullhouse.seating.plans.plan import encode
from tests.accounts.helpers import data, refused
from tests.checkout.helpers import bought, selling
from tests.fixtures import Client, Tenant
from tests.holds.baskets import best, chairs
from tests.holds.helpers import guest, hall, on_sale
from tests.holds.test_rules import closed
from tests.seating.helpers import make_layout, next_version, rows_of

pytestmark = pytest.mark.req("OBS-1")


def lines(logs: Any, event: str) -> list[dict[str, Any]]:
    """Without its name; all of them are at info."""
    found = [dict(entry) for entry in logs if entry["event"] == event]
    assert {entry.pop("log_level") for entry in found} <= {"info"}
    for entry in found:
        del entry["event"]
    return found


async def test_a_hold_and_what_becomes_of_its_seat(staff: Client, buyer: Client, tenant: Tenant) -> None:
    sale = await on_sale(staff, hall())
    about = {"org_id": str(tenant.id), "event_id": str(sale.event_id), "seat_id": sale.seat(0)}
    with capture_logs() as logs:
        held = data(await buyer.post(sale.path(f"seats/{sale.seat(0)}/reserve"), json={}), 201)
    (line,) = lines(logs, "seat_hold.created")
    assert UUID(line.pop("hold_id")) == UUID(held["hold_id"])
    assert line.pop("held_until").startswith(held["held_until"][:19])
    assert line == about | {
        "user_id": str(tenant.people["customer"].id),
        "quantity": 1,
        "status_before": "available",
        "status_after": "held",
        "reason": "web",
    }
    with capture_logs() as logs:
        assert (await buyer.delete(f"/api/holds/{held['hold_id']}")).status_code == 204
    gone = {"status_before": "held", "status_after": "available", "reason": "cancelled"}
    assert lines(logs, "seat.status_changed") == [about | gone]
    wish = {"seat_ids": [sale.seat(0)], "reason": "Camera"}
    with capture_logs() as logs:
        data(await staff.post(sale.path("seats/block"), json=wish))
        data(await staff.post(sale.path("seats/unblock"), json=wish))
    assert lines(logs, "seat.status_changed") == [
        about | {"status_before": "available", "status_after": "blocked", "reason": "Camera"},
        about | {"status_before": "blocked", "status_after": "available", "reason": "Camera"},
    ]


async def test_a_held_seat_that_is_blocked_was_freed_before(staff: Client, buyer: Client) -> None:
    sale = await on_sale(staff, hall())
    data(await buyer.post(sale.path(f"seats/{sale.seat(0)}/reserve"), json={}), 201)
    with capture_logs() as logs:
        data(await staff.post(sale.path("seats/block"), json={"seat_ids": [sale.seat(0)], "reason": "Camera"}))
    said = [(line["status_before"], line["status_after"]) for line in lines(logs, "seat.status_changed")]
    assert sorted(said) == [("available", "blocked"), ("held", "available")]


async def test_a_seat_that_is_sold_and_given_back(client: Client, staff: Client, tenant: Tenant) -> None:
    sale = await selling(staff)
    with capture_logs() as logs:
        order = await bought(client, tenant, sale, 3)
    (line,) = [line for line in lines(logs, "seat.status_changed") if line["status_after"] == "sold"]
    assert (line["status_before"], line["event_id"], line["reason"]) == ("held", str(sale.event_id), "converted")
    seat = line["seat_id"]
    with capture_logs() as logs:
        data(await staff.post(f"/api/tickets/{order['tickets'][0]['id']}/cancel", json={"reason": "Ill"}))
    (line,) = [line for line in lines(logs, "seat.status_changed") if line["status_before"] == "sold"]
    assert (line["status_after"], line["seat_id"], line["org_id"]) == ("available", seat, str(tenant.id))
    assert line["reason"] == "Ill"


async def test_a_layout_and_its_versions(staff: Client, tenant: Tenant) -> None:
    with capture_logs() as logs:
        first = await make_layout(staff, rows_of(("A", 3)))
        second = await next_version(staff, first, rows_of(("A", 4)))
    about = {"org_id": str(tenant.id), "venue_id": first["venue_id"]}
    said = lines(logs, "layout.version_changed")
    assert said == [
        about | {"layout_id": i, "version_before": before, "version_after": after, "status": status}
        for i, before, after, status in (
            (first["id"], None, 1, "draft"),
            (first["id"], None, 1, "active"),
            (second["id"], 1, 2, "draft"),
            (second["id"], 1, 2, "active"),
        )
    ]
    with capture_logs() as logs:  # nothing is said of what did not happen
        path = f"/api/layouts/{second['id']}/versions"
        wrong = await staff.post(path, content=encode(rows_of()), headers={"content-type": "application/json"})
    assert wrong.status_code == 422
    assert lines(logs, "layout.version_changed") == []


async def test_what_caches_forget(staff: Client, tenant: Tenant) -> None:
    sale = await on_sale(staff, hall())
    with capture_logs() as logs:
        data(await staff.put(sale.path("seating-policy"), json={"policy": {"max_group_split": 1}}))
    key = f"org:{tenant.id}:event:{sale.event_id}:seating"
    said = [line for line in lines(logs, "cache.invalidated") if key in line["keys_invalidated"]]
    assert said == [{"org_id": str(tenant.id), "event_id": str(sale.event_id), "keys_invalidated": [key]}]


async def test_seats_that_are_left_alone(staff: Client, buyer: Client, tenant: Tenant) -> None:
    sale = await on_sale(staff, hall(1, 3))
    with capture_logs() as logs:
        basket = data(await best(buyer, sale, 2), 201)
    about = {"org_id": str(tenant.id), "event_id": str(sale.event_id)}
    assert lines(logs, "orphan_seats.created") == [about | {"orphans_created": 1, "reason": basket["explanation"]}]
    loose = await on_sale(staff, hall(1, 6), event={"name": "Another night"}, policy={"orphan_avoidance_strict": False})
    with capture_logs() as logs:
        picked = [{"seat_id": loose.seat(n)} for n in (1, 2)]
        data(await buyer.post(loose.path("holds"), json={"items": picked}), 201)
    (line,) = lines(logs, "orphan_seats.created")
    assert (line["event_id"], line["orphans_created"]) == (str(loose.event_id), 1)
    assert line["reason"]


async def test_who_is_let_into_a_zone_and_who_is_not(
    staff: Client, buyer: Client, client: Client, tenant: Tenant
) -> None:
    sale = await on_sale(staff, closed(access_mode="whitelist"))
    (zone,) = sale.zones.values()
    about = {"org_id": str(tenant.id), "event_id": str(sale.event_id), "zone_id": zone}
    me = {"user_id": str(tenant.people["customer"].id)}
    with capture_logs() as logs:
        answer = await buyer.post(sale.path(f"seats/{sale.seat(0)}/reserve"), json={})
    assert refused(answer) == (403, "zone_access_denied")
    (line,) = lines(logs, "zone.access")
    assert "invited guests" in line.pop("reason")
    assert line == about | me | {"access_denied": True}
    listed = {"guests": [{"email": "customer@example.org", "name": "C"}]}
    data(await staff.post(sale.path(f"zones/{zone}/guests"), json=listed))
    with capture_logs() as logs:
        data(await buyer.post(sale.path(f"seats/{sale.seat(0)}/reserve"), json={}), 201)
    assert lines(logs, "zone.access") == [about | me | {"access_granted": True, "reason": "whitelist"}]


@pytest.mark.req("ACC-2")
async def test_a_wheelchair_place_and_its_companion(
    staff: Client, buyer: Client, client: Client, tenant: Tenant, owner: Any
) -> None:
    sale = await on_sale(staff, hall(3, 8, wheelchairs=2))
    (chair, beside), (other, taken) = await chairs(owner, sale)
    about = {"org_id": str(tenant.id), "event_id": str(sale.event_id)}
    with capture_logs() as logs:
        data(await buyer.post(sale.path(f"seats/{sale.seat(chair)}/reserve"), json={}), 201)
    assert lines(logs, "wheelchair.held") == [
        about | {"seat_id": sale.seat(chair), "companion_seat_id": sale.seat(beside), "companion_soft_reserved": True}
    ]
    stranger = await guest(client, tenant)
    data(await stranger.post(sale.path(f"seats/{sale.seat(taken)}/reserve"), json={}), 201)
    late = await guest(client, tenant)
    with capture_logs() as logs:
        data(await late.post(sale.path(f"seats/{sale.seat(other)}/reserve"), json={}), 201)
    assert lines(logs, "wheelchair.held") == [
        about | {"seat_id": sale.seat(other), "companion_seat_id": sale.seat(taken), "companion_soft_reserved": False}
    ]
