"""Lists of guests, and who stands how at the doors of a zone."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from fullhouse.accounts import actions as accounts
from fullhouse.accounts.model import ChangeMembership, GrantMembership
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.seating.model import ZoneAccessDenied
from fullhouse.seating.overlay import actions
from tests.accounts.helpers import audited, data, refused
from tests.fixtures import Client, Tenant
from tests.seating.helpers import (
    allow,
    attach,
    house,
    next_version,
    seated_show,
    without_lounge,
    zone_id,
)


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


@pytest.fixture
async def vip(services: Services, tenant: Tenant) -> None:
    await allow(services, tenant, allow_vip_zones=True)


@pytest.mark.req("ZONE-2", "AUD-1")
async def test_a_zones_guests(admin: Client, tenant: Tenant, owner: Any) -> None:
    event, layout = await seated_show(admin)
    path = f"/api/events/{event['id']}/zones/{zone_id(layout, 'pit')}/guests"
    several = [{"email": "Ben@Example.org", "name": "Ben"}, {"email": "ada@example.org"}, {"email": "BEN@example.org"}]
    assert data(await admin.post(path, json={"guests": several})) == {"listed": 2}
    data(await admin.post(path, json={"guests": [{"email": "cy@example.org", "name": "Cy"}]}))
    first = (await admin.get(f"{path}?limit=2")).json()
    rest = (await admin.get(f"{path}?limit=2&cursor={first['next_cursor']}")).json()
    assert [guest["email"] for guest in first["data"] + rest["data"]] == [
        "ada@example.org",
        "ben@example.org",
        "cy@example.org",
    ]
    assert rest["next_cursor"] is None
    renamed = data(await admin.post(path, json={"guests": [{"email": "ADA@example.org", "name": "Ada"}]}))
    assert renamed == {"listed": 1}
    assert data(await admin.get(path))[0]["name"] == "Ada"
    assert (await admin.delete(f"{path}/BEN@example.org")).status_code == 204
    assert (await admin.delete(f"{path}/nobody@example.org")).status_code == 204
    assert [guest["email"] for guest in data(await admin.get(path))] == ["ada@example.org", "cy@example.org"]
    for wrong in ("ada", "a b@example.org", "ada@example.org\n", "a@b@c"):
        assert (await admin.post(path, json={"guests": [{"email": wrong}]})).status_code == 422, wrong
    assert len(await audited(owner, tenant, "zone.guests_added")) == 3
    assert len(await audited(owner, tenant, "zone.guest_removed")) == 1
    many = [{"email": f"{'x' * 200}{n}@example.org", "name": "y" * 120} for n in range(1000)]
    assert data(await admin.post(path, json={"guests": many})) == {"listed": 1000}


@pytest.mark.req("TEN-2")
async def test_another_organisations_guests_and_zones(client: Client, admin: Client, other_tenant: Tenant) -> None:
    event, layout = await seated_show(admin)
    path = f"/api/events/{event['id']}/zones/{zone_id(layout, 'pit')}/guests"
    data(await admin.post(path, json={"guests": [{"email": "ada@example.org"}]}))
    stranger = client.as_(other_tenant.tokens["owner"])
    answers = [
        await stranger.get(path), await stranger.post(path, json={"guests": [{"email": "eve@example.org"}]}),
        await stranger.delete(f"{path}/ada@example.org"),
    ]  # fmt: skip
    assert {refused(answer) for answer in answers} == {(404, "not_found")}
    nowhere = path.replace(zone_id(layout, "pit"), str(new_id()))
    assert refused(await admin.get(nowhere)) == (404, "zone_not_found")
    assert len(data(await admin.get(path))) == 1


async def test_guests_stay_with_their_zone_in_another_version(admin: Client) -> None:
    event, layout = await seated_show(admin)
    before = f"/api/events/{event['id']}/zones/{zone_id(layout, 'pit')}/guests"
    data(await admin.post(before, json={"guests": [{"email": "ada@example.org"}]}))
    newer = await next_version(admin, layout, without_lounge())
    data(await attach(admin, event, newer))
    after = f"/api/events/{event['id']}/zones/{zone_id(newer, 'pit')}/guests"
    assert [guest["email"] for guest in data(await admin.get(after))] == ["ada@example.org"]


@pytest.mark.req("ZONE-2", "MEM-1")
async def test_who_stands_how_at_the_doors(
    vip: None, admin: Client, services: Services, tenant: Tenant, clock: Any
) -> None:
    """A member while the membership is valid; a guest by address, however it is written; nobody by nothing."""
    event, layout = await seated_show(admin, house())
    event_id, lounge = UUID(event["id"]), UUID(zone_id(layout, "lounge"))
    path = f"/api/events/{event['id']}/zones/{lounge}/guests"
    who = tenant.principal("customer")
    reasons: set[str] = set()

    async def may_enter() -> bool:
        async with services.database.tenant(tenant.id) as tx:
            zone = await actions.require_zone(tx, event_id, lounge)
            try:
                await actions.check_access(tx, event_id, [zone], who)
            except ZoneAccessDenied as denied:
                reasons.add(denied.detail)
                return False
            return True

    assert not await may_enter()
    async with services.database.tenant(tenant.id) as tx:
        until = await tx.now() + timedelta(days=1)
        wish = GrantMembership("customer@example.org", "C", "friends", "1", valid_until=until)
        membership = await accounts.grant_membership(tx, wish)
    assert await may_enter()
    for status, open_ in (("suspended", False), ("active", True), ("revoked", False), ("active", True)):
        async with services.database.tenant(tenant.id) as tx:
            await accounts.change_membership(tx, membership.id, ChangeMembership(status=status))  # type: ignore[arg-type]
        assert await may_enter() is open_, status
    await clock(timedelta(days=2))
    assert not await may_enter()
    data(await admin.post(path, json={"guests": [{"email": "CUSTOMER@example.org"}]}))
    assert await may_enter()
    assert (await admin.delete(f"{path}/customer@example.org")).status_code == 204
    assert not await may_enter()
    assert reasons == {"“Lounge” is for members (friends)."}
