"""Gates without a connection: what they are given, and what they tell afterwards."""

import base64
import json
import random
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fullhouse.kit.codes import ALPHABET
from fullhouse.kit.ids import new_id
from fullhouse.scanning import policy
from fullhouse.scanning.snapshots import codec
from fullhouse.scanning.snapshots.codec import COLUMNS, Row
from tests.accounts.helpers import data
from tests.checkout.helpers import rows
from tests.events.helpers import announced, trail
from tests.fixtures import Client, Tenant
from tests.scanning.helpers import Door, code_of, device, door, live, qr_of, scan, seen, tell, wrong


@pytest.fixture
async def at(client: Client, tenant: Tenant) -> Door:
    return await door(client, tenant, 0, pit=2, gates="ABC")


def raw(text: str) -> bytes:
    return base64.b64decode(text)


async def opened(by: Client, told: Any, query: str = "") -> tuple[dict[str, Any], list[dict[str, Any]]]:
    answer = await by.get(f"/api/scan/snapshot{query}")
    assert answer.status_code == 200, answer.text
    plain = codec.unseal(answer.content, raw(told["key"]), raw(told["verify_key"]), UUID(told["device"]["id"]))
    assert plain
    return codec.unpack(plain)


@pytest.mark.req("SCAN-4")
async def test_a_snapshot_has_what_a_device_must_know_and_nobodys_name(client: Client, at: Door) -> None:
    by, told = await device(at, client)
    _, told_other = await device(at, client, "B")
    await scan(by, at.tickets[0], qr=await qr_of(at, at.tickets[0]))
    header, tickets = await opened(by, told)
    assert {ticket["code"] for ticket in tickets} == {ticket["code"] for ticket in at.tickets}
    found = {ticket["code"]: ticket for ticket in tickets}[at.tickets[0]["code"]]
    assert (found["status"], found["inside"], found["entries"]) == (codec.STATUSES.index("used"), 1, 1)
    assert header["gates"][found["gate"]]["name"] == "A"
    assert header["types"][found["type"]]["entitlement"] == "single"
    assert (header["event"]["status"], header["keys"][0]["revoked"]) == ("live", False)
    (today,) = [day for day in header["days"] if day["from"] <= header["version"] < day["until"]]
    assert today["day"] == (await live(at))["day"]
    assert header["rules"]["overridable"] == sorted(policy.OVERRIDABLE)
    whole = (await by.get("/api/scan/snapshot")).content
    assert b"Ada" not in (codec.unseal(whole, raw(told["key"]), raw(told["verify_key"]), _id(told)) or b"Ada")
    # For this device only, and from this house only.
    assert codec.unseal(whole, raw(told_other["key"]), raw(told["verify_key"]), _id(told)) is None
    assert codec.unseal(whole, raw(told["key"]), raw(told["verify_key"]), _id(told_other)) is None
    changed = whole[:-1] + bytes([whole[-1] ^ 1])
    assert codec.unseal(changed, raw(told["key"]), raw(told["verify_key"]), _id(told)) is None


def _id(told: Any) -> UUID:
    return UUID(told["device"]["id"])


@pytest.mark.req("SCAN-4")
async def test_the_next_snapshot_has_what_changed(client: Client, at: Door, clock: Any) -> None:
    by, told = await device(at, client)
    header, tickets = await opened(by, told)
    first = at.tickets[0]
    old = {ticket["code"]: ticket["tag"] for ticket in tickets}[first["code"]]
    await clock(timedelta(minutes=5))
    passed = {"name": "Bo", "email": "bo@example.org"}
    now = data(await at.staff.post(f"/api/tickets/{first['id']}/transfer", json=passed))
    await scan(by, at.tickets[1])
    later, changed = await opened(by, told, f"?since={header['version'] + 120_000}")
    assert {ticket["code"] for ticket in changed} == {now["code"], at.tickets[1]["code"]}
    assert {ticket["code"]: ticket["tag"] for ticket in changed}[now["code"]] != old
    # The device has it under its former code: it is told which one that is, of however many.
    assert (header["former"], later["former"]) == ({}, {first["code"]: now["code"]})
    last = data(await at.staff.post(f"/api/tickets/{first['id']}/transfer", json=passed))
    former = (await opened(by, told))[0]["former"]
    assert former == {first["code"]: last["code"], now["code"]: last["code"]}


