"""A house on sale, for the benches: a database of their own, an arena, buyers who are signed in, shows, and their
requests ready to be sent.
"""

import asyncio
import itertools
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import asyncpg
import msgspec
from bench import _load
from bench._log import ClientLog, end_of

from fullhouse import config, prove, wiring
from fullhouse.accounts import actions as accounts
from fullhouse.kit import secrets
from fullhouse.kit.db.database import APP, Database
from fullhouse.kit.ids import new_id
from fullhouse.kit.live.bus import Bus
from fullhouse.kit.messages import outbox
from fullhouse.kit.postgres.binaries import find_install
from fullhouse.processes import serve
from fullhouse.prove.client import log as client_log
from fullhouse.prove.client.log import Item
from fullhouse.seating.actions import prepare_layout
from fullhouse.seating.plans.chart import seat_id
from fullhouse.seating.plans.generators import Arena, generate

BUYERS = 4_000  # enough that nobody holds more than the ten that a person may
STRANGERS = 40_000  # where everybody comes once


# --- where it happens


# Events and people are copied into their tables, without the layouts and audit rows that verbs would write.
BY_HAND = {"parents", "audited"}


class Ground(NamedTuple):
    """A database for as long as a bench runs, and copies of it for what must not touch ours."""

    urls: serve.Urls
    home: str
    postgres: tuple[int, ...]  # the server's process

    def copy(self, *names: str) -> None:
        asyncio.run(_copy(self.urls.owner, names))

    def named(self, name: str) -> serve.Urls:
        """Ours without a name, or a copy."""
        here = f"/{name or 'fullhouse'}?"
        return serve.Urls(*(url.replace("/fullhouse?", here) for url in (self.urls.serving, self.urls.owner)))

    @contextmanager
    def serving(
        self, name: str = "", *, target: str = "fullhouse.processes.app:create", processes: int = 1, **settings: str
    ) -> Iterator[_load.Server]:
        urls = self.named(name)
        own = {"DATABASE_URL": urls.serving, "DATABASE_OWNER_URL": urls.owner, "FULLHOUSE_HOME": self.home}
        with _load.serving(target, {**os.environ, **own, **settings}, processes) as server:
            yield server

    def prove(self, log: Path | None = None) -> None:
        """Every invariant of the sale holds, and what the buyers were told is there."""
        found = asyncio.run(prove.run(self.urls.serving, client_log.read_log(log) if log else None))
        wrong = {check.name: sentences for check, sentences in found.items() if sentences and check.name not in BY_HAND}
        assert not wrong, wrong


@contextmanager
def ground() -> Iterator[Ground]:
    with (
        tempfile.TemporaryDirectory() as home,
        serve.open_database(config.load({"FULLHOUSE_HOME": home})) as (urls, cluster),
    ):
        assert cluster
        assert cluster.pid
        asyncio.run(serve.migrate_database(urls))
        yield Ground(urls, home, (cluster.pid,))


async def _copy(url: str, names: Sequence[str]) -> None:
    owner = await asyncpg.connect(url.replace("/fullhouse?", "/postgres?"))
    for name in names:
        await owner.execute(f"CREATE DATABASE {name} TEMPLATE fullhouse")
    await owner.close()


