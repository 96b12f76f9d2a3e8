"""Paging through every list: nothing twice, nothing missed, and a cursor is good for its own list only."""

import csv
import io
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from fullhouse.accounts import actions
from fullhouse.accounts.model import CreateApiKey, GrantMembership, Invite
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from tests.accounts.helpers import data, refused
from tests.fixtures import Client, Tenant

Add = Callable[[Tx, Tenant, int], Awaitable[Any]]


async def _add_member(tx: Tx, _tenant: Tenant, n: int) -> None:
    await actions.create_user(tx, email=f"member-{n}@example.org", name="Member", role="staff")


async def _add_invitation(tx: Tx, tenant: Tenant, n: int) -> None:
    wish = Invite(f"invited-{n}@example.org", "staff")
    await actions.invite(tx, tenant.principal("owner"), wish)


async def _add_key(tx: Tx, tenant: Tenant, n: int) -> None:
    await actions.create_api_key(tx, tenant.principal("owner"), CreateApiKey(f"Key {n}", ["org:read"]))


async def _add_membership(tx: Tx, _tenant: Tenant, n: int) -> None:
    await actions.grant_membership(tx, GrantMembership(f"friend-{n}@example.org", "Friend", "friends", f"F-{n}"))


async def _add_entry(tx: Tx, _tenant: Tenant, n: int) -> None:
    await audit.write(tx, "thing.made", "thing", new_id(), after={"n": n})


LISTS: dict[str, Add] = {
    "/api/org/members": _add_member,
    "/api/org/invitations": _add_invitation,
    "/api/org/api-keys": _add_key,
    "/api/org/memberships": _add_membership,
    "/api/org/mailbox": _add_invitation,
    "/api/audit": _add_entry,
}
every_list = pytest.mark.parametrize("path", LISTS)


@pytest.fixture
def owners(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["owner"])


async def _fill(services: Services, tenant: Tenant, path: str, numbers: range) -> None:
    """In one transaction, so that all have the same time, and only their ids tell them apart."""
    async with services.database.tenant(tenant.id) as tx:
        for n in numbers:
            await LISTS[path](tx, tenant, n)


async def _pages(caller: Client, path: str, **query: Any) -> AsyncIterator[list[str]]:
    cursor: str | None = None
    while True:
        answer = await caller.get(path, params=query | ({"cursor": cursor} if cursor else {}))
        assert answer.status_code == 200, answer.text
        assert set(answer.json()) == {"data", "next_cursor"}
        yield [row["id"] for row in answer.json()["data"]]
        cursor = answer.json()["next_cursor"]
        if cursor is None:
            return


@every_list
async def test_pages_join_without_gap_or_overlap(path: str, owners: Client, services: Services, tenant: Tenant) -> None:
    await _fill(services, tenant, path, range(4))
    await _fill(services, tenant, path, range(4, 7))
    (whole,) = [page async for page in _pages(owners, path, limit=200)]
    assert len(whole) == len(set(whole)) >= 7
    for limit in (1, 3, len(whole)):
        pages = [page async for page in _pages(owners, path, limit=limit)]
        assert [row for page in pages for row in page] == whole
        assert all(len(page) == limit for page in pages[:-1])
        assert pages[-1]  # a full last page is not followed by an empty one


@every_list
async def test_pages_stand_still_while_rows_come_in(
    path: str, owners: Client, services: Services, tenant: Tenant
) -> None:
    await _fill(services, tenant, path, range(5))
    (before,) = [page async for page in _pages(owners, path, limit=200)]
    seen: list[str] = []
    added = 100
    async for page in _pages(owners, path, limit=2):
        seen += page
        if len(seen) < len(before):
            await _fill(services, tenant, path, range(added, added + 1))
            added += 1
    assert len(seen) == len(set(seen))
    assert [row for row in seen if row in before] == before


async def _cursor(caller: Client, path: str, **query: Any) -> str:
    cursor: str = (await caller.get(path, params=query | {"limit": 1})).json()["next_cursor"]
    assert cursor
    return cursor


@every_list
@pytest.mark.req("TEN-2")
async def test_a_cursor_is_worth_nothing_elsewhere(
    path: str, client: Client, owners: Client, services: Services, tenant: Tenant, other_tenant: Tenant
) -> None:
    await _fill(services, tenant, path, range(2))
    cursor = await _cursor(owners, path)
    data(await owners.get(path, params={"cursor": cursor, "limit": 3}))  # the page's size may change
    for other_list in LISTS.keys() - {path}:
        assert refused(await owners.get(other_list, params={"cursor": cursor})) == (422, "invalid_cursor")
    strangers = client.as_(other_tenant.tokens["owner"])
    assert refused(await strangers.get(path, params={"cursor": cursor})) == (422, "invalid_cursor")


