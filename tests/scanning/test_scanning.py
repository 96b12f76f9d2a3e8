"""Scanning over HTTP: what gates are told, what counts, and what does not."""

import base64
from datetime import datetime, timedelta
from typing import Any

import pytest

from fullhouse.kit.http.lane import Lane
from fullhouse.scanning import policy
from fullhouse.tickets.signing import PREFIX, base45, unbase45
from tests.accounts.helpers import data
from tests.checkout.helpers import bought, migrate, rows, selling
from tests.events.helpers import announced, move, trail
from tests.fixtures import Client, Tenant
from tests.holds.helpers import hall
from tests.kit.sse import listening
from tests.scanning.helpers import Door, code_of, device, door, live, qr_of, scan, wrong


@pytest.fixture
async def at(client: Client, tenant: Tenant) -> Door:
    return await door(client, tenant, 0, 1, pit=2)


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
    raw = bytearray(unbase45(good[len(PREFIX) :]) or b"")
    raw[-1] ^= 1
    other = await selling(at.staff)
    elsewhere = (await bought(client, tenant, other, 0))["tickets"][0]
    wrong = {
        "forged": {"qr": PREFIX + base45(bytes(raw))},
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
    assert "changed hands" in refused["message"]
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


@pytest.mark.req("SCAN-1")
async def test_before_the_doors_open_there_are_only_tests(client: Client, tenant: Tenant, owner: Any) -> None:
    at = await door(client, tenant, 0, live=False)
    by, _ = await device(at, client)
    (ticket,) = at.tickets
    assert (await scan(by, ticket))["reason"] == "not_yet"
    for _ in range(2):
        test = await scan(by, ticket, test=True)
        assert (test["admit"], test["test"]) == (True, True)
    data(await move(at.staff, at.event, "start"))
    assert (await live(at))["entered"] == 0
    assert await rows(owner, "ticket_presence", tenant) == []
    assert (await scan(by, ticket))["admit"]
    data(await move(at.staff, at.event, "end"))
    assert (await scan(by, ticket, direction="out"))["reason"] == "over"


@pytest.mark.req("SCAN-1")
async def test_a_postponed_show_scans_in_its_new_window(client: Client, tenant: Tenant, clock: Any, owner: Any) -> None:
    at = await door(client, tenant, 0, live=False)
    by, _ = await device(at, client)
    data(await move(at.staff, at.event, "postpone"))
    assert (await scan(by, at.tickets[0]))["reason"] == "postponed"
    new = await owner.fetchval("SELECT now() + interval '2 hours'")
    data(await move(at.staff, at.event, "reschedule", rescheduled_at=new.isoformat()))
    assert (await scan(by, at.tickets[0]))["reason"] == "postponed"
    await clock(timedelta(hours=2, minutes=1))
    assert (await scan(by, at.tickets[0]))["admit"]
    await clock(timedelta(hours=2 + 2.5, minutes=1))  # the show takes two hours and a half
    assert (await scan(by, at.tickets[0]))["reason"] == "postponed"


@pytest.mark.req("SCAN-1", "SCAN-2")
async def test_valid_days_move_with_the_show(client: Client, tenant: Tenant, clock: Any, owner: Any) -> None:
    """Waiting for its new date, and when that has come."""
    at = await door(client, tenant, 0, live=False)
    by, _ = await device(at, client)
    (ticket,) = at.tickets
    show = data(await at.staff.get(at.sale.path("").rstrip("/")))
    start = datetime.fromisoformat(show["start_at"])
    day = policy.day_of(start, show["timezone"])
    kind = at.sale.path(f"ticket-types/{ticket['ticket_type_id']}")
    data(await at.staff.patch(kind, json={"valid_days": [str(day)]}))
    data(await move(at.staff, at.event, "postpone"))
    new = start + timedelta(days=7)
    data(await move(at.staff, at.event, "reschedule", rescheduled_at=new.isoformat()))
    await clock(new - await owner.fetchval("SELECT now()") + timedelta(minutes=1))
    assert (await scan(by, ticket, test=True))["admit"]
    data(await move(at.staff, at.event, "start"))
    assert data(await at.staff.get(kind))["valid_days"] == [str(day + timedelta(days=7))]
    assert (await scan(by, ticket))["admit"]


@pytest.mark.req("SCAN-2")
async def test_in_and_out_and_in_again_as_often_as_the_type_says(client: Client, tenant: Tenant, owner: Any) -> None:
    at = await door(client, tenant, pit=1)
    by, _ = await device(at, client, "AB")
    (ticket,) = at.tickets
    await owner.execute(
        "UPDATE ticket_types SET entitlement = 'limited_reentry_per_day', max_daily_entries = 2 WHERE id::text = $1",
        ticket["ticket_type_id"],
    )
    way = [("in", True), ("in", False), ("out", True), ("out", False), ("in", True), ("out", True), ("in", False)]
    answers = [await scan(by, ticket, direction=d, gate_id=at.gates["B"] if d == "out" else None) for d, _ in way]
    assert [answer["admit"] for answer in answers] == [admitted for _, admitted in way]
    assert [answer["reason"] for answer in answers if not answer["admit"]] == [
        "already_inside", "not_inside", "no_entries_left",
    ]  # fmt: skip
    counts = await live(at)
    assert (counts["inside"], counts["entered"]) == (0, 2)
    assert [zone["entered"] for zone in counts["zones"] if zone["name"] == "Pit"] == [2]
    assert await wrong(owner, at) == {}


@pytest.mark.req("SCAN-2")
async def test_gates_and_zones_have_their_limits(client: Client, at: Door, owner: Any) -> None:
    by, _ = await device(at, client, "AB")
    first, second = (t for t in at.tickets if not t["seat_id"])
    data(await at.staff.patch(f"/api/gates/{at.gates['A']}", json={"capacity": 1}))
    assert (await scan(by, first))["admit"]
    assert (await scan(by, second))["reason"] == "gate_full"
    data(await at.staff.patch(f"/api/gates/{at.gates['B']}", json={"status": "closed"}))
    assert (await scan(by, second, gate_id=at.gates["B"]))["reason"] == "gate_closed"
    data(await at.staff.patch(f"/api/gates/{at.gates['B']}", json={"status": "open"}))
    await owner.execute("UPDATE event_zones SET capacity = 1 WHERE event_id = $1 AND name = 'Pit'", at.sale.event_id)
    full = await scan(by, second, gate_id=at.gates["B"], override={"reason": "Knows the singer"})
    assert (full["admit"], full["reason"]) == (False, "zone_full")
    assert (await scan(by, first, direction="out", gate_id=at.gates["B"]))["admit"]
    assert (await scan(by, second, gate_id=at.gates["B"]))["admit"]


@pytest.mark.req("SCAN-1", "RBAC-1")
async def test_a_device_does_what_it_was_paired_for(client: Client, at: Door) -> None:
    plain, told = await device(at, client, "A", "scan")
    ticket = at.tickets[0]
    denied = await plain.post("/api/scan", json={"code": ticket["code"], "override": {"reason": "Please"}})
    assert code_of(denied) == (403, "override_not_allowed")
    assert code_of(await plain.post("/api/scan", json={"code": ticket["code"], "gate_id": at.gates["B"]})) == (
        403, "gate_not_paired",
    )  # fmt: skip
    assert code_of(await plain.get("/api/scan/search?q=ada")) == (403, "forbidden")
    assert code_of(await plain.post("/api/scan/search", json={"q": "ada"})) == (403, "forbidden")
    assert code_of(await plain.get("/api/events")) == (403, "forbidden")
    assert (await scan(plain, ticket))["admit"]
    assert (await at.staff.delete(f"/api/scan/devices/{told['device']['id']}")).status_code == 204
    assert code_of(await plain.post("/api/scan", json={"code": ticket["code"]})) == (401, "unauthenticated")
    assert code_of(await plain.get("/api/scan/snapshot")) == (401, "unauthenticated")


@pytest.mark.req("SCAN-1")
async def test_a_pairing_code_is_good_once_and_not_for_long(client: Client, at: Door, clock: Any) -> None:
    wish = {"event_id": str(at.sale.event_id), "name": "S", "gate_ids": [at.gates["A"]]}
    codes = [data(await at.staff.post("/api/scan/devices", json=wish), 201) for _ in range(2)]
    body = {"organization": codes[0]["organization"], "code": codes[0]["code"].lower()}
    token = data(await client.post("/api/scan/pair", json=body), 201)["token"]
    assert token.startswith("fhd_")
    assert base64.urlsafe_b64decode(token[4:] + "==")[:16] == at.tenant.id.bytes
    again = await client.post("/api/scan/pair", json=body)
    stranger = await client.post("/api/scan/pair", json=body | {"organization": "no-such-house"})
    assert code_of(again) == code_of(stranger) == (422, "pairing_failed")
    await clock(timedelta(minutes=11))
    late = await client.post("/api/scan/pair", json=body | {"code": codes[1]["code"]})
    assert code_of(late) == (422, "pairing_failed")
    elsewhere = await at.staff.post("/api/scan/devices", json=wish | {"gate_ids": [str(at.tenant.id)]})
    assert code_of(elsewhere) == (422, "invalid")


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
        409, "nothing_to_undo",
    )  # fmt: skip
    counts = await live(at)
    assert (counts["inside"], counts["entered"]) == (0, 0)
    assert data(await at.staff.get(f"/api/tickets/{ticket['id']}"))["status"] == "valid"
    assert (await scan(by, ticket))["admit"]
    told = [(row["action"], row["reason"]) for row in await trail(owner, at.tenant, ticket)]
    assert ("ticket.scanned", "Went out by the fire door") in told
    assert told.count(("ticket.scan_undone", "Wrong person")) == 2
    assert await wrong(owner, at) == {}


