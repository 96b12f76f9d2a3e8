"""One effect for one Idempotency-Key, over HTTP and through two processes, and the same answer to every repeat."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from itertools import cycle
from typing import Any

import httpx
import pytest

from fullhouse.accounts import actions
from fullhouse.kit.db.database import WORKER, Database
from fullhouse.kit.errors import RateLimited, Refusal, Unavailable
from fullhouse.kit.http import idempotency
from fullhouse.kit.ids import new_id
from tests.fixtures import Client, Tenant, run_application, settings
from tests.kit.helpers import until

KEYS, MEMBERSHIPS = "/api/org/api-keys", "/api/org/memberships"
WISH = {"name": "till", "scopes": ["org:read"]}
MEMBER = {"email": "m@example.org", "name": "M", "tier": "gold", "number": "1"}


class Caller:
    """Somebody who sends the same request again and again, to this process and to another."""

    def __init__(self, *clients: Client) -> None:
        self._clients = clients
        self._next = cycle(clients)
        self.key = new_id().hex

    async def post(self, path: str = KEYS, body: Any = WISH, key: str | None = None) -> httpx.Response:
        return await next(self._next).post(path, json=body, headers={"idempotency-key": key or self.key})

    async def together(self, count: int) -> list[httpx.Response]:
        return list(await asyncio.gather(*(self.post() for _ in range(count))))


@pytest.fixture
async def caller(client: Client, tenant: Tenant) -> Caller:
    return Caller(client.as_(tenant.tokens["owner"]))


@pytest.fixture
async def elsewhere(server_url: str, owner_url: str, tmp_path: Any, tenant: Tenant) -> AsyncIterator[Client]:
    """The same person at a second process."""
    async with run_application(settings(server_url, owner_url, home=str(tmp_path / "2"))) as lane:
        yield Client(lane, tenant.tokens["owner"])


@pytest.fixture
async def everywhere(client: Client, elsewhere: Client, tenant: Tenant) -> Caller:
    return Caller(client.as_(tenant.tokens["owner"]), elsewhere)


async def effects(owner: Any, tenant: Tenant, table: str = "api_keys") -> int:
    return int(await owner.fetchval(f"SELECT count(*) FROM {table} WHERE organization_id = $1", tenant.id))


def replace(monkeypatch: pytest.MonkeyPatch, *steps: Any) -> None:
    """The action behind the endpoint does the real work and then, each time it is called, the next of `steps`."""
    real, remaining = actions.create_api_key, list(steps)

    async def create(*arguments: Any) -> Any:
        made = await real(*arguments)
        if remaining:
            await remaining.pop(0)()
        return made

    monkeypatch.setattr(actions, "create_api_key", create)


def raising(error: Exception) -> Any:
    async def fail() -> None:
        raise error

    return fail


# --- one effect


async def test_fifty_at_once_through_two_processes_are_one(everywhere: Caller, tenant: Tenant, owner: Any) -> None:
    answers = await everywhere.together(50)
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1
    assert len({answer.headers["location"] for answer in answers}) == 1
    assert await effects(owner, tenant) == 1


async def test_the_keys_row_alone_is_enough(
    everywhere: Caller, tenant: Tenant, owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The queue in each process only spares connections: without it, all of them meet in the database."""

    @asynccontextmanager
    async def no_queue(*_: Any) -> AsyncIterator[None]:
        yield

    monkeypatch.setattr(idempotency.KeyLocks, "lock", no_queue)
    answers = await everywhere.together(12)
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1
    assert await effects(owner, tenant) == 1


