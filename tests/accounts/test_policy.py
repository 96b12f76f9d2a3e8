"""Who may do what, cell by cell, against a grid that knows nothing of the one it checks."""

from datetime import UTC, datetime, timedelta
from itertools import chain, combinations, product
from typing import Any

import pytest

from fullhouse.accounts import policy
from fullhouse.accounts.model import Membership, PlatformRole, Role
from fullhouse.kit.ids import new_id

ALL = {"owner", "admin", "staff", "scanner", "customer"}
TEAM = {"owner", "admin", "staff", "scanner"}
OFFICE = {"owner", "admin", "staff"}
HEADS = {"owner", "admin"}

MAY = {
    "me.read": ALL,
    "me.update": ALL,
    "org.read": TEAM,
    "org.update": HEADS,
    "members.read": OFFICE,
    "members.update": HEADS,
    "invitations.read": HEADS,
    "invitations.create": HEADS,
    "invitations.revoke": HEADS,
    "memberships.read": TEAM,
    "memberships.write": OFFICE,
    "keys.read": HEADS,
    "keys.create": HEADS,
    "keys.revoke": HEADS,
    "venues.read": TEAM,
    "venues.write": OFFICE,
    "venues.delete": HEADS,
    "layouts.read": OFFICE,
    "layouts.write": OFFICE,
    "layouts.activate": HEADS,
    "seating.read": TEAM,
    "seating.write": OFFICE,
    "seating.migrate": HEADS,
    "tickets.read": ALL,
    "tickets.transfer": ALL,
    "tickets.keys": TEAM,
    "tickets.rotate": HEADS,
    "sales.read": OFFICE,
    "sales.write": HEADS,
    "scanning.devices": OFFICE,
    "scanning.scan": set(),
    "scanning.search": TEAM,
    "scanning.undo": OFFICE,
    "scanning.watch": TEAM,
    "scanning.resolve": OFFICE,
    "holds.read": ALL,
    "holds.place": ALL,
    "queue.join": ALL,
    "queue.read": TEAM,
    "queue.manage": OFFICE,
    "waitlist.join": ALL,
    "waitlist.read": OFFICE,
    "waitlist.manage": OFFICE,
    "checkout.use": ALL,
    "orders.mine": ALL,
    "orders.read": OFFICE,
    "orders.send": OFFICE,
    "refunds.read": OFFICE,
    "refunds.create": HEADS,
    "ledger.read": HEADS,
    "events.read": TEAM,
    "events.create": OFFICE,
    "events.update": OFFICE,
    "events.delete": HEADS,
    "events.publish": HEADS,
    "events.cancel": HEADS,
    "webhooks.read": HEADS,
    "webhooks.write": HEADS,
    "audit.read": HEADS,
    "mailbox.read": {"owner"},
    "mail_templates.read": OFFICE,
}
PLATFORM_MAY = {
    "platform.me": {"super_admin", "tenant_manager"},
    "platform.orgs.read": {"super_admin", "tenant_manager"},
    "platform.orgs.create": {"super_admin"},
    "platform.orgs.update": {"super_admin"},
    "platform.events.stop": {"super_admin", "tenant_manager"},
    "platform.seating.policy": {"super_admin"},
    "platform.seating.release": {"super_admin"},
}
SCOPES = {
    "org:read": {"org.read"},
    "org:write": {"org.update"},
    "team:read": {"members.read", "invitations.read"},
    "memberships:read": {"memberships.read"},
    "memberships:write": {"memberships.write"},
    "venues:read": {"venues.read", "layouts.read"},
    "venues:write": {"venues.write", "venues.delete", "layouts.write", "layouts.activate"},
    "events:read": {"events.read", "seating.read", "queue.read", "scanning.watch"},
    "events:write": {"events.create", "events.update", "seating.write", "queue.manage", "waitlist.manage"},
    "events:manage": {"events.delete", "events.publish", "events.cancel", "seating.migrate"},
    "sales:read": {"sales.read", "orders.mine", "orders.read", "refunds.read", "waitlist.read"},
    "sales:write": {"orders.send", "sales.write", "refunds.create"},
    "ledger:read": {"ledger.read"},
    "webhooks:read": {"webhooks.read"},
    "webhooks:write": {"webhooks.write"},
    "audit:read": {"audit.read"},
}
OPEN_SCOPES = {
    "owner": set(SCOPES),
    "admin": set(SCOPES),
    # Not team:read and venues:write: a part of what those open is not open to staff.
    "staff": {"org:read", "memberships:read", "memberships:write", "venues:read", "events:read", "events:write"}
    | {"sales:read"},
    # Nor venues:read: it opens layouts too.
    "scanner": {"org:read", "memberships:read", "events:read"},
    "customer": set(),
}