async def test_a_cursor_is_good_for_its_own_filter(owners: Client, services: Services, tenant: Tenant) -> None:
    await _fill(services, tenant, "/api/org/memberships", range(3))
    narrowed = await _cursor(owners, "/api/org/memberships", tier="friends")
    for filters in ({}, {"tier": "patrons"}):
        answer = await owners.get("/api/org/memberships", params=filters | {"cursor": narrowed})
        assert refused(answer) == (422, "invalid_cursor")
    of_all = await _cursor(owners, "/api/audit")
    narrower: list[dict[str, str]] = [
        {"action": "user.created"},
        {"entity_type": "user"},
        {"actor_id": str(new_id())},
        {"entity_id": str(new_id())},
        {"since": "2020-01-01T00:00:00Z"},
        {"until": "2999-01-01T00:00:00Z"},
    ]
    for filters in narrower:
        answer = await owners.get("/api/audit", params=filters | {"cursor": of_all})
        assert refused(answer) == (422, "invalid_cursor"), filters


async def test_an_altered_cursor(owners: Client) -> None:
    cursor = await _cursor(owners, "/api/audit")
    middle = len(cursor) // 2
    other = "A" if cursor[middle] != "A" else "B"
    altered = [
        cursor[:middle] + other + cursor[middle + 1 :],
        other + cursor[1:],
        cursor[:-5],
        cursor[:20],
        cursor[:10] + "!" + cursor[10:],
        cursor + "\n",
        cursor * 2,
        "nonsense",
        "",
        "é",
    ]
    for forged in altered:
        answer = await owners.get("/api/audit", params={"cursor": forged})
        assert refused(answer) == (422, "invalid_cursor"), forged
    assert refused(await owners.get("/api/audit", params={"cursor": "A" * 1001})) == (422, "invalid")


async def test_memberships_by_tier(owners: Client, services: Services, tenant: Tenant) -> None:
    await _fill(services, tenant, "/api/org/memberships", range(3))
    patron = GrantMembership("patron@example.org", "Pia", "patrons", "P-1")
    async with services.database.tenant(tenant.id) as tx:
        membership = await actions.grant_membership(tx, patron)
    pages = [page async for page in _pages(owners, "/api/org/memberships", tier="friends", limit=2)]
    assert [len(page) for page in pages] == [2, 1]
    (patrons,) = [page async for page in _pages(owners, "/api/org/memberships", tier="patrons")]
    assert patrons == [str(membership.id)]


@pytest.mark.req("AUD-1")
async def test_audit_by_family_and_by_what_it_is_about(owners: Client, services: Services, tenant: Tenant) -> None:
    async with services.database.tenant(tenant.id) as tx:
        for action, about in (("lamp.lit", "lamp"), ("lamp.lit_again", "lamp"), ("lampshade.made", "shade")):
            await audit.write(tx, action, about, new_id())

    async def found(**filters: str) -> list[str]:
        return [row["action"] for row in data(await owners.get("/api/audit", params=filters))]

    assert await found(action="lamp.lit") == ["lamp.lit"]
    assert await found(action="lamp.*") == ["lamp.lit_again", "lamp.lit"]
    assert await found(entity_type="shade") == ["lampshade.made"]
    assert await found(action="lamp.*", entity_type="shade") == []
    assert await found(action="lam.*") == []
    assert await found(action="%.*") == []


@pytest.mark.req("AUD-1")
async def test_audit_for_a_spreadsheet(owners: Client, services: Services, tenant: Tenant) -> None:
    async with services.database.tenant(tenant.id) as tx:
        for n in range(3):
            await audit.write(tx, "lamp.lit", "lamp", new_id(), after={"n": n}, reason="=1+1")
    answer = await owners.get("/api/audit.csv", params={"action": "lamp.lit", "limit": 2})
    assert answer.headers["content-type"].startswith("text/csv")
    head, first, second = list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert dict(zip(head, first, strict=True)).items() >= {
        ("action", "lamp.lit"),
        ("after", '{"n":2}'),
        ("reason", "'=1+1"),
        ("before", ""),
    }
    assert dict(zip(head, second, strict=True))["after"] == '{"n":1}'
    more = {"action": "lamp.lit", "limit": "2", "cursor": answer.headers["x-next-cursor"]}
    rest = await owners.get("/api/audit.csv", params=more)
    assert '{""n"":0}' in rest.text
    assert "x-next-cursor" not in rest.headers
