"""The seating policy: every field, whose word counts, who may say it; and who may enter which zone, as a table."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fullhouse.kit.ids import new_id
from fullhouse.seating import policy
from fullhouse.seating.model import Zone
from fullhouse.seating.policy import FIELDS, Visitor
from tests.accounts.helpers import PASSWORD, audited, data, make_platform_user, refused
from tests.fixtures import Client, Tenant
from tests.seating.helpers import seated_show

# Written down a second time on purpose: name, default, lowest, highest. A switch has no range.
EXPECTED: list[tuple[str, Any, int | None, int | None]] = [
    ("allow_reserved_seating", True, None, None),
    ("allow_ga_seating", True, None, None),
    ("allow_hybrid_ga_reserved", True, None, None),
    ("allow_vip_zones", False, None, None),
    ("enforce_accessibility_rules", True, None, None),
    ("companion_release_occupancy_threshold", 85, 1, 100),
    ("max_wheelchair_seats_per_booking", 1, 0, 50),
    ("accessibility_audit_enabled", True, None, None),
    ("max_seats_per_booking", 10, 1, 100),
    ("orphan_avoidance_strict", True, None, None),
    ("group_adjacency_strict", False, None, None),
    ("max_group_split", 2, 0, 20),
    ("prefer_clustering_over_selection", False, None, None),
    ("default_hold_ttl_minutes", 5, 1, 30),
    ("max_holds_per_user", None, 1, 1000),
    ("max_holds_per_ip", None, 1, 10_000),
    ("holds_per_window", 10, 1, 10_000),
]
OPTIONAL = {"max_holds_per_user", "max_holds_per_ip"}
fields = pytest.mark.parametrize(("name", "default", "low", "high"), EXPECTED, ids=[row[0] for row in EXPECTED])


def wrong(name: str, value: Any) -> bool:
    mistakes = policy.check_values({name: value}, "policy")
    assert [mistake.path for mistake in mistakes] in ([], [f"policy.{name}"])
    return bool(mistakes)


@pytest.mark.req("POL-1")
def test_there_are_these_fields_and_no_others() -> None:
    assert list(FIELDS) == [row[0] for row in EXPECTED]
    assert all(field.meaning.endswith(".") for field in FIELDS.values())


@pytest.mark.req("POL-1")
@fields
def test_each_field_has_its_default_and_range(name: str, default: Any, low: int | None, high: int | None) -> None:
    assert FIELDS[name].default is default or FIELDS[name].default == default
    if low is None or high is None:
        assert not wrong(name, True)
        assert not wrong(name, False)
        assert wrong(name, 1)
        assert wrong(name, None)
        return
    assert not wrong(name, low)
    assert not wrong(name, high)
    assert wrong(name, low - 1)
    assert wrong(name, high + 1)
    assert wrong(name, True)
    assert wrong(name, None) is (name not in OPTIONAL)


@pytest.mark.req("POL-1")
@fields
def test_whose_word_counts(name: str, default: Any, low: int | None, high: int | None) -> None:
    of_org, of_event = (not default, default) if low is None else (low, high)

    def said(organization: dict[str, Any], mandatory: list[str], event: dict[str, Any]) -> tuple[Any, str, bool]:
        found = {field.name: field for field in policy.explain_policy(organization, mandatory, event)}
        assert list(found) == list(FIELDS)
        assert found[name].default == default
        return found[name].value, found[name].source, found[name].mandatory

    assert said({}, [], {}) == (default, "platform", False)
    assert said({name: of_org}, [], {}) == (of_org, "organization", False)
    assert said({name: of_org}, [], {name: of_event}) == (of_event, "event", False)
    assert said({}, [], {name: of_event}) == (of_event, "event", False)
    assert said({name: of_org}, [name], {name: of_event}) == (of_org, "organization", True)
    assert said({}, [name], {name: of_event}) == (default, "platform", True)
    mistakes = policy.check_overrides({name: of_event}, [name])
    assert [(m.path, m.message) for m in mistakes] == [(f"policy.{name}", "The platform has made this mandatory.")]
    assert policy.check_overrides({name: of_event}, set(FIELDS) - {name}) == []


# --- over HTTP


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


async def _platform(client: Client, owner: Any, role: str) -> Client:
    email = await make_platform_user(owner, role)
    wish = {"email": email, "password": PASSWORD}
    return client.as_(data(await client.post("/api/platform/login", json=wish), 201)["token"])


@pytest.mark.req("POL-1", "AUD-1")
async def test_super_admins_say_what_counts(client: Client, admin: Client, owner: Any, tenant: Tenant) -> None:
    root = await _platform(client, owner, "super_admin")
    plain = {row["name"]: row for row in data(await admin.get("/api/org/seating-policy"))}
    assert {name: row["value"] for name, row in plain.items()} == {row[0]: row[1] for row in EXPECTED}
    assert {row["source"] for row in plain.values()} == {"platform"}
    path = f"/api/platform/organizations/{tenant.id}/seating-policy"
    said = {"allow_vip_zones": True, "max_holds_per_ip": 20, "max_holds_per_user": None}
    answer = data(await root.put(path, json={"values": said, "mandatory": ["max_holds_per_ip"]}))
    shown = data(await admin.get("/api/org/seating-policy"))
    assert answer == shown
    rows = {row["name"]: row for row in shown}
    assert {name: rows[name]["value"] for name in said} == said
    assert {name for name, row in rows.items() if row["source"] == "organization"} == set(said)
    assert [name for name, row in rows.items() if row["mandatory"]] == ["max_holds_per_ip"]
    data(await root.put(path, json={"values": {}}))
    assert {row["name"]: row for row in data(await admin.get("/api/org/seating-policy"))} == plain
    first, second = await audited(owner, tenant, "seating_policy.updated")
    assert (first["actor_type"], first["before"]) == ("platform", None)
    assert '"mandatory"' in second["before"]
    facts = await owner.fetch("SELECT name FROM outbox WHERE subject_id = $1 ORDER BY seq", tenant.id)
    assert [row["name"] for row in facts].count("seating_policy.changed") == 2


@pytest.mark.req("POL-1", "RBAC-1", "TEN-2")
async def test_nobody_else_says_it(client: Client, owner: Any, tenant: Tenant, other_tenant: Tenant) -> None:
    path = f"/api/platform/organizations/{tenant.id}/seating-policy"
    body = {"values": {"allow_vip_zones": True}}
    manager = await _platform(client, owner, "tenant_manager")
    assert refused(await manager.put(path, json=body)) == (403, "forbidden")
    assert refused(await client.as_(tenant.tokens["owner"]).put(path, json=body)) == (403, "forbidden")
    root = await _platform(client, owner, "super_admin")
    unknown = f"/api/platform/organizations/{new_id()}/seating-policy"
    assert (await root.put(unknown, json=body)).status_code == 404
    data(await root.put(path, json=body))
    theirs = data(await client.as_(other_tenant.tokens["owner"]).get("/api/org/seating-policy"))
    assert {row["source"] for row in theirs} == {"platform"}


@pytest.mark.req("POL-1")
async def test_every_mistake_in_a_policy_at_once(client: Client, owner: Any, tenant: Tenant) -> None:
    root = await _platform(client, owner, "super_admin")
    path = f"/api/platform/organizations/{tenant.id}/seating-policy"
    values = {"max_group_split": 21, "colour": 3, "allow_vip_zones": 1, "holds_per_window": None}
    answer = await root.put(path, json={"values": values, "mandatory": ["size"]})
    assert refused(answer) == (422, "seating_policy_invalid")
    assert {field["path"] for field in answer.json()["fields"]} == {
        "values.max_group_split",
        "values.colour",
        "values.allow_vip_zones",
        "values.holds_per_window",
        "mandatory.size",
    }
    assert (await root.put(path, json={"values": {"max_group_split": 1.5}})).status_code == 422
    assert (await root.put(path, json={"values": {}, "more": 1})).status_code == 422


@pytest.mark.req("POL-1")
async def test_a_show_without_seats_has_the_organisations_policy(admin: Client) -> None:
    event, _ = await seated_show(admin)
    path = f"/api/events/{event['id']}"
    assert (await admin.delete(f"{path}/layout")).status_code == 204
    assert data(await admin.get(f"{path}/seating-policy")) == data(await admin.get("/api/org/seating-policy"))
    assert refused(await admin.get(f"/api/events/{new_id()}/seating-policy")) == (404, "not_found")


# --- where the fields of this room change what happens


def effective(**values: Any) -> policy.EffectivePolicy:
    return policy.to_effective_policy(policy.explain_policy(values, (), {}))


def zone(**more: Any) -> Zone:
    usual: dict[str, Any] = {
        "id": new_id(),
        "position": 0,
        "key": "stalls",
        "name": "Stalls",
        "zone_type": "reserved_seating",
        "capacity": 10,
        "access_mode": "public",
        "membership_tier": None,
        "allowed_roles": [],
        "price_category": None,
    }
    return Zone(**usual | more)


SEATS, PLACES = zone(), zone(zone_type="ga_standing")
LOUNGE = zone(zone_type="vip_standing", access_mode="whitelist")


@pytest.mark.req("POL-1", "ZONE-1")
@pytest.mark.parametrize(
    ("field", "allowed", "zones"),
    [
        ("allow_reserved_seating", {"allow_reserved_seating": True}, [SEATS]),
        ("allow_ga_seating", {"allow_ga_seating": True}, [PLACES]),
        ("allow_hybrid_ga_reserved", {"allow_hybrid_ga_reserved": True}, [SEATS, PLACES]),
        ("allow_vip_zones", {"allow_vip_zones": True}, [LOUNGE]),
    ],
)
def test_a_field_that_allows_zones(field: str, allowed: dict[str, Any], zones: list[Zone]) -> None:
    assert policy.check_zones(zones, effective(**allowed)) == []
    assert len(policy.check_zones(zones, effective(**{field: False}))) == 1


@pytest.mark.req("POL-1", "ACC-1")
@given(st.integers(0, 500), st.integers(1, 500), st.integers(1, 100))
def test_the_threshold_decides_when_companions_are_released(sold: int, capacity: int, threshold: int) -> None:
    released = policy.should_release_companions(
        sold, capacity, effective(companion_release_occupancy_threshold=threshold)
    )
    assert released == (sold / capacity >= threshold / 100 or sold * 100 == capacity * threshold)


@pytest.mark.req("ACC-1")
def test_the_threshold_to_the_seat() -> None:
    for sold, threshold, released in ((84, 85, False), (85, 85, True), (84, 84, True), (99, 100, False)):
        values = effective(companion_release_occupancy_threshold=threshold)
        assert policy.should_release_companions(sold, 100, values) is released


# --- who may enter a zone

MODES = {
    "public": zone(),
    "membership_tier": zone(access_mode="membership_tier", membership_tier="friends"),
    "role_based": zone(access_mode="role_based", allowed_roles=["staff", "owner"]),
    "whitelist": zone(access_mode="whitelist"),
}
# `friend` is a member whose membership is valid; one that is expired, suspended or revoked brings no tier along.
VISITORS = {
    "nobody": Visitor(None),
    "customer": Visitor("customer"),
    "staff": Visitor("staff"),
    "friend": Visitor("customer", frozenset({"friends"})),
    "patron": Visitor("customer", frozenset({"patrons"})),
    "lapsed": Visitor("customer", frozenset()),
    "listed": Visitor("customer", frozenset(), frozenset({MODES["whitelist"].id, MODES["membership_tier"].id})),
    "listed elsewhere": Visitor("customer", frozenset(), frozenset({new_id()})),
}
MAY_ENTER = {
    "public": set(VISITORS),
    "membership_tier": {"friend", "listed"},
    "role_based": {"staff"},
    "whitelist": {"listed"},
}
WORDS = {
    "membership_tier": "“Stalls” is for members (friends).",
    "role_based": "“Stalls” is for staff, owner.",
    "whitelist": "“Stalls” is for invited guests.",
}


@pytest.mark.req("ZONE-2", "MEM-1")
@pytest.mark.parametrize(("mode", "visitor"), list(product(MODES, VISITORS)))
def test_each_visitor_at_each_door(mode: str, visitor: str) -> None:
    reason = policy.explain_denial(MODES[mode], VISITORS[visitor])
    assert reason == (None if visitor in MAY_ENTER[mode] else WORDS[mode])