@pytest.mark.req("SCAN-4", "AUD-1")
async def test_a_double_entry_is_found_and_resolved(client: Client, at: Door, owner: Any) -> None:
    (a, _), (c, _) = await device(at, client, "A"), await device(at, client, "C")
    now, ticket = datetime.now(UTC), at.tickets[0]
    later = seen(ticket, 1, now - timedelta(minutes=2))
    assert (await tell(c, later, now=now))["incidents"] == 0
    merged = await tell(a, seen(ticket, 1, now - timedelta(minutes=5)), now=now)
    assert (merged["taken"], merged["incidents"]) == (1, 1)
    (incident,) = data(await at.staff.get(at.sale.path("incidents")))
    assert (incident["kind"], incident["first_gate"], incident["second_gate"]) == ("already_inside", "A", "C")
    assert [fact["name"] for fact in await announced(owner, ticket)][-2:] == ["ticket.scanned"] * 2
    scanned = [row for row in await trail(owner, at.tenant, ticket) if row["action"] == "ticket.scanned"]
    assert [row["actor_type"] for row in scanned] == ["device"] * 2
    assert incident["first_at"] < incident["second_at"]
    counts = await live(at)
    assert (counts["inside"], counts["entered"], counts["incidents"]) == (1, 2, 1)
    again = await tell(c, later, now=now)
    assert (again["taken"], again["known"]) == (0, 1)
    path = at.sale.path(f"incidents/{incident['id']}/resolve")
    assert data(await at.staff.post(path, json={"note": "A copy. Sent away."}))["note"] == "A copy. Sent away."
    assert code_of(await at.staff.post(path, json={"note": "x"})) == (404, "incident_not_found")
    await tell(a, seen(ticket, 2, now, direction="out"), now=now)
    (kept,) = data(await at.staff.get(at.sale.path("incidents")))
    assert kept["note"] == "A copy. Sent away."
    assert (await scan(a, ticket))["reason"] == "already_used"


@pytest.mark.req("SCAN-4")
async def test_a_clock_that_is_wrong_by_hours_is_put_right(client: Client, at: Door, owner: Any) -> None:
    by, _ = await device(at, client)
    wrong = datetime.now(UTC) - timedelta(hours=3)
    merged = await tell(by, seen(at.tickets[0], 1, wrong - timedelta(minutes=1)), now=wrong)
    assert merged["clock_offset_s"] == 3 * 3600
    (kept,) = await rows(owner, "scans", at.tenant)
    assert abs(kept["at"] - datetime.now(UTC)) < timedelta(minutes=3)
    (listed,) = data(await at.staff.get("/api/scan/devices"))
    assert listed["clock_offset_s"] == 3 * 3600
    answer = await by.post("/api/scan/batch", json={"device_now": "1970-01-01T00:00:00Z", "scans": []})
    assert code_of(answer) == (422, "invalid")


@pytest.mark.req("SCAN-4", "SCAN-3")
async def test_what_is_no_ticket_of_this_show_counts_nothing(client: Client, at: Door, owner: Any) -> None:
    by, _ = await device(at, client)
    now = datetime.now(UTC)
    good = await qr_of(at, at.tickets[1])
    merged = await tell(
        by,
        seen({"code": "22222222"}, 1, now),
        {"counter": 2, "at": now.isoformat(), "qr": good, "admitted": True},
        {"counter": 3, "at": now.isoformat(), "qr": good[:-3] + "000", "admitted": True},
        {"counter": 4, "at": now.isoformat(), "qr": "FH:nonsense", "admitted": False, "reason": "unknown"},
    )
    assert (merged["taken"], merged["unknown_tickets"]) == (4, 3)
    assert (await live(at))["entered"] == 1
    elsewhere = {**seen(at.tickets[0], 9, now), "gate_id": at.gates["B"]}
    refused = await by.post("/api/scan/batch", json={"device_now": now.isoformat(), "scans": [elsewhere]})
    assert code_of(refused) == (403, "gate_not_paired")


