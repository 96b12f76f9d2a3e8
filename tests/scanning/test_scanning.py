"""Scanning over HTTP: whom a gate lets in, and what it is told of those whom it does not."""

from typing import Any

import pytest

from fullhouse.tickets.signing.signature import PREFIX, decode_base45, encode_base45
from tests.accounts.helpers import data
from tests.checkout.helpers import bought, rows, selling
from tests.events.helpers import announced, trail
from tests.fixtures import Client, Tenant
from tests.holds.helpers import hall
from tests.scanning.helpers import Door, code_of, device, door, live, qr_of, scan, wrong


@pytest.mark.req("SCAN-1", "SCAN-5", "AUD-1")
async def test_a_ticket_lets_in_once_and_the_second_gate_hears_when_and_where(
    client: Client, at: Door, owner: Any
) -> None:
    (a, _), (b, _) = await device(at, client, "A"), await device(at, client, "B")
    ticket = next(t for t in at.tickets if t["seat_id"])
    first = await scan(a, ticket, qr=await qr_of(at, ticket), battery=80)
    assert (first["admit"], first["reason"], first["message"]) == (True, None, "Welcome.")
    assert (first["ticket"]["row"], first["ticket"]["holder_name"]) == ("A", "Ada Buyer")
    second = await scan(b, ticket)
    assert (second["admit"], second["reason"]) == (False, "already_inside")
    assert (second["since"], second["gate"]) == (first["at"], "A")
    counts = await live(at)
    assert (counts["inside"], counts["entered"], counts["rejected"]) == (1, 1, 1)
    assert {gate["name"]: gate["inside"] for gate in counts["gates"]} == {"A": 1, "B": 0}
    assert data(await at.staff.get(f"/api/tickets/{ticket['id']}"))["status"] == "used"
    assert "ticket.scanned" in [row["action"] for row in await trail(owner, at.tenant, ticket)]
    names = [fact["name"] for fact in await announced(owner, ticket)]
    assert names[-2:] == ["ticket.scanned", "ticket.scan_rejected"]
    (seen,) = [d for d in data(await at.staff.get("/api/scan/devices")) if d["name"] == "Scanner A"]
    assert (seen["app_version"], seen["last_seen_at"] is not None) == ("1.0", True)


@pytest.mark.req("SCAN-3")
async def test_a_code_that_is_not_ours_is_refused_with_its_reason(
    client: Client, at: Door, tenant: Tenant, owner: Any
) -> None:
    by, _ = await device(at, client)
    ticket = at.tickets[0]
    good = await qr_of(at, ticket)
    raw = bytearray(decode_base45(good[len(PREFIX) :]) or b"")
    raw[-1] ^= 1
    other = await selling(at.staff)
    elsewhere = (await bought(client, tenant, other, 0))["tickets"][0]
    wrong = {
        "forged": {"qr": PREFIX + encode_base45(bytes(raw))},
        "unknown": {"qr": good[:-3]},
        "wrong_event": {"qr": await qr_of(at, elsewhere)},
    }
    for reason, wish in wrong.items():
        answer = await scan(by, ticket, **wish)
        assert (answer["admit"], answer["reason"], answer["ticket"]) == (False, reason, None)
    for code, reason in (("22222222", "unknown"), (elsewhere["code"], "wrong_event")):
        assert (await scan(by, {"code": code}))["reason"] == reason
    assert [row["reason"] for row in await rows(owner, "scans", tenant)] == [*wrong, "unknown", "wrong_event"]
    assert (await live(at))["inside"] == 0
    neither = await by.post("/api/scan", json={})
    assert code_of(neither) == (422, "invalid")


@pytest.mark.req("SCAN-3", "BUY-5")
async def test_keys_transfers_and_refunds_are_known_at_the_gate(client: Client, at: Door) -> None:
    by, _ = await device(at, client)
    first, second, third, fourth = at.tickets
    old, printed = await qr_of(at, first), await qr_of(at, second)
    passed = await at.staff.post(f"/api/tickets/{first['id']}/transfer", json={"name": "Bo", "email": "bo@example.org"})
    assert passed.status_code == 200
    assert (await scan(by, first, qr=old))["reason"] == "replaced"
    refused = await scan(by, first)  # nor by the characters that its former holder knows
    assert (refused["reason"], refused["ticket"]["holder_name"]) == ("replaced", "Bo")
    assert "was transferred" in refused["message"]
    assert (await scan(by, first, direction="out"))["reason"] == "not_inside"
    assert (await scan(by, data(passed), test=True))["admit"]
    (hit,) = data(await by.get("/api/scan/search", params={"q": first["code"]}))
    assert (hit["ticket_id"], hit["code"]) == (first["id"], data(passed)["code"])
    assert (await scan(by, first, qr=await qr_of(at, first)))["admit"]
    data(await at.staff.post("/api/org/ticket-keys", json={}))
    assert (await scan(by, second, qr=printed, test=True))["admit"]  # a retired key is still believed
    data(await at.staff.post("/api/org/ticket-keys", json={"revoke": True}))
    lost = await qr_of(at, third)
    data(await at.staff.post("/api/org/ticket-keys", json={"revoke": True}))
    assert (await scan(by, third, qr=lost))["reason"] == "revoked"
    assert (await scan(by, third, qr=await qr_of(at, third)))["admit"]
    data(await at.staff.post(f"/api/tickets/{fourth['id']}/cancel", json={"reason": "Printed twice"}))
    assert (await scan(by, fourth))["reason"] == "cancelled"


