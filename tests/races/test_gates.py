"""Gates that scan in the same moment: one ticket, the last place, and whoever cancels the show."""

import asyncio
from collections import Counter
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from fullhouse.events.model import NewGate
from fullhouse.events.venues import actions as venues
from fullhouse.kit.actors import SYSTEM
from fullhouse.kit.ids import new_id
from fullhouse.scanning.engine import ScanEngine
from fullhouse.scanning.model import CounterReused, ScanRequest, ScanResponse
from fullhouse.tickets.signing import signature
from tests.events.helpers import make_show
from tests.races.arena import Arena, arena

GATES = 20
# A guard is a piece of a function's text, and what is left of it without.
ONE_STEP = ("app.scan", "WHERE p.version = excluded.version - 1", "")
ONE_BY_ONE = ("app.lock_scans", "pg_advisory_xact_lock(hashtextextended", "abs(hashtextextended")
STILL_SO = ("app.scan", "IS DISTINCT FROM (w.event_version, w.gate_version, w.ticket_version)", "IS NULL")


class Doors(NamedTuple):
    at: Arena
    event_id: UUID
    gates: list[UUID]
    devices: list[UUID]
    codes: list[str]
    qr: str  # of the first ticket

    async def scan(self, n: int, *, qr: str | None = None, code: str | None = None) -> ScanResponse:
        services = self.at.processes[n % len(self.at.processes)]
        wish = ScanRequest(qr=qr, code=code)
        return await services.part(ScanEngine).scan(self.at.tenant.id, self.devices[n], wish, SYSTEM)


async def doors(at: Arena, tickets: int, *, gates: int = GATES, capacity: int | None = None) -> Doors:
    """A live show, gates with a device each, and tickets that were bought by nobody."""
    services, who = at.processes[0], at.tenant.principal("owner")
    show = await make_show(services, at.tenant)
    assert show.venue_id
    made = []
    async with services.database.tenant(at.tenant.id, who.actor) as tx:
        for n in range(gates):
            wish = NewGate(gate_code=f"G{n}", name=f"Gate {n}", capacity=capacity)
            made.append((await venues.create_gate(tx, who, show.venue_id, wish)).id)
    devices = [new_id() for _ in made]
    codes = ["2222" + "".join("23456789AB"[int(d)] for d in f"{n:04}") for n in range(tickets)]
    kind, order = new_id(), new_id()
    await at.owner.execute("SET session_replication_role = replica")  # no orders here, no payments
    await at.owner.execute("UPDATE events SET status = 'live' WHERE id = $1", show.id)
    await at.owner.execute(
        "INSERT INTO ticket_types (id, organization_id, event_id, name, tier, kind, price, currency, entitlement)"
        " VALUES ($1, $2, $3, 'Entry', 'general', 'ga', 0, 'EUR', 'single')",
        kind,
        at.tenant.id,
        show.id,
    )
    await at.owner.execute(
        "INSERT INTO tickets (id, organization_id, event_id, order_id, ticket_type_id, number, code, nonce,"
        " holder_name, holder_email) SELECT gen_random_uuid(), $1, $2, $3, $4, c, c, 'nnnnnnnn', 'Ada', 'a@example.org'"
        " FROM unnest($5::text[]) c",
        at.tenant.id,
        show.id,
        order,
        kind,
        codes,
    )
    await at.owner.execute(
        "INSERT INTO scan_devices (id, organization_id, event_id, name, gate_ids, rights)"
        " SELECT d, $1, $2, 'Scanner', ARRAY[g], '{scan}' FROM unnest($3::uuid[], $4::uuid[]) AS x (d, g)",
        at.tenant.id,
        show.id,
        devices,
        made,
    )
    return Doors(at, show.id, made, devices, codes, await signed(at, show.id, codes[0]))


async def signed(at: Arena, event_id: UUID, code: str) -> str:
    """The QR of a ticket, by a key that the house knows."""
    key = Ed25519PrivateKey.generate()
    await at.owner.execute(
        "INSERT INTO ticket_keys (organization_id, key_id, public_key, sealed_key) VALUES ($1, 1, $2, '')"
        " ON CONFLICT (organization_id, key_id) DO UPDATE SET public_key = excluded.public_key",
        at.tenant.id,
        key.public_key().public_bytes_raw(),
    )
    ticket_id = await at.owner.fetchval("SELECT id FROM tickets WHERE event_id = $1 AND code = $2", event_id, code)
    return signature.sign(signature.Claim(1, event_id, ticket_id, b"nnnnnnnn"), key.private_bytes_raw())


