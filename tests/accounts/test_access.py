"""Sessions are remembered for a moment: what ends one ends it in every process, whatever happens to the news."""

from typing import Any

import pytest

from fullhouse.accounts import store
from fullhouse.accounts.access import Access
from fullhouse.kit.actors import Principal
from fullhouse.kit.http.lanes import LaneRouter
from fullhouse.kit.live.bus import RESYNC
from fullhouse.kit.services import Credentials, Services
from tests.fixtures import Client, Tenant
from tests.kit.helpers import until

REVOKE = "UPDATE sessions SET revoked_at = now() WHERE organization_id = $1"


@pytest.fixture
def access(lane: LaneRouter) -> Access:
    """That of the application; the `services` of a test are another process to it."""
    found: Access = lane.wide.state.authenticate
    return found


async def _who(access: Access, token: str) -> Principal | None:
    """As the guard asks."""
    shown = Credentials(token, None, None)
    return access.find_cached(shown) or await access(shown)


async def _is_in(access: Access, token: str) -> bool:
    return await _who(access, token) is not None


async def test_a_session_is_remembered_and_asked_for_again_after_a_moment(
    access: Access, tenant: Tenant, owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = tenant.tokens["staff"]
    assert await _is_in(access, token)
    await owner.execute(REVOKE, tenant.id)  # by hand: nobody is told
    assert await _is_in(access, token)
    monkeypatch.setattr("fullhouse.accounts.access.CACHE_TTL_S", 0.0)
    access._evict_all()
    assert not await _is_in(access, token)


@pytest.mark.req("RBAC-1")
@pytest.mark.parametrize("what", ["session", "sessions", "role", "organisation"])
async def test_what_changes_in_another_process_counts_here(
    what: str, access: Access, services: Services, tenant: Tenant
) -> None:
    token, staff = tenant.tokens["staff"], tenant.people["staff"]
    before = await _who(access, token)
    assert before
    assert before.session_id
    async with services.database.tenant(tenant.id) as tx:
        if what == "session":
            await store.revoke_session(tx, before.session_id)
        elif what == "sessions":
            await store.revoke_user_sessions(tx, user_id=staff.id, except_id=None)
        elif what == "role":
            await store.update_user(tx, user_id=staff.id, name=staff.name, role="scanner", status="active")
        else:
            await store.update_organization_status(tx, "suspended")

    async def is_heard() -> bool:
        now = await _who(access, token)
        return now.role == "scanner" if what == "role" and now else now is None

    await until(is_heard)
    assert await _is_in(access, tenant.tokens["admin"]) == (what != "organisation")


@pytest.mark.parametrize("away", [True, False])
async def test_without_the_bus_nothing_is_remembered(away: bool, access: Access, tenant: Tenant, owner: Any) -> None:
    token = tenant.tokens["staff"]
    assert await _is_in(access, token)
    await owner.execute(REVOKE, tenant.id)
    if away:
        access._bus.connected.clear()
    else:
        access._bus.deliver([(RESYNC, None)])  # it was away: something may have been missed
    assert not await _is_in(access, token)


async def test_what_was_read_before_a_change_is_not_remembered_after_it(
    access: Access, tenant: Tenant, owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = tenant.tokens["staff"]
    fetch = access._sessions.fetch

    async def slowly(*args: Any) -> list[Any]:
        rows = await fetch(*args)
        await owner.execute(REVOKE, tenant.id)
        access._bus.deliver([(store.STALE_SESSIONS, str(tenant.people["staff"].id))])
        return rows

    monkeypatch.setattr(access._sessions, "fetch", slowly)
    assert await _is_in(access, token)  # it was good when it asked
    monkeypatch.undo()
    assert not await _is_in(access, token)


async def test_the_memory_is_bounded(access: Access, tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fullhouse.accounts.access.CACHE_MAX", 1)
    assert await _is_in(access, tenant.tokens["staff"])
    assert await _is_in(access, tenant.tokens["owner"])
    assert len(access._cache) == 1


async def test_a_remembered_caller_comes_from_where_the_request_does(
    client: Client, tenant: Tenant, owner: Any
) -> None:
    """What is remembered is the person, not the request."""
    for agent in ("first", "second"):
        answer = await client.as_(tenant.tokens["scanner"]).get("/api/org/members", headers={"user-agent": agent})
        assert answer.status_code == 403
    rows = await owner.fetch(
        "SELECT user_agent FROM audit_log WHERE organization_id = $1 AND action = 'access.denied' ORDER BY created_at",
        tenant.id,
    )
    assert [row["user_agent"] for row in rows] == ["first", "second"]