async def test_the_same_scan_again_happens_once(client: Client, at: Door, owner: Any) -> None:
    by, _ = await device(at, client)
    first = await scan(by, at.tickets[0], counter=1)
    again = await scan(by, at.tickets[0], counter=1)
    assert (again["admit"], again["repeated"], again["scan_id"]) == (True, True, first["scan_id"])
    assert len(await rows(owner, "scans", at.tenant)) == 1
    other = await by.post("/api/scan", json={"code": at.tickets[1]["code"], "counter": 1})
    assert code_of(other) == (409, "counter_reused")
    nobody = [await scan(by, {"code": "22222222"}, counter=2) for _ in range(2)]
    assert [(answer["reason"], answer["repeated"]) for answer in nobody] == [("unknown", False), ("unknown", True)]


@pytest.mark.req("SCAN-3", "AUD-1")
async def test_a_supervisor_overrides_and_undoes(client: Client, at: Door, owner: Any) -> None:
    by, _ = await device(at, client)
    ticket = at.tickets[0]
    first = await scan(by, ticket)
    passed = await scan(by, ticket, override={"reason": "Went out by the fire door"})
    assert (passed["admit"], passed["reason"]) == (True, "already_inside")
    assert (await live(at))["inside"] == 1
    assert await wrong(owner, at) == {}
    for answer in (passed, first):
        undone = data(await by.post(f"/api/scan/{answer['scan_id']}/undo", json={"reason": "Wrong person"}))
        assert undone["undone_reason"] == "Wrong person"
    assert code_of(await by.post(f"/api/scan/{first['scan_id']}/undo", json={"reason": "x"})) == (
        409,
        "nothing_to_undo",
    )
    counts = await live(at)
    assert (counts["inside"], counts["entered"]) == (0, 0)
    assert data(await at.staff.get(f"/api/tickets/{ticket['id']}"))["status"] == "valid"
    assert (await scan(by, ticket))["admit"]
    told = [(row["action"], row["reason"]) for row in await trail(owner, at.tenant, ticket)]
    assert ("ticket.scanned", "Went out by the fire door") in told
    assert told.count(("ticket.scan_undone", "Wrong person")) == 2
    assert await wrong(owner, at) == {}


@pytest.mark.req("MEM-1", "SCAN-3")
async def test_a_membership_is_looked_at_again(client: Client, at: Door, owner: Any) -> None:
    by, _ = await device(at, client)
    wish = {"email": "m@example.org", "name": "M", "tier": "friends", "number": "7"}
    member = data(await at.staff.post("/api/org/memberships", json=wish), 201)
    ticket = at.tickets[0]
    await owner.execute("UPDATE tickets SET membership_id = $1 WHERE id::text = $2", member["id"], ticket["id"])
    assert (await scan(by, ticket, test=True))["admit"]
    for change, reason, words in (
        ("status = 'revoked'", "membership_revoked", "Membership expired."),
        ("status = 'active', valid_until = now()", "membership_expired", "Membership expired."),
    ):
        await owner.execute(f"UPDATE memberships SET valid_from = now() - interval '1 day', {change}")
        refused = await scan(by, ticket)
        assert (refused["admit"], refused["reason"], refused["message"]) == (False, reason, words)


@pytest.mark.req("SCAN-5")
async def test_a_wheelchair_place_shows_its_companion(client: Client, tenant: Tenant) -> None:
    at = await door(client, tenant, more={"plan": hall(3, 8, wheelchairs=1, pit=5)})
    by, _ = await device(at, client)
    seats = data(await at.staff.get(at.sale.path("layout/seats")))
    (place,) = [seat["ordinal"] for seat in seats if seat["category"] == "wheelchair"]
    (ticket,) = (await bought(client, tenant, at.sale, place))["tickets"]
    shown = (await scan(by, ticket))["ticket"]
    assert shown["accessibility"].startswith("Wheelchair ticket, companion reserved.")
    assert shown["companion_seats"].startswith("Row ")


@pytest.mark.req("SCAN-1")
async def test_a_scan_names_the_zone_of_its_ticket(client: Client, tenant: Tenant) -> None:
    """Of a plan with two zones, also beside another event."""
    at = await door(client, tenant, 0, pit=1)
    await selling(at.staff, name="Another night")
    by, _ = await device(at, client)
    zones = {zone: key for key, zone in at.sale.show.zones.items()}
    said = {zones[ticket["zone_id"]]: (await scan(by, ticket))["ticket"]["zone_name"] for ticket in at.tickets}
    assert len(said) == 2
    assert said["pit"] == "Pit"
    assert "Pit" not in [name for key, name in said.items() if key != "pit"]
