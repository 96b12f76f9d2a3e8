"""Members and friends (D29): in a zone that is not open to all, each ticket names somebody who may be there."""

from typing import Any

import msgspec
import pytest

from fullhouse.seating.plans.plan import Plan
from tests.accounts.helpers import data
from tests.checkout.helpers import Sale, buy, code, hold, rows, selling, start, wrong
from tests.fixtures import Client, Tenant
from tests.holds.helpers import hall

pytestmark = pytest.mark.req("ZONE-2", "MEM-1")
FRIEND = {"name": "Fay Friend", "email": "fay@example.org"}


def closed(**access: Any) -> Plan:
    plan = hall(1, 8)
    zone = msgspec.structs.replace(plan.zones[0], **access)
    return msgspec.structs.replace(plan, zones=(zone,))


async def grant(staff: Client, email: str, number: str, **more: Any) -> str:
    wish = {"email": email, "name": "M", "tier": "friends", "number": number} | more
    found: str = data(await staff.post("/api/org/memberships", json=wish), 201)["id"]
    return found


async def for_members(staff: Client, client: Client, tenant: Tenant) -> tuple[Sale, Client, str]:
    """A zone for friends, and a customer who is one."""
    sale = await selling(staff, closed(access_mode="membership_tier", membership_tier="friends"))
    return sale, client.as_(tenant.tokens["customer"]), await grant(staff, "customer@example.org", "1")


def named(items: list[dict[str, Any]], *going: dict[str, Any] | None) -> list[dict[str, Any]]:
    return [item | ({"attendee": who} if who else {}) for item, who in zip(items, going, strict=True)]


async def test_each_ticket_names_its_own_member_and_says_whose_right_it_was(
    staff: Client, client: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    sale, buyer, mine = await for_members(staff, client, tenant)
    items = await hold(buyer, sale, 0, 1)
    stranger = await start(buyer, sale, named(items, None, FRIEND))
    assert code(stranger) == (403, "zone_access_denied")
    assert "fay@example.org" in stranger.json()["detail"]
    # One membership is one ticket: naming nobody names the buyer, who has named himself already.
    again = await start(buyer, sale, items)
    assert code(again) == (403, "zone_access_denied")
    assert ("item" in stranger.json(), again.json()["item"]) == (False, 1)  # by this, pages tell the two apart
    assert await rows(owner, "checkout_sessions", tenant) == []
    theirs = await grant(staff, "Fay@example.org", "2")
    session = data(await start(buyer, sale, named(items, None, FRIEND)), 201)
    order = data(await buy(buyer, session), 201)
    issued = {row["holder_email"]: row["membership_id"] for row in await rows(owner, "tickets", tenant)}
    assert {str(right) for right in issued.values()} == {mine, theirs}
    assert str(issued["fay@example.org"]) == theirs
    assert len(order["tickets"]) == 2
    assert await wrong(server_url) == {}


@pytest.mark.parametrize("why", ["another tier", "over", "not yet", "suspended"])
async def test_a_membership_that_does_not_count_opens_nothing(
    why: str, staff: Client, client: Client, tenant: Tenant
) -> None:
    sale, buyer, _ = await for_members(staff, client, tenant)
    terms: dict[str, dict[str, Any]] = {
        "another tier": {"tier": "patrons"},
        "over": {"valid_from": "2020-01-01T00:00:00Z", "valid_until": "2020-12-31T00:00:00Z"},
        "not yet": {"valid_from": "2089-01-01T00:00:00Z"},
        "suspended": {},
    }
    membership = await grant(staff, "fay@example.org", "2", **terms[why])
    if why == "suspended":
        data(await staff.patch(f"/api/org/memberships/{membership}", json={"status": "suspended"}))
    items = await hold(buyer, sale, 0, 1)
    assert code(await start(buyer, sale, named(items, None, FRIEND))) == (403, "zone_access_denied")


async def test_a_right_that_ends_between_hold_and_checkout_is_gone(
    staff: Client, client: Client, tenant: Tenant
) -> None:
    sale, buyer, mine = await for_members(staff, client, tenant)
    items = await hold(buyer, sale, 0)
    data(await staff.patch(f"/api/org/memberships/{mine}", json={"status": "suspended"}))
    assert code(await start(buyer, sale, items)) == (403, "zone_access_denied")


async def test_whoever_is_on_the_list_is_named_once(staff: Client, client: Client, tenant: Tenant, owner: Any) -> None:
    sale = await selling(staff, closed(access_mode="whitelist"))
    (zone,) = sale.show.zones.values()
    listed = {"guests": [{"email": "customer@example.org", "name": "C"}, {"email": "Fay@example.org", "name": "F"}]}
    assert (await staff.post(sale.path(f"zones/{zone}/guests"), json=listed)).is_success
    buyer = client.as_(tenant.tokens["customer"])
    items = await hold(buyer, sale, 0, 1, 2)
    twice = named(items, None, FRIEND, FRIEND | {"email": "FAY@example.org"})
    assert code(await start(buyer, sale, twice)) == (403, "zone_access_denied")
    data(await start(buyer, sale, named(items[:2], None, FRIEND)), 201)
    assert {row["membership_id"] for row in await rows(owner, "checkout_items", tenant)} == {None}


async def test_a_transfer_asks_again_and_says_whose_right_it_is_now(
    staff: Client, client: Client, tenant: Tenant, owner: Any
) -> None:
    sale, buyer, _ = await for_members(staff, client, tenant)
    order = data(await buy(buyer, data(await start(buyer, sale, await hold(buyer, sale, 0)), 201)), 201)
    path = f"/api/tickets/{order['tickets'][0]['id']}/transfer"
    assert code(await buyer.post(path, json=FRIEND)) == (403, "zone_access_denied")
    theirs = await grant(staff, "fay@example.org", "2")
    data(await buyer.post(path, json=FRIEND))
    assert [str(row["membership_id"]) for row in await rows(owner, "tickets", tenant)] == [theirs]