async def test_a_ticket_is_found_by_name_order_and_number(client: Client, at: Door) -> None:
    by, _ = await device(at, client)
    ticket = at.tickets[0]
    everybody = data(await by.get("/api/scan/search?q=buyer"))
    assert len(everybody) == 4
    for words in (everybody[0]["order_code"], ticket["code"].lower(), ticket["number"]):
        assert ticket["id"] in [hit["ticket_id"] for hit in data(await by.get(f"/api/scan/search?q={words}"))]
    path = f"/api/scan/search?q=ada&event_id={at.sale.event_id}"
    assert len(data(await at.staff.get(path))) == 4
    assert data(await by.post("/api/scan/search", json={"q": "buyer"})) == everybody  # and no name in an address
    assert code_of(await at.staff.get("/api/scan/search?q=ada")) == (422, "invalid")


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


@pytest.mark.req("SCAN-2")
async def test_places_are_given_at_the_gate_where_the_show_wants_it(client: Client, at: Door, owner: Any) -> None:
    by, _ = await device(at, client)
    await owner.execute("UPDATE events SET settings = '{\"assign_places\": true}' WHERE id = $1", at.sale.event_id)
    await owner.execute("UPDATE event_zones SET zone_type = 'ga_seated' WHERE event_id = $1 AND name = 'Pit'",
                        at.sale.event_id)  # fmt: skip
    places = [(await scan(by, ticket))["ticket"]["place_no"] for ticket in at.tickets if not ticket["seat_id"]]
    assert places == [1, 2]
    by_day = [(await scan(by, at.tickets[-1]))["ticket"]["place_no"], (await live(at))["entered"]]
    assert by_day == [2, 2]  # asked again: still the same place, and nobody more