async def test_without_the_keys_row_the_same_check_sees_doubles(
    everywhere: Caller, tenant: Tenant, owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never_repeated(*_: Any) -> None:
        return None

    monkeypatch.setattr(idempotency, "claim_or_find_response", never_repeated)
    answers = await everywhere.together(10)
    assert len({answer.content for answer in answers}) == 10
    assert await effects(owner, tenant) == 10


async def test_a_repeat_gets_the_first_answer_even_if_the_world_has_changed(
    caller: Caller, tenant: Tenant, owner: Any
) -> None:
    first = await caller.post()
    await owner.execute("DELETE FROM api_keys WHERE organization_id = $1", tenant.id)
    again = await caller.post()
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert again.headers["location"] == first.headers["location"]
    assert await effects(owner, tenant) == 0


async def test_without_a_key_each_request_is_its_own(
    client: Client, caller: Caller, tenant: Tenant, owner: Any
) -> None:
    signed_in = client.as_(tenant.tokens["owner"])
    for _ in range(2):
        assert (await signed_in.post(KEYS, json=WISH)).status_code == 201
    assert await effects(owner, tenant) == 2


async def test_a_key_belongs_to_one_person_and_one_route(
    client: Client, caller: Caller, tenant: Tenant, owner: Any
) -> None:
    colleague = Caller(client.as_(tenant.tokens["admin"]))
    answers = [await caller.post(), await colleague.post(key=caller.key), await caller.post(MEMBERSHIPS, MEMBER)]
    assert [answer.status_code for answer in answers] == [201, 201, 201]
    assert await effects(owner, tenant) == 2


async def test_the_kept_answer_cannot_be_read_in_the_database(caller: Caller, tenant: Tenant, owner: Any) -> None:
    token = (await caller.post()).json()["data"]["token"]
    [row] = await owner.fetch("SELECT * FROM idempotency_keys WHERE organization_id = $1", tenant.id)
    assert row["status"] == 201
    assert token.encode() not in row["answer"]


# --- what is kept


@pytest.mark.parametrize("body", [{**WISH, "name": "other"}, {**WISH, "expires_at": "2099-01-01T00:00:00Z"}])
async def test_the_same_key_with_another_body_is_refused(caller: Caller, tenant: Tenant, owner: Any, body: Any) -> None:
    assert (await caller.post()).status_code == 201
    refused = await caller.post(body=body)
    assert (refused.status_code, refused.json()["code"]) == (422, "idempotency_key_reused")
    assert await effects(owner, tenant) == 1


async def test_a_refusal_is_an_answer_and_is_repeated(caller: Caller, tenant: Tenant, owner: Any) -> None:
    assert (await caller.post(MEMBERSHIPS, MEMBER, key="first")).status_code == 201
    refused = await caller.post(MEMBERSHIPS, MEMBER)
    assert refused.status_code == 409
    await owner.execute("DELETE FROM memberships WHERE organization_id = $1", tenant.id)
    again = await caller.post(MEMBERSHIPS, MEMBER)
    assert (again.status_code, again.content) == (409, refused.content)
    assert again.headers["content-type"] == "application/problem+json"
    assert await effects(owner, tenant, "memberships") == 0
    assert (await caller.post(MEMBERSHIPS, MEMBER, key="new")).status_code == 201


async def test_a_refusal_leaves_no_effect_behind(
    caller: Caller, tenant: Tenant, owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace(monkeypatch, raising(Refusal("No.")))
    assert [(await caller.post()).status_code for _ in range(2)] == [400, 400]
    assert await effects(owner, tenant) == 0
    assert await effects(owner, tenant, "idempotency_keys") == 1


@pytest.mark.parametrize(
    ("error", "status"), [(RateLimited(retry_after_s=1), 429), (Unavailable(), 503), (ZeroDivisionError(), 500)]
)
async def test_later_and_accidents_are_not_kept(
    caller: Caller, tenant: Tenant, owner: Any, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int
) -> None:
    replace(monkeypatch, raising(error))
    assert (await caller.post()).status_code == status
    assert await effects(owner, tenant, "idempotency_keys") == 0
    assert (await caller.post()).status_code == 201
    assert await effects(owner, tenant) == 1


@pytest.mark.req("BUY-2")
@pytest.mark.parametrize("length", [64, 65, 254])
async def test_keys_that_differ_in_their_last_letter_are_two(
    length: int, caller: Caller, tenant: Tenant, owner: Any
) -> None:
    for last in "ab":
        assert (await caller.post(key="k" * length + last)).status_code == 201
    assert await effects(owner, tenant) == 2


@pytest.mark.req("BUY-2")
async def test_bodies_that_differ_in_their_last_letter_are_two(caller: Caller, tenant: Tenant, owner: Any) -> None:
    assert (await caller.post(body=WISH | {"name": "n" * 70 + "a"})).status_code == 201
    answer = await caller.post(body=WISH | {"name": "n" * 70 + "b"})
    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency_key_reused")
    assert await effects(owner, tenant) == 1


@pytest.mark.parametrize("length", [0, 256])
async def test_a_key_has_a_sensible_length(caller: Caller, client: Client, tenant: Tenant, length: int) -> None:
    headers = {"idempotency-key": "x" * length}
    answer = await client.as_(tenant.tokens["owner"]).post(KEYS, json=WISH, headers=headers)
    assert answer.status_code == 422


# --- while the first is at work


async def test_when_the_first_fails_one_of_those_who_wait_does_the_work(
    everywhere: Caller, tenant: Tenant, owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, let_go = asyncio.Event(), asyncio.Event()

    async def wait_and_fail() -> None:
        begun.set()
        await let_go.wait()
        raise ZeroDivisionError

    replace(monkeypatch, wait_and_fail)
    first = asyncio.create_task(everywhere.post())
    await begun.wait()
    others = [asyncio.create_task(everywhere.post()) for _ in range(9)]
    await until(lambda: _waits_for_the_row(owner))
    let_go.set()
    assert (await first).status_code == 500
    answers = await asyncio.gather(*others)
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1
    assert await effects(owner, tenant) == 1


@pytest.mark.parametrize("where", ["same process", "other process"])
async def test_who_waits_too_long_is_told_that_it_is_still_at_work(
    client: Client, elsewhere: Client, tenant: Tenant, owner: Any, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    begun, let_go = asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        begun.set()
        await let_go.wait()

    replace(monkeypatch, wait)
    here = Caller(client.as_(tenant.tokens["owner"]))
    repeat = here if where == "same process" else Caller(elsewhere)
    first = asyncio.create_task(here.post())
    await begun.wait()
    monkeypatch.setattr(idempotency, "WAIT_S", 0.3)
    refused = await repeat.post(key=here.key)
    assert (refused.status_code, refused.json()["code"]) == (409, "idempotency_in_flight")
    monkeypatch.setattr(idempotency, "WAIT_S", 10)
    let_go.set()
    done = await first
    assert done.status_code == 201
    assert (await repeat.post(key=here.key)).content == done.content
    assert await effects(owner, tenant) == 1


async def test_a_caller_who_gives_up_leaves_the_key_free(
    caller: Caller, tenant: Tenant, owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = asyncio.Event()

    async def wait() -> None:
        begun.set()
        await asyncio.Event().wait()

    replace(monkeypatch, wait)
    first = asyncio.create_task(caller.post())
    await begun.wait()
    waiting = asyncio.create_task(caller.post())
    await asyncio.sleep(0)
    for task in (waiting, first):
        task.cancel()
    await asyncio.wait((first, waiting))
    assert (await caller.post()).status_code == 201
    assert await effects(owner, tenant) == 1


async def test_turns_leave_nothing_in_memory() -> None:
    repeats, claim = idempotency.KeyLocks(), idempotency.Claim(new_id(), "user", "POST /", "key")

    async def turn(n: int) -> None:
        async with repeats.lock(claim):
            await asyncio.sleep(0)
            if n % 3 == 0:
                raise ZeroDivisionError

    await asyncio.gather(*(turn(n) for n in range(20)), return_exceptions=True)
    assert repeats._locks == {}


# --- and afterwards


async def test_keys_are_honoured_for_two_days_and_then_forgotten(
    caller: Caller, tenant: Tenant, owner: Any, server_url: str, clock: Any
) -> None:
    await caller.post()
    finder = await Database.open(server_url, WORKER, size=1)
    try:
        await clock(timedelta(days=1, hours=23))
        await idempotency.delete_old_keys(finder)
        assert await effects(owner, tenant, "idempotency_keys") == 1
        await clock(timedelta(days=2, minutes=1))
        assert await idempotency.delete_old_keys(finder) >= 1
        assert await effects(owner, tenant, "idempotency_keys") == 0
    finally:
        await finder.close()


async def _waits_for_the_row(owner: Any) -> bool:
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    return bool(await owner.fetchval(waiting))
