"""The policy of an organisation and what a show makes of a layout: what it may override, and what it may not."""

from typing import Any

import pytest

from fullhouse.kit.services import Services
from tests.accounts.helpers import data, refused
from tests.events.helpers import announced, draft, trail
from tests.fixtures import Client, Tenant
from tests.seating.helpers import (
    allow,
    attach,
    make_layout,
    seated_show,
    sell,
    zone_id,
)


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


@pytest.mark.req("POL-1")
@pytest.mark.parametrize(
    ("values", "disabled", "sentence"),
    [
        ({"allow_vip_zones": False}, [], "VIP zones are not allowed here."),
        ({"allow_vip_zones": True, "allow_reserved_seating": False}, ["pit"], "Zones with seats are not allowed here."),
        ({"allow_vip_zones": True, "allow_ga_seating": False}, [], "Zones without seats are not allowed here."),
        (
            {"allow_vip_zones": True, "allow_hybrid_ga_reserved": False},
            [],
            "Zones with seats and zones without seats cannot be combined in one event.",
        ),
    ],
)
async def test_zones_that_the_policy_does_not_allow(
    values: dict[str, Any], disabled: list[str], sentence: str, admin: Client, services: Services, tenant: Tenant
) -> None:
    layout = await make_layout(admin)
    event = await draft(admin, venue_id=layout["venue_id"])
    closed = [zone_id(layout, key) for key in disabled]
    await allow(services, tenant, **values)
    answer = await attach(admin, event, layout, disabled_zones=closed)
    assert refused(answer) == (422, "overlay_invalid")
    assert [(f["path"], f["message"]) for f in answer.json()["fields"]] == [("zones", sentence)]
    await allow(services, tenant, allow_vip_zones=True)
    data(await attach(admin, event, layout, disabled_zones=closed))


@pytest.mark.req("POL-1", "SEAT-3")
async def test_a_show_overrides_what_is_not_mandatory(admin: Client, services: Services, tenant: Tenant) -> None:
    await allow(services, tenant, "max_seats_per_booking", max_seats_per_booking=6)
    event, layout = await seated_show(admin)
    wrong = {"max_seats_per_booking": 8, "default_hold_ttl_minutes": 31, "colour": 1, "orphan_avoidance_strict": 1}
    answer = await attach(admin, event, layout, policy=wrong)
    assert refused(answer) == (422, "seating_policy_invalid")
    assert {field["path"]: field["message"] for field in answer.json()["fields"]} == {
        "policy.max_seats_per_booking": "The platform has made this mandatory.",
        "policy.default_hold_ttl_minutes": "A number from 1 to 30.",
        "policy.colour": "There is no such field.",
        "policy.orphan_avoidance_strict": "True or false.",
    }
    data(await attach(admin, event, layout, policy={"default_hold_ttl_minutes": 8, "allow_vip_zones": True}))
    said = {row["name"]: row for row in data(await admin.get(f"/api/events/{event['id']}/seating-policy"))}
    for name, value, source in (
        ("default_hold_ttl_minutes", 8, "event"),
        ("max_seats_per_booking", 6, "organization"),
        ("max_group_split", 2, "platform"),
    ):
        assert (said[name]["value"], said[name]["source"]) == (value, source)


async def test_a_mandatory_mark_that_comes_later_counts_too(admin: Client, services: Services, tenant: Tenant) -> None:
    event, layout = await seated_show(admin)
    data(await attach(admin, event, layout, policy={"max_seats_per_booking": 8}))
    await allow(services, tenant, "max_seats_per_booking")
    said = {row["name"]: row for row in data(await admin.get(f"/api/events/{event['id']}/seating-policy"))}
    field = said["max_seats_per_booking"]
    assert (field["value"], field["source"], field["mandatory"]) == (10, "platform", True)


@pytest.mark.req("POL-1", "AUD-1")
async def test_a_show_changes_its_rules_while_it_sells(
    admin: Client, services: Services, tenant: Tenant, owner: Any
) -> None:
    await allow(services, tenant, "max_holds_per_ip", allow_vip_zones=True)
    event, layout = await seated_show(admin)
    await sell(owner, event, "A-1")
    assert refused(await attach(admin, event, layout, policy={"max_group_split": 1})) == (409, "layout_in_use")
    path = f"/api/events/{event['id']}/seating-policy"
    answer = await admin.put(path, json={"policy": {"max_group_split": 1}}, headers={"if-match": '"1"'})
    said = {row["name"]: row for row in data(answer)}
    assert (said["max_group_split"]["value"], said["max_group_split"]["source"]) == (1, "event")
    assert (said["max_group_split"]["low"], said["max_group_split"]["high"]) == (0, 20)
    assert said["allow_vip_zones"]["low"] is None
    assert answer.headers["etag"] == '"2"'
    stale = await admin.put(path, json={"policy": {}}, headers={"if-match": '"1"'})
    assert refused(stale)[0] == 412
    wrong = await admin.put(path, json={"policy": {"max_holds_per_ip": 3, "max_group_split": 21}})
    assert refused(wrong) == (422, "seating_policy_invalid")
    assert {f["path"] for f in wrong.json()["fields"]} == {"policy.max_holds_per_ip", "policy.max_group_split"}
    assert refused(await admin.put(path, json={"policy": {"allow_reserved_seating": False}})) == (
        422,
        "overlay_invalid",
    )
    row = (await trail(owner, tenant, event))[-1]
    assert (row["action"], row["before"], row["after"]) == ("event.policy_set", {}, {"max_group_split": 1})
    assert (await announced(owner, event))[-1]["name"] == "event.policy_changed"
    data(await admin.put(path, json={"policy": {}}))
    again = {row["name"]: row for row in data(await admin.get(path))}
    assert again["max_group_split"]["source"] == "platform"


async def test_a_show_without_a_layout_has_no_rules_of_its_own(admin: Client) -> None:
    event = await draft(admin)
    answer = await admin.put(f"/api/events/{event['id']}/seating-policy", json={"policy": {}})
    assert refused(answer) == (404, "event_has_no_layout")
