"""The clocks of API and worker wrong by two hours, and set while they run: what is over when, the database says."""

import asyncio
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from fullhouse.kit.ids import new_id
from fullhouse.kit.secrets import Keyring, digest_token
from fullhouse.payments.policy import SIGNATURE_MAX_AGE_S
from fullhouse.waiting_room import actions as queue
from fullhouse.waiting_room.model import RoomSettings
from fullhouse.waiting_room.queue_tokens import LIFETIME_S, QueueToken, QueueTokens
from tests.accounts.helpers import data, refused
from tests.faults.theatre import GENEROUS, Child, Person, Server, Theatre, theatre
from tests.fixtures import SECRET_KEY
from tests.holds.helpers import a_process, hall
from tests.kit.helpers import until
from tests.kit.test_postgres import make_home
from tests.payments.stripe_fake import SECRET, WEBHOOK_SECRET, signed
from tests.payments.stripe_house import HOOK
from tests.services.servers import missing, program

pytestmark = [pytest.mark.fault, pytest.mark.req("HOLD-4", "QUEUE-1", "BUY-3", "OPS-1")]
SHIFTS = {"+2h": timedelta(hours=2), "-2h": timedelta(hours=-2)}
HOUR, TTL = timedelta(hours=1), timedelta(minutes=10)
SLACK_S = 60  # between signing a message and its arrival, on a busy machine
STRIPE = {"STRIPE_SECRET_KEY": SECRET, "STRIPE_WEBHOOK_SECRET": WEBHOOK_SECRET}