@pytest.mark.req("SCAN-4")
async def test_the_same_scans_in_any_order_leave_the_same(client: Client, tenant: Tenant, owner: Any) -> None:
    """Three devices, several batches each: told in one order, and in others."""
    at = await door(client, tenant, pit=3, gates="ABC")
    devices = [(await device(at, client, gate))[0] for gate in "ABC"]
    now, chance = datetime.now(UTC), random.Random(8)
    scans = [
        (
            n % 3,
            seen(
                chance.choice(at.tickets),
                n // 3,
                now - timedelta(seconds=chance.randrange(3600)),
                direction=chance.choice(["in", "in", "out"]),
            ),
        )
        for n in range(24)
    ]
    states = []
    for _ in range(3):
        await owner.execute("SET session_replication_role = replica")  # the audit, too, as if nothing had been told
        for table in ("scans", "ticket_presence", "scan_counts", "scan_incidents", "audit_log"):
            await owner.execute(f"DELETE FROM {table}")
        await owner.execute("SET session_replication_role = DEFAULT")
        chance.shuffle(scans)
        for start in range(0, len(scans), 5):
            for n, by in enumerate(devices):
                await tell(by, *(body for owner_of, body in scans[start : start + 5] if owner_of == n), now=now)
        states.append(await _state(owner, tenant))
    assert states[0] == states[1] == states[2]
    assert states[0]["incidents"]
    assert await wrong(owner, at) == {}


async def _state(owner: Any, tenant: Tenant) -> dict[str, Any]:
    return {
        "presence": await owner.fetch(
            "SELECT ticket_id, inside, day, entries_today, entries, at, gate_id FROM ticket_presence"
            " WHERE organization_id = $1 ORDER BY 1", tenant.id),
        "counts": await owner.fetch(
            "SELECT day, kind, ref_id, inside, entered FROM scan_counts WHERE organization_id = $1"
            " AND (inside > 0 OR entered > 0) ORDER BY 1, 2, 3", tenant.id),
        "incidents": await owner.fetch(
            "SELECT i.kind, a.device_id, a.counter, b.device_id, b.counter FROM scan_incidents i"
            " JOIN scans a ON a.id = i.first_scan_id JOIN scans b ON b.id = i.second_scan_id"
            " WHERE i.organization_id = $1 ORDER BY 2, 3, 4, 5", tenant.id),
    }  # fmt: skip


@pytest.mark.req("SCAN-2")
async def test_the_databases_day_is_the_policys(owner: Any) -> None:
    zones = ("Europe/Amsterdam", "America/New_York", "Pacific/Chatham")
    for zone in zones:
        moments = [datetime(2026, 1, 1, 0, 30, tzinfo=UTC) + timedelta(hours=n) for n in range(24 * 366)]
        found = await owner.fetch(
            'SELECT app.day_of(t, $2, \'{"day_boundary": "03:30"}\') AS day'
            " FROM unnest($1::timestamptz[]) WITH ORDINALITY AS x (t, n) ORDER BY n",
            moments,
            zone,
        )
        ours = [policy.day_of(at, zone, timedelta(hours=3, minutes=30)) for at in moments]
        assert [row["day"] for row in found] == ours


@pytest.mark.req("SCAN-2")
@pytest.mark.parametrize("said", ["03:30", "00:00", "09:59", "11:59", "12:00", "03:60", "3:30", "x", "", None, 4])
async def test_the_databases_boundary_is_the_policys(said: Any, owner: Any) -> None:
    moments = [datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=n) for n in range(24 * 60)]
    for event in ({}, {"day_boundary": said}):
        found = await owner.fetch(
            "SELECT app.day_of(t, 'UTC', $2::text::jsonb) AS day"
            " FROM unnest($1::timestamptz[]) WITH ORDINALITY AS x (t, n) ORDER BY n", moments, json.dumps(event),
        )  # fmt: skip
        ours = [policy.day_of(at, "UTC", policy.parse_day_boundary(event)) for at in moments]
        assert [row["day"] for row in found] == ours


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.text(ALPHABET, min_size=8, max_size=8))
def test_a_code_is_forty_bits(code: str) -> None:
    number = codec.code_number(code)
    assert number < 2**40
    assert codec.code_of(number) == code


def test_a_snapshot_of_a_stadium_is_small() -> None:
    chance = random.Random(1)
    days = codec.days_since(date(2026, 1, 2), date(2026, 1, 1))
    made = [
        Row(
            new_id(),
            chance.randbytes(8),
            codec.code_of(chance.randrange(31**8)),
            tuple(
                {
                    "seat": n % 40,
                    "row": n // 40 % 60,
                    "day": days,
                    "at": chance.randrange(9000) if n % 2 else 0,
                    "gate": n % 12,
                    "inside": n % 2,
                }.get(name, 0)
                for name, _ in COLUMNS
            ),
        )
        for n in range(100_000)
    ]
    key, signer = chance.randbytes(32), Ed25519PrivateKey.generate()
    sealed = codec.seal(codec.pack({}, made), key, signer, new_id())
    assert len(sealed) < 3_000_000