@pytest.mark.req("SCAN-1")
async def test_a_device_is_seen_with_its_battery(client: Client, at: Door, clock: Any) -> None:
    by, _ = await device(at, client)
    await clock(timedelta(minutes=2))
    await scan(by, at.tickets[0], battery=80, app_version="1.1")
    (seen,) = data(await at.staff.get(f"/api/scan/devices?event_id={at.sale.event_id}"))
    assert (seen["battery"], seen["app_version"], seen["clock_offset_s"]) == (80, "1.1", None)
    assert seen["last_seen_at"] > seen["paired_at"]


@pytest.mark.req("SCAN-2")
async def test_an_entry_counts_at_its_own_gate_also_of_somebody_who_is_inside(client: Client, at: Door) -> None:
    (a, _), (b, _) = await device(at, client, "A"), await device(at, client, "B")
    await scan(a, at.tickets[0])
    assert (await scan(b, at.tickets[0], override={"reason": "Went out by the fire door"}))["admit"]
    counts = {gate["name"]: (gate["inside"], gate["entered"]) for gate in (await live(at))["gates"]}
    assert counts == {"A": (1, 1), "B": (0, 1)}


@pytest.mark.req("SCAN-2")
async def test_a_day_ends_when_the_show_says(client: Client, at: Door, owner: Any, clock: Any) -> None:
    """Three days with one ticket: a night belongs to the day before, and who did not leave is out in the morning."""
    by, _ = await device(at, client)
    ticket = at.tickets[0]
    await owner.execute("UPDATE ticket_types SET entitlement = 'limited_reentry_per_day', max_daily_entries = 1")
    version = data(await at.staff.get(at.sale.path("").rstrip("/")))["version"]
    changed = await at.staff.patch(
        at.sale.path("").rstrip("/"), json={"settings": {"day_boundary": "03:00"}}, headers={"if-match": f'"{version}"'}
    )
    zone = data(changed)["timezone"]
    now, evening = await owner.fetchrow(
        "SELECT now(), ((now() AT TIME ZONE $1)::date + 1 + time '22:00') AT TIME ZONE $1", zone
    )

    async def seen(after: timedelta) -> tuple[bool, str | None, str]:
        await clock(evening - now + after)
        answer = await scan(by, ticket)
        return answer["admit"], answer["reason"], answer["day"]

    first = await seen(timedelta())
    assert first[:2] == (True, None)
    assert await seen(timedelta(hours=4, minutes=30)) == (False, "already_inside", first[2])  # half past two
    second = await seen(timedelta(hours=5, minutes=30))  # half past three
    assert (second[0], second[2] > first[2]) == (True, True)
    counts = await live(at)
    assert (counts["day"], counts["inside"], counts["entered"]) == (second[2], 1, 1)
    assert await wrong(owner, at) == {}


