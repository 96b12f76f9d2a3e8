"""A device that was paired anew tells what it saw before: what the house has already, it recognises."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.accounts.helpers import data
from tests.checkout.helpers import rows
from tests.fixtures import Client, Tenant
from tests.scanning.helpers import Door, code_of, device, door, former, live, scan, seen, send, tell, wrong

pytestmark = pytest.mark.req("SCAN-4")


@pytest.fixture
async def at(client: Client, tenant: Tenant) -> Door:
    return await door(client, tenant, 0, 1, 2, gates="AB")


async def revoked(at: Door, told: Any) -> None:
    assert (await at.staff.delete(f"/api/scan/devices/{told['device']['id']}")).status_code == 204


async def counts(at: Door) -> tuple[int, int, int]:
    now = await live(at)
    return now["inside"], now["entered"], now["incidents"]


async def test_what_the_house_has_already_counts_once(client: Client, at: Door, tenant: Tenant, owner: Any) -> None:
    (first, was), now = await device(at, client, "A"), datetime.now(UTC)
    scans = [seen(ticket, n, now - timedelta(minutes=5), gate_id=at.gates["A"]) for n, ticket in enumerate(at.tickets)]
    await tell(first, *scans[:2], now=now)  # and the answer is lost: the device does not know of it
    await revoked(at, was)
    again, is_now = await device(at, client, "B")
    stranded = [each | {"device_id": was["device"]["id"]} for each in scans]
    own = seen(at.tickets[0], 0, now - timedelta(minutes=1), direction="out")  # the same number, of another pairing
    merged = await tell(again, *stranded, own, now=now, former=[former(was)])
    assert (merged["taken"], merged["known"], merged["incidents"]) == (2, 2, 0)
    assert await counts(at) == (2, 3, 0)
    kept = await rows(owner, "scans", tenant, "device_id::text, counter, gate_id::text")
    assert {(row["device_id"], row["counter"], row["gate_id"]) for row in kept} == {
        *((was["device"]["id"], n, at.gates["A"]) for n in range(3)),
        (is_now["device"]["id"], 0, at.gates["B"]),
    }
    merges = await owner.fetch(
        "SELECT entity_id::text, after FROM audit_log WHERE organization_id = $1 AND action = 'scan_device.merged'"
        " AND actor_id::text = $2",
        tenant.id,
        is_now["device"]["id"],
    )
    assert {row["entity_id"] for row in merges} == {was["device"]["id"], is_now["device"]["id"]}
    assert await wrong(owner, at) == {}
    # However often, and from whichever pairing.
    third, _ = await device(at, client, "B")
    assert (await tell(third, *stranded, now=now, former=[former(was)]))["taken"] == 0
    assert await counts(at) == (2, 3, 0)


async def test_without_their_pairings_name_they_would_count_again(client: Client, at: Door, owner: Any) -> None:
    """What it is good for: told as its own, they are other scans."""
    (first, was), now = await device(at, client, "A"), datetime.now(UTC)
    one = seen(at.tickets[0], 1, now - timedelta(minutes=5))
    await tell(first, one, now=now)
    await revoked(at, was)
    again, _ = await device(at, client, "A")
    assert (await tell(again, one, now=now))["incidents"] == 1
    assert await counts(at) == (1, 2, 1)
    assert await wrong(owner, at) == {}


async def test_a_scan_over_the_line_whose_answer_was_lost_is_recognised_too(client: Client, at: Door) -> None:
    (first, was), now = await device(at, client, "A"), datetime.now(UTC)
    assert (await scan(first, at.tickets[0], counter=7))["admit"]
    await revoked(at, was)
    again, _ = await device(at, client, "A")
    stranded = seen(at.tickets[0], 7, now, device_id=was["device"]["id"])
    assert (await tell(again, stranded, now=now, former=[former(was)]))["taken"] == 0
    assert await counts(at) == (1, 1, 0)


async def test_nobody_speaks_for_another_device(
    client: Client, at: Door, tenant: Tenant, other_tenant: Tenant, owner: Any
) -> None:
    """Otherwise one could make the house believe that it knows what another gate has still to tell."""
    now = datetime.now(UTC)
    _, was = await device(at, client, "A")
    elsewhere = await door(client, tenant, 0, gates="C")
    _, of_another_show = await device(elsewhere, client, "C")
    _, of_another_house = await device(await door(client, other_tenant, 0, gates="D"), client, "D")
    again, own = await device(at, client, "A")
    unpaired = {"device": {"id": (await _unpaired(at))["id"]}}
    wrong_proofs = {
        "no token of its": former(was, token="fhd_guessed"),
        "its own instead": former(was, token=own["token"]),
        "another show's": former(of_another_show),
        "another house's": former(of_another_house),
        "nobody's": former(was) | {"device_id": "01890000-0000-7000-8000-000000000000"},
        "one that was never paired": former(unpaired, token="-"),
    }
    for what, claim in wrong_proofs.items():
        one = seen(at.tickets[0], 3, now, device_id=claim["device_id"])
        answer = await send(again, one, now=now, former=[former(was), claim])
        assert code_of(answer) == (403, "former_pairing_unknown"), what
    assert await rows(owner, "scans", tenant) == []
    denied = await owner.fetchval(
        "SELECT count(*) FROM audit_log WHERE organization_id = $1 AND action = 'access.denied'", tenant.id
    )
    assert denied == len(wrong_proofs)
    unnamed = await send(again, seen(at.tickets[0], 3, now, device_id=was["device"]["id"]), now=now)
    assert (code_of(unnamed), unnamed.json()["fields"][0]["path"]) == ((422, "invalid"), "scans[0].device_id")
    elsewhere_gate = seen(at.tickets[0], 3, now, device_id=was["device"]["id"], gate_id=at.gates["B"])
    assert code_of(await send(again, elsewhere_gate, now=now, former=[former(was)])) == (403, "gate_not_paired")


async def _unpaired(at: Door) -> Any:
    wish = {"event_id": str(at.sale.event_id), "name": "Spare", "gate_ids": [at.gates["A"]], "rights": ["scan"]}
    return data(await at.staff.post("/api/scan/devices", json=wish), 201)