class Clocks:
    """Of the processes with this environment. Their monotonic clock goes on, as it does when somebody sets the time."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.set_to("+0")

    def set_to(self, shift: str) -> None:
        fresh = self._file.with_suffix(".new")
        fresh.write_text(f"{shift}\n")
        fresh.rename(self._file)

    @property
    def environment(self) -> dict[str, str]:
        program("faketime")
        found = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
        if not found:
            raise missing("libfaketime is not installed")
        return {
            "LD_PRELOAD": str(found[0]),
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }


class Scene(NamedTuple):
    at: Theatre
    owner: Any
    server: Server
    client: httpx.AsyncClient
    organization_id: Any
    people: Iterator[Person]  # each meets the server once: it remembers sessions for some seconds

    async def now(self) -> datetime:
        found: datetime = await self.owner.fetchval("SELECT app.clock()")
        return found

    async def set_database_to(self, shift: timedelta) -> None:
        await self.owner.execute(
            "CREATE OR REPLACE FUNCTION app.clock() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE"
            f" RETURN now() + interval '{shift.total_seconds()} s'"
        )

    async def ask(self, who: Person, method: str, path: str, body: Any = None, **more: str) -> httpx.Response:
        headers = {"authorization": f"Bearer {who.token}"} | more
        return await self.client.request(method, path, json=body, headers=headers)

    async def admitted(self) -> tuple[Person, Any]:
        who = next(self.people)
        place = data(await self.ask(who, "POST", self.at.sale.path("queue")))
        return who, place

    async def status(self, hold: Any) -> str:
        found: str = await self.owner.fetchval("SELECT status FROM seat_holds WHERE id = $1", hold)
        return found


async def holds_end_by_the_database(scene: Scene) -> None:
    """Not a second early, and at once when they are over, though a worker with the wrong time sweeps."""
    holds = []
    for ordinal, shift in enumerate((timedelta(0), timedelta(minutes=1))):
        await scene.set_database_to(shift)
        who, _ = await scene.admitted()
        before = await scene.now()
        seat = scene.at.sale.seat(ordinal)
        held = data(await scene.ask(who, "POST", scene.at.sale.path(f"seats/{seat}/reserve"), {}), 201)
        ends = datetime.fromisoformat(held["held_until"])
        assert before + TTL <= ends + timedelta(seconds=1), "its end is told in whole seconds"
        assert ends <= await scene.now() + TTL
        holds.append((held["hold_id"], ends))
    (first, over), (second, later) = holds
    assert over < later
    await scene.set_database_to(over + timedelta(seconds=2) - await scene.owner.fetchval("SELECT now()"))
    await until(lambda: is_expired(scene, first))
    assert await scene.status(second) == "active"
    await scene.set_database_to(later + timedelta(seconds=2) - await scene.owner.fetchval("SELECT now()"))
    await until(lambda: is_expired(scene, second))
    await scene.set_database_to(timedelta(0))


async def is_expired(scene: Scene, hold: Any) -> bool:
    return await scene.status(hold) == "expired"


async def sessions_end_by_the_database(scene: Scene) -> None:
    """By a header and by a cookie."""
    for left, status in ((HOUR, 200), (-HOUR, 401)):
        for cookie in (False, True):
            who = next(scene.people)
            changed = await scene.owner.execute(
                "UPDATE sessions SET expires_at = app.clock() + $2 WHERE token_hash = $1", digest_token(who.token), left
            )
            assert changed == "UPDATE 1"
            shown = {"cookie": f"fullhouse={who.token}"} if cookie else {"authorization": f"Bearer {who.token}"}
            assert (await scene.client.get("/api/me", headers=shown)).status_code == status, (left, cookie)


async def passes_end_by_the_database(scene: Scene) -> None:
    who, place = await scene.admitted()
    path, passes = scene.at.sale.path("queue"), QueueTokens(Keyring(SECRET_KEY))
    made_for = QueueToken.of(scene.organization_id, scene.at.sale.event_id, place["seq"])
    assert data(await scene.ask(who, "GET", path, **{"x-queue-token": place["token"]}))["seq"] == place["seq"]
    for left, ends in ((HOUR, 200), (-HOUR, 403)):
        made_s = int((await scene.now() + left).timestamp()) - LIFETIME_S
        token = passes.mint(made_for, digest_token(who.token), made_s)
        answer = await scene.ask(who, "GET", path, **{"x-queue-token": token})
        assert answer.status_code == ends, answer.text
        if ends == 403:
            assert refused(answer) == (403, "queue_token_invalid")


async def signatures_age_by_the_database(scene: Scene) -> None:
    event = {"id": f"evt_{new_id().hex}", "type": "customer.created", "data": {"object": {}}}
    for age_s, status in ((SIGNATURE_MAX_AGE_S - SLACK_S, 200), (SIGNATURE_MAX_AGE_S + SLACK_S, 400), (-SLACK_S, 200)):
        raw, headers = signed(event, age_s=age_s)
        answer = await scene.client.post(HOOK, content=raw, headers=headers)
        assert answer.status_code == status, (age_s, answer.text)


def last_said_at(process: Child) -> datetime:
    """By the clock of the process itself: the time of its last line in the log."""
    said: str = json.loads(process.log.splitlines()[-1])["timestamp"]
    return datetime.fromisoformat(said)


async def all_ends(at: Theatre, clocks: Clocks) -> None:
    wrong = clocks.environment
    async with at.owner() as owner:
        organization_id = await owner.fetchval("SELECT organization_id FROM events")
        async with a_process(at.urls.serving, at.home) as services, services.database.tenant(organization_id) as tx:
            room = RoomSettings(mode="on", slots=40)
            await queue.change_settings(tx, services.keyring, at.sale.event_id, room)
        async with (
            at.serving(**wrong, **STRIPE) as server,
            at.working(**wrong) as worker,
            httpx.AsyncClient(base_url=f"http://127.0.0.1:{server.port}", timeout=30) as client,
        ):
            scene = Scene(at, owner, server, client, organization_id, iter(at.people))
            for shift in SHIFTS:
                clocks.set_to(shift)
                for part in (
                    holds_end_by_the_database,
                    sessions_end_by_the_database,
                    passes_end_by_the_database,
                    signatures_age_by_the_database,
                ):
                    await part(scene)
                assert abs(last_said_at(server) - datetime.now(UTC) - SHIFTS[shift]) < HOUR, "the clock was not set"
                assert abs(last_said_at(worker) - datetime.now(UTC) - SHIFTS[shift]) < HOUR, "the clock was not set"


def test_what_is_over_when_the_database_says(tmp_path: Path) -> None:
    clocks = Clocks(tmp_path / "shift")
    with theatre(make_home(), 40, hall(2, 10), {**GENEROUS, "default_hold_ttl_minutes": 10}) as at:
        asyncio.run(all_ends(at, clocks))