async def all_at_once(to: Doors) -> list[ScanResponse]:
    return await asyncio.gather(*(to.scan(n, qr=to.qr) for n in range(GATES)))


@pytest.mark.req("SCAN-2", "SCAN-3")
@pytest.mark.parametrize("processes", [1, 3])
async def test_twenty_gates_scan_one_ticket(tmp_path: Path, processes: int) -> None:
    async with arena(tmp_path, processes) as at:
        to = await doors(at, 1)
        answers = await all_at_once(to)
        (winner,) = [answer for answer in answers if answer.admit]
        others = [answer for answer in answers if not answer.admit]
        assert {(a.reason, a.since) for a in others} == {("already_inside", winner.at)}
        gate = f"Gate {answers.index(winner)}"
        assert {answer.gate for answer in others} == {gate}
        assert await at.owner.fetchval("SELECT sum(inside) FROM scan_counts WHERE kind = 'event'") == 1
        assert await at.owner.fetchval("SELECT count(*) FROM scans WHERE admitted") == 1
        assert await at.owner.fetchval("SELECT count(*) FROM scans") == GATES
        assert not (await at.wrong()).keys() & {"present", "occupied", "admitted", "scanned"}


@pytest.mark.parametrize("processes", [1, 3])
async def test_one_counter_for_two_tickets_lets_in_one(tmp_path: Path, processes: int) -> None:
    """A device that counts wrongly, or sends to two processes at once: what moved is written down, or does not move."""
    async with arena(tmp_path, processes) as at:
        to = await doors(at, 6, gates=1)
        engines = [services.part(ScanEngine) for services in at.processes]
        scans = [
            engines[n % processes].scan(at.tenant.id, to.devices[0], ScanRequest(code=code, counter=1), SYSTEM)
            for n, code in enumerate(to.codes)
        ]
        answers = await asyncio.gather(*scans, return_exceptions=True)
        assert Counter(type(answer) for answer in answers) == {ScanResponse: 1, CounterReused: 5}
        assert not (await at.wrong()).keys() & {"present", "occupied", "admitted", "scanned"}


async def test_without_the_guard_the_ticket_lets_in_more(tmp_path: Path) -> None:
    """The mutant. The unique index alone would have been enough, too."""
    async with arena(tmp_path, 3) as at:
        await at.remove(ONE_STEP)
        await at.remove(STILL_SO)
        await at.owner.execute("DROP INDEX scans_one_a_step")
        to = await doors(at, 1)
        admitted = 0
        for _ in range(10):
            admitted += sum(answer.admit for answer in await all_at_once(to))
            await at.owner.execute("DELETE FROM ticket_presence")
            await at.owner.execute("UPDATE tickets SET status = 'valid'")
        assert admitted > 10


@pytest.mark.req("SCAN-2")
@pytest.mark.parametrize("guarded", [True, False])
async def test_the_last_places_of_a_gate(tmp_path: Path, *, guarded: bool) -> None:
    """Sixty want in by a gate for seven. Without the lock, batches of two processes count the same places."""
    async with arena(tmp_path, 3) as at:
        if not guarded:
            await at.remove(ONE_BY_ONE)
        worst = 0
        for _ in range(1 if guarded else 8):
            to = await doors(at, 60, gates=3, capacity=7)
            to = to._replace(devices=[to.devices[0]] * 60)
            first = await to.scan(0, code=to.codes[0])  # who makes the counter's row waits for nobody
            answers = [first, *await asyncio.gather(*(to.scan(n, code=to.codes[n]) for n in range(1, 60)))]
            admitted = sum(answer.admit for answer in answers)
            worst = max(worst, admitted)
            if guarded:
                assert Counter(a.reason for a in answers) == {None: 7, "gate_full": 53}
                inside = "SELECT inside FROM scan_counts WHERE kind = 'gate' AND event_id = $1"
                assert await at.owner.fetchval(inside, to.event_id) == 7
            await at.owner.execute("DELETE FROM tickets")
            if worst > 7:
                break
        assert (worst == 7) == guarded
