"""The waiting room: joins over HTTP beside joins of a transaction each, polls beside an endpoint that does nothing, and
a million people in one line: memory, polls, and how soon a server that starts knows them all.

    python bench/waiting_room.py [seconds per measurement] [people in the line]

Client, server and PostgreSQL share the cores, so trust the ratios. Both sides are interleaved, medians of three.
"""

import asyncio
import itertools
import random
import socket
import statistics
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

import asyncpg
import uvloop

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench import _load
from bench._sale import ground, open_organization, post, publish, sign_in

from fullhouse.kit import secrets
from fullhouse.kit.db.database import APP, Database
from fullhouse.kit.http.endpoints import get
from fullhouse.kit.http.lanes import LaneRouter
from fullhouse.kit.http.response import Response
from fullhouse.kit.live.bus import Bus
from fullhouse.kit.secrets import Keyring
from fullhouse.processes import app, serve
from fullhouse.waiting_room.queue_tokens import QueueToken, QueueTokens

ROUNDS, BUYERS, POLLERS = 3, 200_000, 5_000
SECRET_KEY = "a key for benches that is long enough to be one"


@get("/api/nothing", public=True, answers={200: None}, hot=True)
async def nothing() -> Response:
    """Does nothing, as fast as possible."""
    return Response(200, b'{"data":null}')


def create() -> LaneRouter:
    """The application, and an endpoint that does nothing."""
    app.HANDLERS.append(nothing)
    return app.create()


class House(NamedTuple):
    org: UUID
    people: list[UUID]
    tokens: list[str]


async def open_house(urls: serve.Urls) -> House:
    """People who are signed in."""
    org = await open_organization(urls)
    owner = await asyncpg.connect(urls.owner)
    await owner.execute("SET session_replication_role = replica")
    people, tokens = await sign_in(owner, org, BUYERS)
    await owner.execute("VACUUM ANALYZE sessions, users")
    await owner.close()
    return House(org, people, tokens)


async def open_show(owner_url: str, house: House, waiting: int = 0) -> UUID:
    """On sale, its waiting room open, and so many in the line."""
    owner = await asyncpg.connect(owner_url)
    await owner.execute("SET session_replication_role = replica")
    event = await publish(owner, house.org)
    await owner.execute(
        "INSERT INTO queue_rooms (organization_id, event_id, mode, state, next_seq) VALUES ($1, $2, 'on', 'open', $3)",
        house.org,
        event,
        waiting + 1,
    )
    await owner.execute(
        "INSERT INTO queue_entries (organization_id, event_id, seq, place, user_id, status, joined_at, seen_at,"
        " expires_at) SELECT $1, $2, n, n, gen_random_uuid(), 'waiting', now(), now(), now() + interval '30 minutes'"
        " FROM generate_series(1, $3::integer) n",
        house.org,
        event,
        waiting,
    )
    await owner.execute("VACUUM ANALYZE queue_rooms, queue_entries")
    await owner.close()
    return event


# --- joins


async def naive(url: str, house: House, event: UUID, seconds: float, callers: int = 64) -> float:
    """As one would write it first: a transaction for each who joins, the room's row locked."""
    database = await Database.open(url, APP, size=16, bus=Bus(url))
    people, until, joined = iter(house.people), time.perf_counter() + seconds, 0

    async def caller() -> None:
        nonlocal joined
        while time.perf_counter() < until:
            user = next(people)
            async with waiting, database.tenant(house.org) as tx:
                await tx.fetchrow("SELECT status FROM events WHERE organization_id = $1 AND id = $2", house.org, event)
                seq = await tx.fetchval(
                    "SELECT next_seq FROM queue_rooms WHERE organization_id = $1 AND event_id = $2 FOR UPDATE",
                    house.org,
                    event,
                )
                await tx.fetchrow(
                    "SELECT seq FROM queue_entries WHERE organization_id = $1 AND event_id = $2 AND user_id = $3"
                    " AND status IN ('waiting', 'admitted')",
                    house.org,
                    event,
                    user,
                )
                await tx.execute(
                    "INSERT INTO queue_entries (organization_id, event_id, seq, place, user_id, status, joined_at,"
                    " seen_at, expires_at) VALUES ($1, $2, $3, $3, $4, 'waiting', now(), now(),"
                    " now() + interval '30 minutes')",
                    house.org,
                    event,
                    seq,
                    user,
                )
                await tx.execute(
                    "UPDATE queue_rooms SET next_seq = next_seq + 1 WHERE organization_id = $1 AND event_id = $2",
                    house.org,
                    event,
                )
            joined += 1

    waiting = asyncio.Semaphore(16)  # a pool's own queue has a time-out
    began = time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(callers)))
    took = time.perf_counter() - began
    await database.close()
    return joined / took


