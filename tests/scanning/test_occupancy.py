"""Who is inside: counted by gate and zone, limited, given a place, and told as it happens."""

from datetime import timedelta
from typing import Any

import pytest

from fullhouse.kit.http.lanes import LaneRouter
from tests.accounts.helpers import data
from tests.checkout.helpers import migrate
from tests.fixtures import Client, Tenant
from tests.holds.helpers import hall
from tests.kit.sse import listening
from tests.scanning.helpers import Door, device, door, live, scan, wrong


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
        "already_inside",
        "not_inside",
        "no_entries_left",
    ]
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


@pytest.mark.req("SCAN-2")
async def test_places_are_given_at_the_gate_where_the_show_wants_it(client: Client, at: Door, owner: Any) -> None:
    by, _ = await device(at, client)
    await owner.execute("UPDATE events SET settings = '{\"assign_places\": true}' WHERE id = $1", at.sale.event_id)
    await owner.execute(
        "UPDATE event_zones SET zone_type = 'ga_seated' WHERE event_id = $1 AND name = 'Pit'", at.sale.event_id
    )
    places = [(await scan(by, ticket))["ticket"]["place_no"] for ticket in at.tickets if not ticket["seat_id"]]
    assert places == [1, 2]
    by_day = [(await scan(by, at.tickets[-1]))["ticket"]["place_no"], (await live(at))["entered"]]
    assert by_day == [2, 2]  # asked again: still the same place, and nobody more


@pytest.mark.req("SCAN-2")
async def test_an_entry_counts_at_its_own_gate_also_of_somebody_who_is_inside(client: Client, at: Door) -> None:
    (a, _), (b, _) = await device(at, client, "A"), await device(at, client, "B")
    await scan(a, at.tickets[0])
    assert (await scan(b, at.tickets[0], override={"reason": "Went out by the fire door"}))["admit"]
    counts = {gate["name"]: (gate["inside"], gate["entered"]) for gate in (await live(at))["gates"]}
    assert counts == {"A": (1, 1), "B": (0, 1)}


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
async def test_the_console_sees_entries_as_they_happen(client: Client, at: Door, lane: LaneRouter) -> None:
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