@pytest.mark.parametrize(("action", "role"), list(product(MAY, Role)))
@pytest.mark.req("RBAC-1")
def test_each_cell(action: str, role: Role) -> None:
    assert (action in policy.ROLE_ACTIONS[role]) == (role in MAY[action])


@pytest.mark.parametrize(("action", "role"), list(product(PLATFORM_MAY, PlatformRole)))
@pytest.mark.req("RBAC-1")
def test_each_cell_of_the_platform(action: str, role: PlatformRole) -> None:
    assert (action in policy.PLATFORM_ACTIONS[role]) == (role in PLATFORM_MAY[action])


@pytest.mark.req("RBAC-1")
def test_what_is_not_in_the_table_nobody_may() -> None:
    assert set(MAY) | set(PLATFORM_MAY) == policy.ACTIONS
    assert not set(MAY) & set(PLATFORM_MAY)  # no role of one side opens anything on the other
    assert frozenset().union(*policy.ROLE_ACTIONS.values()) <= set(MAY)
    assert frozenset().union(*policy.PLATFORM_ACTIONS.values()) <= set(PLATFORM_MAY)


@pytest.mark.req("RBAC-1")
def test_a_scope_opens_what_it_says() -> None:
    assert SCOPES == policy.SCOPE_ACTIONS
    for scope, actions in SCOPES.items():
        assert policy.actions_of_key([scope]) == {"me.read", *actions}
    assert policy.actions_of_key([]) == policy.actions_of_key(["no:such", "", "-"]) == {"me.read"}


@pytest.mark.parametrize("role", Role)
@pytest.mark.req("RBAC-1")
def test_a_key_never_reaches_further_than_its_maker(role: Role) -> None:
    offered = sorted(policy.available_scopes(role))
    assert set(offered) == OPEN_SCOPES[role]
    for scopes in chain.from_iterable(combinations(offered, n) for n in range(len(offered) + 1)):
        assert policy.actions_of_key(list(scopes)) <= policy.ROLE_ACTIONS[role]


@pytest.mark.parametrize(("actor", "target"), list(product(Role, Role)))
@pytest.mark.req("RBAC-1")
def test_who_manages_whom(actor: Role, target: Role) -> None:
    expected = actor == "owner" or (actor == "admin" and target != "owner")
    assert policy.may_manage(actor, target) is expected


@pytest.mark.req("RBAC-1")
def test_a_key_or_the_platform_manages_nobody() -> None:
    assert not any(policy.may_manage(actor, role) for actor in ("api_key", *PlatformRole) for role in Role)


NOW = datetime(2026, 5, 1, 20, tzinfo=UTC)
MOMENT = timedelta(microseconds=1)
VALIDITY = {
    "began long ago, open end": (NOW - timedelta(days=400), None, True),
    "begins now": (NOW, None, True),
    "begins in a moment": (NOW + MOMENT, None, False),
    "ends in a moment": (NOW - timedelta(days=1), NOW + MOMENT, True),
    "ends now": (NOW - timedelta(days=1), NOW, False),
    "ended": (NOW - timedelta(days=2), NOW - timedelta(days=1), False),
    "to come": (NOW + timedelta(days=1), NOW + timedelta(days=2), False),
}


@pytest.mark.parametrize("validity", VALIDITY)
@pytest.mark.parametrize("status", ["active", "suspended", "revoked"])
@pytest.mark.parametrize("tier", ["friends", "patrons"])
@pytest.mark.req("MEM-1")
def test_a_membership_opens_its_own_doors_while_it_is_active_and_valid(status: Any, validity: str, tier: str) -> None:
    valid_from, valid_until, valid = VALIDITY[validity]
    membership = Membership(
        new_id(), new_id(), "m@example.org", "Mia", "friends", "1", status, valid_from, valid_until, NOW
    )
    assert policy.is_member(membership, tier, NOW) is (valid and status == "active" and tier == "friends")


@pytest.mark.req("MEM-1")
def test_a_membership_is_judged_by_the_moment_whatever_its_zone() -> None:
    there = NOW.astimezone(datetime.fromisoformat("2026-01-01T00:00:00-08:00").tzinfo)
    ended = Membership(new_id(), new_id(), None, "Mia", "friends", "1", "active", there - MOMENT, there, NOW)
    assert not policy.is_member(ended, "friends", NOW)
    assert policy.is_member(ended, "friends", NOW - MOMENT)