def joins(house: House, event: UUID) -> Iterator[bytes]:
    """Everybody once."""
    return (post(f"/api/events/{event}/queue", token, b"") for token in house.tokens)


# --- polls


def polls(house: House, event: UUID, waiting: int) -> list[bytes]:
    """From anywhere in the line, each with the token and the session of its own."""
    passes, now_s, dice = QueueTokens(Keyring(SECRET_KEY)), int(time.time()), random.Random(1)
    ready = []
    for token in house.tokens[:POLLERS]:
        of = QueueToken.of(house.org, event, dice.randint(1, waiting))
        ready.append(_poll(f"/api/events/{event}/queue", token, passes.mint(of, secrets.digest_token(token), now_s)))
    return ready


def nothings(house: House) -> list[bytes]:
    """The same bytes on the wire, as far as that goes."""
    return [_poll("/api/nothing", token, "x" * 80) for token in house.tokens[:POLLERS]]


def _poll(path: str, token: str, queue_token: str) -> bytes:
    return (
        f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nX-Queue-Token: {queue_token}\r\n\r\n"
    ).encode()


def run(server: _load.Server, source: _load.Source, connections: int, seconds: float) -> _load.Measured:
    measured = _load.load(server.port, source, connections=connections, seconds=seconds)
    assert set(measured.statuses) == {200}, measured.statuses
    return measured


def first_answer_s(port: int, request: bytes) -> float:
    """The first who asks waits until the line is read."""
    began = time.perf_counter()
    with socket.create_connection(("127.0.0.1", port), timeout=60) as line:
        line.sendall(request)
        assert line.recv(65_536).startswith(b"HTTP/1.1 200")
    return time.perf_counter() - began


def resident_mb(pid: int) -> float:
    return int(Path(f"/proc/{pid}/status").read_text().partition("VmRSS:")[2].split()[0]) / 1024


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 4.0
    waiting = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    with ground() as here:
        house = asyncio.run(open_house(here.urls))
        served = partial(here.serving, target="bench.waiting_room:create", FULLHOUSE_SECRET_KEY=SECRET_KEY)
        rates: dict[str, list[float]] = {name: [] for name in ("HTTP", "naive", "polls", "nothing")}
        with served() as server:
            for _ in range(ROUNDS):
                event = asyncio.run(open_show(here.urls.owner, house))
                rates["HTTP"].append(run(server, _load.made(joins(house, event)), 256, seconds).rate)
                event = asyncio.run(open_show(here.urls.owner, house))
                rates["naive"].append(uvloop.run(naive(here.urls.serving, house, event, seconds)))
        http, alone = statistics.median(rates["HTTP"]), statistics.median(rates["naive"])
        print(f"joins over HTTP, c=256: {http:,.0f}/s ÷ a transaction each: {alone:,.0f}/s = {http / alone:.1f}")

        event = asyncio.run(open_show(here.urls.owner, house, waiting))
        asks = polls(house, event, waiting)
        poll, blank = (itertools.cycle(each).__next__ for each in (asks, nothings(house)))
        with served() as server:
            before = resident_mb(server.pids[0])
            took = first_answer_s(server.port, asks[0])
            for _ in range(ROUNDS):
                rates["polls"].append(run(server, poll, 64, seconds).rate)
                rates["nothing"].append(run(server, blank, 64, seconds).rate)
            calm = run(server, poll, 16, seconds)
            after = resident_mb(server.pids[0])
        polled, idle = statistics.median(rates["polls"]), statistics.median(rates["nothing"])
        print(f"polls, c=64: {polled:,.0f}/s ÷ an endpoint that does nothing: {idle:,.0f}/s = {polled / idle:.2f}")
        print(
            f"{waiting:,} waiting: p50 {calm.percentile(0.5):.1f} ms, p99 {calm.percentile(0.99):.1f} ms (c=16);"
            f" {after:.0f} MB, {after - before:.0f} of them for the line; ready {took:.1f} s after the first question"
        )
        here.prove()


if __name__ == "__main__":
    main()