def pgbench(url: str, org: UUID, script: str, seconds: float, clients: int = 16, **first: int) -> float:
    """Transactions a second, by the role that serves, under its policies. Variables begin with what is given."""
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
        file.write(script)
        file.flush()
        done = subprocess.run(
            [
                find_install().program("pgbench"),
                "-n",
                "-M",
                "prepared",
                "-c",
                str(clients),
                "-j",
                "2",
                "-T",
                str(int(seconds)),
                *(f"--define={name}={value}" for name, value in first.items()),
                "-f",
                file.name,
                url,
            ],
            env={**os.environ, "PGOPTIONS": f"-c role=fullhouse_app -c app.org={org}"},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    found = re.search(r"tps = ([\d.]+)", done.stdout)
    assert found, done.stdout
    return float(found[1])


# --- who is there


class House(NamedTuple):
    org: UUID
    layout: UUID
    zone: UUID
    seats: int
    people: list[UUID]
    tokens: list[str]


class Show(NamedTuple):
    event: UUID
    pit: UUID


async def open_organization(urls: serve.Urls) -> UUID:
    outbox.wire(wiring.SYNC)
    database = await Database.open(urls.serving, APP, size=2, bus=Bus(urls.serving))
    org = new_id()
    async with database.tenant(org, deadline_s=60) as tx:
        await accounts.create_organization(tx, org, f"house-{org.hex[-8:]}", "House")
    await database.close()
    return org


async def sign_in(owner: Any, org: UUID, count: int) -> tuple[list[UUID], list[str]]:
    """So many people, and a token for each."""
    people = [new_id() for _ in range(count)]
    tokens = [secrets.mint(secrets.TokenKind.SESSION, org) for _ in people]
    await owner.execute(
        "INSERT INTO users (id, organization_id, name, role)"
        " SELECT u, $1, 'Guest', 'customer' FROM unnest($2::uuid[]) u",
        org,
        people,
    )
    await owner.execute(
        "INSERT INTO sessions (id, organization_id, user_id, token_hash, method, expires_at)"
        " SELECT gen_random_uuid(), $1, u, h, 'guest', now() + interval '1 day'"
        " FROM unnest($2::uuid[], $3::bytea[]) AS x (u, h)",
        org,
        people,
        [secrets.digest_token(token) for token in tokens],
    )
    return people, tokens


async def open_house(urls: serve.Urls, tiers: int = 6, rows: int = 30, *, buyers: int = BUYERS) -> House:
    """An arena, and buyers who are signed in."""
    org = await open_organization(urls)
    prepared = prepare_layout(generate(Arena(name="Arena", tiers=tiers, rows_per_tier=rows)), 0)
    owner = await asyncpg.connect(urls.owner)
    layout, zone = new_id(), new_id()
    seats = len(prepared.chart.zone)
    await owner.execute("SET session_replication_role = replica")
    await owner.execute(
        "INSERT INTO layouts (id, organization_id, family_id, version, name, status, total_capacity, seat_count,"
        " document, geometry) VALUES ($1, $2, $1, 1, 'Arena', 'active', $3, $3, $4, $5)",
        layout,
        org,
        seats,
        prepared.document,
        prepared.geometry,
    )
    zones = [zone, *(new_id() for _ in prepared.plan.zones[1:])]
    for n, (zone_id, plan) in enumerate(zip(zones, prepared.plan.zones, strict=True)):
        await owner.execute(
            "INSERT INTO zones (id, organization_id, layout_id, position, zone_key, name, zone_type, capacity,"
            " access_mode) VALUES ($1, $2, $3, $4, $5, $5, 'reserved_seating', 1, 'public')",
            zone_id,
            org,
            layout,
            n,
            plan.key,
        )
    people, tokens = await sign_in(owner, org, buyers)
    await owner.execute(
        "INSERT INTO seating_policies (organization_id, values) VALUES"
        ' ($1, \'{"holds_per_window": 10000, "max_seats_per_booking": 100}\')',
        org,
    )
    await owner.close()
    return House(org, layout, zone, seats, people, tokens)


async def open_shows(owner_url: str, house: House, count: int = 1, *, capacity: int = 0) -> list[Show]:
    """With a capacity each event has a pool of its own, which every hold counts in."""
    owner = await asyncpg.connect(owner_url)
    await owner.execute("SET session_replication_role = replica")
    shows = [await _open_show(owner, house) for _ in range(count)]
    if capacity:
        ids = [show.event for show in shows]
        await owner.execute("UPDATE events SET capacity = $2 WHERE id = ANY ($1)", ids, capacity)
        await owner.execute("SELECT app.fit_event_pools($1, $2)", house.org, ids)
    # Not seat_holds: known to be empty, it would be planned for no rows, as it never is once somebody has come.
    await owner.execute("VACUUM ANALYZE event_seats, pools, sessions, users")
    await owner.close()
    return shows


async def publish(owner: Any, org: UUID) -> UUID:
    """A show that is on sale, with nothing in it."""
    event = new_id()
    await owner.execute(
        "INSERT INTO events (id, organization_id, slug, name, description, category, status, start_at, end_at,"
        " doors_at, sale_start_at, sale_end_at, venue_name, city, country, timezone, dedupe_key)"
        " VALUES ($1, $2, $3, 'Show', 'A show', 'concert', 'published', now() + interval '9 days',"
        " now() + interval '10 days', now() + interval '9 days',"
        " now() - interval '1 day', now() + interval '8 days', 'Arena', 'City', 'ZZ', 'UTC', $3)",
        event,
        org,
        f"show-{event.hex[-10:]}",
    )
    await owner.execute("INSERT INTO event_directory VALUES ($1, $2)", event, org)
    return event


async def _open_show(owner: Any, house: House) -> Show:
    event, pit = await publish(owner, house.org), new_id()
    await owner.execute(
        "INSERT INTO event_layouts (event_id, organization_id, layout_id) VALUES ($1, $2, $3)",
        event,
        house.org,
        house.layout,
    )
    for zone_id, kind, capacity in ((house.zone, "reserved_seating", house.seats), (pit, "ga_standing", 10_000_000)):
        await owner.execute(
            "INSERT INTO event_zones (organization_id, event_id, zone_id, position, zone_key, name, zone_type,"
            " capacity, access_mode) VALUES ($1, $2, $3, 0, $4, $4, $5, $6, 'public')",
            house.org,
            event,
            zone_id,
            kind,
            kind,
            capacity,
        )
        await owner.execute(
            "INSERT INTO pools (organization_id, event_id, kind, ref_id, capacity) VALUES ($1, $2, 'zone', $3, $4)",
            house.org,
            event,
            zone_id,
            capacity,
        )
    await owner.execute(
        "INSERT INTO event_seats (organization_id, event_id, seat_id, ordinal, zone_id)"
        " SELECT $1, $2, s, n - 1, $3 FROM unnest($4::uuid[]) WITH ORDINALITY AS x (s, n)",
        house.org,
        event,
        house.zone,
        [seat_id(house.layout, n) for n in range(house.seats)],
    )
    return Show(event, pit)


# --- what they ask


def seats(
    house: House, shows: Sequence[UUID], *, skip: int = 0, buyers: Iterator[str] | None = None
) -> Iterator[bytes]:
    """Each for another seat, from the buyers in turn, from show to show in turn."""
    buyers = buyers or itertools.cycle(house.tokens)
    for n in range(skip, house.seats):
        for event in shows:
            path = f"/api/events/{event}/seats/{seat_id(house.layout, n)}/reserve"
            yield post(path, next(buyers), b'{"source":"web"}')


def places(house: House, show: Show) -> Iterator[bytes]:
    body = f'{{"items":[{{"zone_id":"{show.pit}","quantity":1}}]}}'.encode()
    for buyer in itertools.cycle(house.tokens):
        yield post(f"/api/events/{show.event}/holds", buyer, body)


def post(path: str, token: str, body: bytes, more: str = "") -> bytes:
    """With more lines in its head, each with its end."""
    return (
        f"POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n{more}"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode() + body


def ready(
    server: _load.Server, requests: Iterator[bytes], seconds: float, witness: _load.Witness | None = None
) -> _load.Source:
    """Requests for so many seconds, made beforehand; the first ones bring the show into the server's memory, whichever
    of its processes they come to."""
    first = list(itertools.islice(requests, 1 if len(server.pids) == 1 else 32))
    _load.load(server.port, _load.made(first), connections=len(first), seconds=10, warm_s=0, witness=witness)
    return _load.made(itertools.islice(requests, int(seconds * 25_000)))


_ASKED = re.compile(
    rb"POST /api/events/([^/]+)/(?:seats/([^/]+)/reserve|holds) .*?Bearer (\S+).*?\r\n\r\n(.*)", re.DOTALL
)


class Told:
    """What buyers ask for and are told, in a log for `fullhouse prove --log`: seats, and places in a zone."""

    def __init__(self, log: ClientLog, house: House) -> None:
        self._log, self._users = log, dict(zip(house.tokens, house.people, strict=True))

    def asked(self, request: bytes) -> str:
        found = _ASKED.match(request)
        assert found, request
        event, seat, token, body = found.groups()
        items = (
            [Item(seat=UUID(seat.decode()))]
            if seat
            else [Item(zone=UUID(i["zone_id"]), quantity=i["quantity"]) for i in msgspec.json.decode(body)["items"]]
        )
        user = self._users[token.decode()]
        return self._log.call(kind="hold", event=UUID(event.decode()), user=user, items=items)

    def answered(self, name: str, status: int, body: bytes) -> None:
        data = msgspec.json.decode(body)["data"] if status < 300 else {}
        lines = data.get("items") or ([data] if data else [])
        self._log.end(name, end_of(status), holds=[UUID(line["hold_id"]) for line in lines])
