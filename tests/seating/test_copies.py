"""A show that repeats another one: the same seating, and every seat free."""

from typing import Any
from uuid import UUID

import msgspec
import pytest

from fullhouse.kit.services import Services
from fullhouse.seating.plans.chart import seat_id
from tests.accounts.helpers import audited, data, refused
from tests.events.helpers import NEW_DATE, make_venue
from tests.fixtures import Client, Tenant
from tests.seating.helpers import (
    allow,
    hold,
    house,
    next_version,
    pools_of,
    seat_of,
    seated_show,
    sell,
    states_of,
    zone_id,
)

pytestmark = pytest.mark.req("SEAT-3", "EV-10")


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


async def again(client: Client, event: Any) -> Any:
    return data(await client.post(f"/api/events/{event['id']}/duplicate", json={"start_at": NEW_DATE}), 201)


async def layout_of(client: Client, event: Any) -> Any:
    return data(await client.get(f"/api/events/{event['id']}/layout"))


@pytest.mark.req("POL-1")
async def test_the_overlay_comes_along_and_the_states_do_not(
    admin: Client, owner: Any, services: Services, tenant: Tenant
) -> None:
    await allow(services, tenant, allow_vip_zones=True)
    event, layout = await seated_show(admin, house())
    stalls, pit, lounge = (zone_id(layout, key) for key in ("stalls", "pit", "lounge"))
    overlay = {
        "disabled_zones": [pit],
        "zone_overrides": {lounge: {"access_mode": "whitelist"}},
        "pricing_zones": {stalls: "two"},
        "policy": {"max_seats_per_booking": 4},
    }
    blocked = [str(seat_id(UUID(layout["id"]), 6))]
    wish = {"layout_id": layout["id"], "blocked_seat_ids": blocked, **overlay}
    data(await admin.put(f"/api/events/{event['id']}/layout", json=wish))
    await sell(owner, event, "A-3")
    await hold(owner, event, "A-4")
    before = await states_of(owner, event)
    copy = await again(admin, event)
    found = await layout_of(admin, copy)
    assert {name: found[name] for name in overlay} == overlay
    assert (found["layout_id"], found["version"], found["blocked_seat_ids"]) == (layout["id"], 1, blocked)
    assert set((await states_of(owner, copy)).values()) == {"available", "blocked"}
    assert await pools_of(owner, copy) == {("zone", "stalls"): (5, 0, 0), ("zone", "lounge"): (2, 0, 0)}
    assert await states_of(owner, event) == before
    assert [row["entity_id"] for row in await audited(owner, tenant, "event.layout_set")][-1] == UUID(copy["id"])


async def test_a_copy_takes_the_version_that_shows_take_now(admin: Client, owner: Any) -> None:
    event, layout = await seated_show(admin, pricing_zones={})
    data(
        await admin.post(
            f"/api/events/{event['id']}/seats/block",
            json={
                "seat_ids": [str(await seat_of(owner, event, "A-4"))],
                "reason": "pillar",
            },
        )
    )
    plan = house()
    newer = await next_version(admin, layout, msgspec.structs.replace(plan, zones=plan.zones[:2], name="Painted"))
    copy = await again(admin, event)
    assert (await layout_of(admin, copy))["layout_id"] == newer["id"]
    assert (await layout_of(admin, event))["layout_id"] == layout["id"]
    assert (await states_of(owner, copy))["A-4"] == "blocked"


async def test_what_became_mandatory_is_not_overridden_by_a_copy(
    admin: Client, services: Services, tenant: Tenant
) -> None:
    event, _ = await seated_show(admin, policy={"max_seats_per_booking": 4, "max_group_split": 1})
    await allow(services, tenant, "max_seats_per_booking")
    copy = await again(admin, event)
    assert (await layout_of(admin, copy))["policy"] == {"max_group_split": 1}


@pytest.mark.req("AUD-1")
@pytest.mark.parametrize("gone", ["archived", "not allowed any more", "of another venue"])
async def test_what_does_not_fit_any_more_is_left_out_and_said(
    gone: str, admin: Client, owner: Any, services: Services, tenant: Tenant
) -> None:
    event, layout = await seated_show(admin)
    if gone == "archived":
        data(await admin.post(f"/api/layouts/{layout['id']}/archive"))
    elif gone == "not allowed any more":
        await allow(services, tenant, allow_ga_seating=False)
    else:
        await sell(owner, event, "A-3")
        there = await make_venue(admin, name="Open Air")
        moving = {"venue_id": there["id"], "reason": "storm", "consent_note": "all were asked"}
        data(await admin.patch(f"/api/events/{event['id']}", json=moving))
    copy = await again(admin, event)
    assert refused(await admin.get(f"/api/events/{copy['id']}/layout")) == (404, "event_has_no_layout")
    (row,) = await audited(owner, tenant, "event.layout_not_copied")
    assert (row["entity_id"], bool(row["reason"])) == (UUID(copy["id"]), True)


async def test_a_show_without_seats_has_a_copy_without_any(admin: Client, owner: Any, tenant: Tenant) -> None:
    event, _ = await seated_show(admin)
    assert (await admin.delete(f"/api/events/{event['id']}/layout")).status_code == 204
    copy = await again(admin, event)
    assert refused(await admin.get(f"/api/events/{copy['id']}/layout")) == (404, "event_has_no_layout")
    assert await audited(owner, tenant, "event.layout_not_copied") == []