@pytest.mark.req("SCAN-2")
async def test_who_is_inside_is_counted_in_the_zones_of_another_layout(client: Client, at: Door, owner: Any) -> None:
    by, _ = await device(at, client)
    for ticket in at.tickets:
        await scan(by, ticket)
    before = await live(at)
    await migrate(at.staff, at.sale, hall(5, 10, pit=60))
    after = await live(at)
    assert {zone["id"] for zone in after["zones"]}.isdisjoint(zone["id"] for zone in before["zones"])
    counts = [{zone["name"]: zone["inside"] for zone in each["zones"]} for each in (before, after)]
    assert counts[0] == counts[1]
    assert counts[1]["Pit"] == 2
    pit = next(ticket for ticket in at.tickets if not ticket["seat_id"])
    assert (await scan(by, pit, direction="out"))["admit"]
    assert [zone["inside"] for zone in (await live(at))["zones"] if zone["name"] == "Pit"] == [1]
    assert await wrong(owner, at) == {}


@pytest.mark.req("SCAN-2")
async def test_the_console_sees_entries_as_they_happen(client: Client, at: Door, lane: Lane) -> None:
    by, _ = await device(at, client)
    async with listening(lane, at.sale.path("gates/stream"), token=at.tenant.tokens["scanner"]) as stream:
        assert (await stream.next()).data["inside"] == 0
        await scan(by, at.tickets[0])
        seen = (await stream.next()).data
        assert (seen["inside"], [gate["inside"] for gate in seen["gates"]]) == (1, [1, 0])


@pytest.mark.req("SCAN-2")
async def test_entries_are_told_over_time(client: Client, tenant: Tenant, clock: Any) -> None:
    entry = {"entitlement": "limited_reentry_per_day", "max_daily_entries": 3}
    at = await door(client, tenant, 0, 1, 2)
    await _reentry(at, entry)
    (a, _), (b, _) = await device(at, client, "A"), await device(at, client, "B")
    path = at.sale.path("gates/entries")
    assert data(await at.staff.get(path))["points"] == []
    await scan(a, at.tickets[0])
    await scan(a, at.tickets[1])
    await scan(b, at.tickets[2], test=True)  # counts nowhere
    await clock(timedelta(minutes=10))
    await scan(a, at.tickets[0], direction="out")
    await scan(b, at.tickets[2])
    wrong = await scan(b, at.tickets[2])
    assert not wrong["admit"]
    found = data(await at.staff.get(path))
    assert [(p["entered"], p["left"], p["inside"]) for p in found["points"]] == [(2, 0, 2), (1, 1, 2)]
    assert found["pace"] == [{"gate_id": at.gates["B"], "entered": 1}]
    assert data(await at.staff.get(path, params={"day": "2020-01-01"}))["points"] == []


async def _reentry(at: Door, change: dict[str, Any]) -> None:
    for kind in at.sale.types.values():
        data(await at.staff.patch(at.sale.path(f"ticket-types/{kind}"), json=change))
