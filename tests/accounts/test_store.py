"""What the tables themselves refuse, and who wins when many want the same at once."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

from fullhouse.accounts import actions, policy, store
from fullhouse.accounts.model import AcceptInvitation, ChangeMember, Invite, LastOwner, LinkInvalid, Session
from fullhouse.accounts.sign_in import actions as signing_in
from fullhouse.kit import secrets
from fullhouse.kit.actors import SYSTEM
from fullhouse.kit.db.database import APP, Database, Tx
from fullhouse.kit.ids import new_id
from fullhouse.kit.secrets import TokenKind
from fullhouse.kit.services import Services
from tests.fixtures import Tenant
from tests.kit.helpers import until
from tests.services.client import ask

TRIES = 20
LOCK = "PERFORM FROM organizations WHERE id = OLD.organization_id FOR NO KEY UPDATE;"
STEP_DOWN = {
    "demoted": "UPDATE users SET role = 'admin' WHERE id = $1",
    "disabled": "UPDATE users SET status = 'disabled' WHERE id = $1",
    "deleted": "DELETE FROM users WHERE id = $1",
}


# --- the last owner


@pytest.mark.parametrize("way", STEP_DOWN)
async def test_the_last_owner_cannot_step_down(way: str, tx: Tx, tenant: Tenant) -> None:
    with pytest.raises(asyncpg.CheckViolationError) as refusal:
        async with tx.savepoint():
            await tx.execute(STEP_DOWN[way], tenant.people["owner"].id)
    assert refusal.value.constraint_name == "last_owner"


@pytest.mark.parametrize("way", STEP_DOWN)
async def test_one_of_two_owners_can(way: str, tx: Tx, tenant: Tenant) -> None:
    await actions.create_user(tx, email="second@example.org", name="Second", role="owner")
    assert (await tx.execute(STEP_DOWN[way], tenant.people["owner"].id)).endswith(" 1")


async def test_a_disabled_owner_does_not_count(tx: Tx, tenant: Tenant) -> None:
    second = await actions.create_user(tx, email="second@example.org", name="Second", role="owner")
    await tx.execute(STEP_DOWN["disabled"], second.id)
    with pytest.raises(asyncpg.CheckViolationError):
        async with tx.savepoint():
            await tx.execute(STEP_DOWN["demoted"], tenant.people["owner"].id)


@pytest.mark.parametrize("way", STEP_DOWN)
async def test_of_two_owners_who_step_down_at_once_one_stays(
    way: str, services: Services, tenant: Tenant, owner: Any
) -> None:
    assert await _step_down_together(services.database, owner, tenant, STEP_DOWN[way]) == ["went", "last_owner"]
    assert await _owners(owner, tenant) == 1


async def test_without_the_lock_both_would_go(unlocked: tuple[Database, Any], services: Services) -> None:
    """The same race where the trigger looks without waiting: the test above can fail."""
    database, owner = unlocked
    tenant = await _two_in_a_house(database)
    assert await _step_down_together(database, owner, tenant, STEP_DOWN["demoted"]) == ["went", "went"]
    assert await _owners(owner, tenant) == 0


async def test_owners_who_demote_each_other_at_once(services: Services, tenant: Tenant, owner: Any) -> None:
    async with services.database.tenant(tenant.id) as tx:
        second = await actions.create_user(tx, email="second@example.org", name="Second", role="owner")

    async def demote(user_id: Any) -> None:
        async with services.database.tenant(tenant.id) as tx:
            await actions.change_member(tx, tenant.principal("owner"), user_id, ChangeMember(role="staff"))

    both = (demote(tenant.people["owner"].id), demote(second.id))
    outcomes = await asyncio.gather(*both, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes if outcome] == [LastOwner]
    assert await _owners(owner, tenant) == 1


async def _step_down_together(database: Database, owner: Any, tenant: Tenant, statement: str) -> list[str]:
    """The first has stepped down but not committed when the second tries; then the first commits."""
    async with database.tenant(tenant.id) as tx:
        other = await actions.create_user(tx, email="second@example.org", name="Second", role="owner")
    pid: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def second() -> str:
        try:
            async with database.tenant(tenant.id) as tx:
                pid.set_result(await tx.fetchval("SELECT pg_backend_pid()"))
                await tx.execute(statement, other.id)
        except asyncpg.CheckViolationError as refusal:
            return str(refusal.constraint_name)
        return "went"

    async with database.tenant(tenant.id) as tx:
        await tx.execute(statement, tenant.people["owner"].id)
        trying = asyncio.create_task(second())
        backend = await pid
        waits = "SELECT cardinality(pg_blocking_pids($1)) > 0"
        await until(lambda: trying.done() or owner.fetchval(waits, backend))
    return ["went", await trying]


async def _owners(owner: Any, tenant: Tenant) -> int:
    count = "SELECT count(*) FROM users WHERE organization_id = $1 AND role = 'owner' AND status = 'active'"
    return int(await owner.fetchval(count, tenant.id))


@pytest.fixture
async def unlocked() -> AsyncIterator[tuple[Database, Any]]:
    """A database of its own in which the trigger takes no lock, and its owner."""
    urls = ask("database", f"unlocked_{new_id().hex}")
    owner = await asyncpg.connect(urls["owner_url"])
    function = await owner.fetchval("SELECT pg_get_functiondef('app.keep_an_owner'::regproc)")
    assert LOCK in function
    await owner.execute(function.replace(LOCK, ""))
    database = await Database.open(urls["server_url"], APP, size=3)
    yield database, owner
    await database.close()
    await owner.close()


async def _two_in_a_house(database: Database) -> Tenant:
    organization_id = new_id()
    async with database.tenant(organization_id) as tx:
        organization = await actions.create_organization(tx, organization_id, "unlocked", "Unlocked House")
        first = await actions.create_user(tx, email="first@example.org", name="First", role="owner")
    return Tenant(organization, {"owner": first}, {})


# --- one address, one person


@pytest.mark.parametrize("spelling", ["staff@example.org", "STAFF@Example.ORG"])
async def test_an_address_is_one_person_however_it_is_spelled(spelling: str, tx: Tx, tenant: Tenant) -> None:
    assert await store.user_by_email(tx, spelling) == tenant.people["staff"]
    with pytest.raises(asyncpg.UniqueViolationError):
        async with tx.savepoint():
            await store.insert_user(tx, id=new_id(), email=spelling, name="Twin", role="customer", password_hash=None)


@pytest.mark.req("TEN-1")
async def test_the_same_address_elsewhere_is_somebody_else(tenant: Tenant, other_tenant: Tenant) -> None:
    here, there = tenant.people["staff"], other_tenant.people["staff"]
    assert here.email == there.email
    assert here.id != there.id


async def test_guests_have_no_address_and_are_many(tx: Tx, tenant: Tenant) -> None:
    guests = [await actions.create_user(tx, email=None, name="Guest", role="customer") for _ in range(3)]
    assert len({guest.id for guest in guests}) == 3


@pytest.mark.parametrize("role", ["owner", "admin", "staff", "scanner"])
async def test_whoever_works_here_has_an_address(role: str, tx: Tx, tenant: Tenant) -> None:
    with pytest.raises(asyncpg.CheckViolationError):
        async with tx.savepoint():
            await store.insert_user(tx, id=new_id(), email=None, name="Nobody", role=role, password_hash=None)


# --- links that work once


async def test_one_open_invitation_an_address(tx: Tx, tenant: Tenant) -> None:
    await _invitation(tx, tenant, "new@example.org")
    with pytest.raises(asyncpg.UniqueViolationError):
        async with tx.savepoint():
            await _invitation(tx, tenant, "New@Example.org")
    await _invitation(tx, tenant, "another@example.org")
    assert await store.revoke_open_invitation(tx, "NEW@example.org") == 1
    await _invitation(tx, tenant, "New@Example.org")


async def test_invited_by_many_at_once_somebody_gets_one_link(services: Services, tenant: Tenant, owner: Any) -> None:
    async def invite() -> None:
        async with services.database.tenant(tenant.id) as tx:
            await actions.invite(tx, tenant.principal("owner"), Invite("new@example.org", "staff"))

    await asyncio.gather(*(invite() for _ in range(8)))
    open_ones = "SELECT count(*) FROM invitations WHERE organization_id = $1 AND revoked_at IS NULL"
    assert await owner.fetchval(open_ones, tenant.id) == 1


async def test_a_magic_link_opens_one_session(services: Services, tenant: Tenant, owner: Any) -> None:
    token = secrets.mint(TokenKind.MAGIC_LINK, tenant.id)
    async with services.database.tenant(tenant.id) as tx:
        await store.insert_magic_link(
            tx, id=new_id(), email="new@example.org", token_hash=secrets.digest_token(token), ttl=policy.MAGIC_LINK_TTL
        )
    session = _the_only_one(
        await asyncio.gather(
            *(signing_in.redeem_magic_link(services.database, SYSTEM, token) for _ in range(TRIES)),
            return_exceptions=True,
        )
    )
    assert await _sessions(owner, session) == 1


async def test_an_invitation_opens_one_session(services: Services, tenant: Tenant, owner: Any) -> None:
    async with services.database.tenant(tenant.id) as tx:
        token = await _invitation(tx, tenant, "new@example.org")
    wish = AcceptInvitation(token, "New", "a long password")
    session = _the_only_one(
        await asyncio.gather(
            *(signing_in.accept_invitation(services.database, SYSTEM, wish) for _ in range(TRIES)),
            return_exceptions=True,
        )
    )
    assert session.user.role == "staff"
    assert await _sessions(owner, session) == 1


async def _invitation(tx: Tx, tenant: Tenant, email: str) -> str:
    token = secrets.mint(TokenKind.INVITATION, tenant.id)
    await store.insert_invitation(
        tx,
        id=new_id(),
        email=email,
        role="staff",
        token_hash=secrets.digest_token(token),
        invited_by=tenant.people["owner"].id,
        ttl=policy.INVITATION_TTL,
    )
    return token


def _the_only_one(outcomes: list[Session | BaseException]) -> Session:
    (won,) = [outcome for outcome in outcomes if isinstance(outcome, Session)]
    assert [type(outcome) for outcome in outcomes if outcome is not won] == [LinkInvalid] * (TRIES - 1)
    return won


async def _sessions(owner: Any, session: Session) -> int:
    return int(await owner.fetchval("SELECT count(*) FROM sessions WHERE user_id = $1", session.user.id))
