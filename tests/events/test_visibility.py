"""Who sees a show of each status, at every address that could show it: one table."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from fullhouse.kit.http.lanes import LaneRouter
from fullhouse.kit.services import Services
from tests.accounts.helpers import PASSWORD, data, make_key, make_platform_user
from tests.events.helpers import STATUSES, make_venue, show_in
from tests.fixtures import Client, Tenant
from tests.kit.sse import listening

PUBLIC = {"published", "live", "postponed"}
TEAM = {"scanner", "staff", "admin", "owner", "key"}
ACTORS = ("nobody", "customer", "scanner", "staff", "admin", "owner", "another's admin", "key", "platform")


async def _actors(client: Client, services: Services, owner: Any, tenant: Tenant, other: Tenant) -> dict[str, Client]:
    wish = {"email": await make_platform_user(owner, "super_admin"), "password": PASSWORD}
    tokens = {role: tenant.tokens[role] for role in ("customer", "scanner", "staff", "admin", "owner")}
    tokens["another's admin"] = other.tokens["admin"]
    tokens["key"] = (await make_key(services, tenant, "events:read")).token
    tokens["platform"] = data(await client.post("/api/platform/login", json=wish), 201)["token"]
    return {"nobody": client} | {name: client.as_(token) for name, token in tokens.items()}


Look = Callable[[Client, Any, str], Awaitable[bool]]


def _there(path: str) -> Look:
    async def look(client: Client, show: Any, _: str) -> bool:
        answer = await client.get(path.format(**show))
        assert answer.status_code in (200, 401, 403, 404), answer.text
        return answer.status_code == 200

    return look


def _listed(path: str, **params: str) -> Look:
    async def look(client: Client, show: Any, word: str) -> bool:
        asked = {name: value.format(word=word) for name, value in params.items()}
        return show["id"] in {found["id"] for found in data(await client.get(path, params=asked))}

    return look


ADDRESSES: dict[str, Look] = {
    "one": _there("/event/v1/events/{id}"),
    "feed": _listed("/event/v1/events", city="{word}"),
    "trending": _listed("/event/v1/events", city="{word}", sort="trending"),
    "search": _listed("/api/search", q="{word}"),
    "page": _there("/o/{house}/{slug}"),
    "calendar": _there("/api/events/{id}/calendar.ics"),
    "own": _there("/api/events/{id}"),
}


def _expected(address: str, actor: str, status: str) -> bool:
    if (address, actor) == ("one", "admin"):  # its maker
        return True
    return actor in TEAM if address == "own" else status in PUBLIC


@pytest.mark.req("EV-5", "FEED-1", "RBAC-1", "TEN-2")
@pytest.mark.parametrize("status", STATUSES)
async def test_who_sees_what(
    status: str, client: Client, lane: LaneRouter, services: Services, owner: Any, tenant: Tenant, other_tenant: Tenant
) -> None:
    admin, word = client.as_(tenant.tokens["admin"]), f"c{tenant.id.hex}"
    venue = await make_venue(admin, city=word)
    show = await show_in(admin, status, venue_id=venue["id"], name=word)
    show["house"] = tenant.organization.slug
    actors = await _actors(client, services, owner, tenant, other_tenant)
    assert set(actors) == set(ACTORS)
    seen = {
        (address, actor): await look(actors[actor], show, word)
        for address, look in ADDRESSES.items()
        for actor in ACTORS
    }
    assert seen == {(address, actor): _expected(address, actor, status) for address in ADDRESSES for actor in ACTORS}
    for actor in ACTORS:
        token = actors[actor].headers.get("authorization", "").removeprefix("Bearer ") or None
        async with listening(lane, f"/api/events/{show['id']}/stream", token=token) as stream:
            if status in PUBLIC:
                assert (await stream.next()).event == "snapshot", actor
            else:
                assert stream.status == 404, actor
