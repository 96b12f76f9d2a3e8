"""What offline gates could not know: tickets that became void, or somebody else's, meanwhile."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.accounts.helpers import data
from tests.events.helpers import announced
from tests.fixtures import Client, Tenant
from tests.scanning.helpers import Door, device, door, live, qr_of, scan, seen, tell, wrong

pytestmark = pytest.mark.req("SCAN-4")
MINUTE = timedelta(minutes=1)


@pytest.fixture
async def at(client: Client, tenant: Tenant) -> Door:
    return await door(client, tenant, 0, 1)


async def listed(at: Door) -> list[Any]:
    found: list[Any] = data(await at.staff.get(at.sale.path("incidents")))
    return found


async def cancel(at: Door, ticket: Any) -> None:
    data(await at.staff.post(f"/api/tickets/{ticket['id']}/cancel", json={"reason": "Printed twice"}))


async def transfer(at: Door, ticket: Any) -> Any:
    """The ticket as it is now: its code is another one."""
    to = {"name": "Bo", "email": "bo@example.org"}
    return data(await at.staff.post(f"/api/tickets/{ticket['id']}/transfer", json=to))


async def kept(owner: Any, ticket: Any, column: str) -> datetime:
    found: datetime = await owner.fetchval(f"SELECT {column} FROM tickets WHERE id::text = $1", ticket["id"])
    return found


@pytest.mark.req("AUD-1")
async def test_who_came_in_with_a_cancelled_ticket_is_listed_with_both_times(
    client: Client, at: Door, owner: Any, clock: Any
) -> None:
    by, _ = await device(at, client, "B")
    ticket, other = at.tickets
    await cancel(at, ticket)
    await clock(10 * MINUTE)
    now = datetime.now(UTC) + 10 * MINUTE
    merged = await tell(by, seen(ticket, 1, now - MINUTE), seen(other, 2, now - MINUTE), now=now)
    assert (merged["taken"], merged["incidents"]) == (2, 1)
    (incident,) = await listed(at)
    assert (incident["kind"], incident["ticket_id"]) == ("cancelled", ticket["id"])
    assert (incident["first_scan_id"], incident["first_gate"], incident["second_gate"]) == (None, None, "B")
    assert datetime.fromisoformat(incident["first_at"]) == await kept(owner, ticket, "voided_at")
    assert incident["first_at"] < incident["second_at"]
    assert (await live(at))["incidents"] == 1
    assert data(await at.staff.get(f"/api/tickets/{ticket['id']}"))["status"] == "cancelled"
    # Told again, and about the same ticket once more, it stays what it is; and it ends by somebody's word.
    await tell(by, seen(ticket, 1, now - MINUTE), now=now)
    await tell(by, seen(ticket, 3, now, direction="out"), now=now)
    assert [each["id"] for each in await listed(at)] == [incident["id"]]
    path = at.sale.path(f"incidents/{incident['id']}/resolve")
    assert data(await at.staff.post(path, json={"note": "Paid at the door."}))["note"] == "Paid at the door."
    assert (await live(at))["incidents"] == 0
    assert await wrong(owner, at) == {}


async def test_who_was_in_before_anybody_knew_is_listed_too(client: Client, at: Door) -> None:
    """Somebody's money was given back while they were inside: here nobody could know."""
    by, _ = await device(at, client)
    order = data(await at.staff.get(f"/api/tickets/{at.tickets[0]['id']}"))["order_id"]
    earlier = datetime.now(UTC) - 5 * MINUTE
    once = {"idempotency-key": order}
    data(await at.staff.post(f"/api/orders/{order}/refunds", json={"reason": "Ill"}, headers=once), 201)
    merged = await tell(by, *(seen(ticket, n, earlier) for n, ticket in enumerate(at.tickets)))
    assert merged["incidents"] == 2
    found = await listed(at)
    assert {(each["kind"], each["first_at"] > each["second_at"]) for each in found} == {("refunded", True)}


async def test_an_entry_that_was_known_when_the_ticket_was_voided_is_none(client: Client, at: Door) -> None:
    by, _ = await device(at, client)
    await tell(by, seen(at.tickets[0], 1, datetime.now(UTC)))
    await cancel(at, at.tickets[0])
    await tell(by, seen(at.tickets[0], 2, datetime.now(UTC), direction="out"))
    assert await listed(at) == []


async def test_the_old_code_of_a_ticket_that_changed_hands(client: Client, at: Door, owner: Any, clock: Any) -> None:
    by, _ = await device(at, client)
    ticket, other = at.tickets
    old = await qr_of(at, ticket)
    await transfer(at, ticket)
    passed = await transfer(at, other)
    await clock(10 * MINUTE)
    now = datetime.now(UTC) + 10 * MINUTE
    read = {"qr": old}
    assert (await tell(by, seen({"code": None}, 1, now - MINUTE, **read), now=now))["incidents"] == 1
    (incident,) = await listed(at)
    assert (incident["kind"], incident["ticket_id"]) == ("transferred", ticket["id"])
    assert datetime.fromisoformat(incident["first_at"]) == await kept(owner, ticket, "transferred_at")
    # Whoever has the ticket now may come in by the new one, or by its characters.
    new = {"qr": await qr_of(at, other)}
    assert (await tell(by, seen(passed, 2, now - MINUTE, **new), now=now))["incidents"] == 0
    assert await wrong(owner, at) == {}


@pytest.mark.req("BUY-5")
@pytest.mark.parametrize("hours", [-1, 1], ids=["before it was passed on", "after"])
async def test_who_came_in_by_the_former_characters_is_listed(
    client: Client, at: Door, owner: Any, clock: Any, hours: int
) -> None:
    """The device did not know, or nobody here did. The ticket is found by what its first holder had, and its second."""
    by, _ = await device(at, client)
    first, other = at.tickets
    second = await transfer(at, first)
    await clock(timedelta(hours=2))
    third = await transfer(at, second)
    passed = await transfer(at, other)
    assert len({first["code"], second["code"], third["code"]}) == 3
    when = await kept(owner, third, "transferred_at") + timedelta(hours=hours)
    when = when.replace(minute=30)  # a day of the house begins at a full hour, and both come on the same one
    await clock(timedelta(hours=4))
    now = datetime.now(UTC) + timedelta(hours=4)
    typed = {"code": f" {second['code'][:4]}-{second['code'][4:].lower()}"}
    told = await tell(by, seen(first, 1, when), seen(typed, 2, when + MINUTE), seen(passed, 3, when), now=now)
    assert (told["taken"], told["unknown_tickets"]) == (3, 0)
    found = await listed(at)
    assert sorted(each["kind"] for each in found) == ["already_inside", "transferred", "transferred"]
    assert {each["ticket_id"] for each in found} == {first["id"]}
    was, by_second = sorted(each["first_at"] for each in found if each["kind"] == "transferred")
    assert datetime.fromisoformat(by_second) == await kept(owner, third, "transferred_at")
    assert datetime.fromisoformat(was) < datetime.fromisoformat(by_second)
    assert await wrong(owner, at) == {}


async def test_an_entry_that_is_undone_is_no_incident(client: Client, at: Door, owner: Any) -> None:
    """And one scan can be two: a void ticket, for the second time."""
    (a, _), (b, _) = await device(at, client, "A"), await device(at, client, "B")
    now, ticket = datetime.now(UTC), at.tickets[0]
    await cancel(at, ticket)
    await tell(a, seen(ticket, 1, now - 2 * MINUTE), now=now)
    await tell(b, seen(ticket, 1, now - MINUTE), now=now)
    assert sorted(each["kind"] for each in await listed(at)) == ["already_inside", "cancelled", "cancelled"]
    second = next(each["second_scan_id"] for each in await listed(at) if each["kind"] == "already_inside")
    data(await at.staff.post(f"/api/scan/{second}/undo", json={"reason": "Wrong person"}))
    (left,) = await listed(at)
    assert (left["kind"], left["second_gate"]) == ("cancelled", "A")
    assert await wrong(owner, at) == {}


async def test_who_was_refused_here_and_let_in_there_is_in(client: Client, at: Door, owner: Any) -> None:
    """The answer was lost, the device decided by itself, under the same counter."""
    (a, _), (b, _) = await device(at, client, "A"), await device(at, client, "B")
    ticket = at.tickets[0]
    await scan(a, ticket)
    assert (await scan(b, ticket, counter=7))["reason"] == "already_inside"
    told = seen(ticket, 7, datetime.now(UTC))
    merged = await tell(b, told)
    assert (merged["taken"], merged["incidents"]) == (1, 1)
    (incident,) = await listed(at)
    assert (incident["kind"], incident["first_gate"], incident["second_gate"]) == ("already_inside", "A", "B")
    assert (await tell(b, told))["known"] == 1
    counts = await live(at)
    assert (counts["inside"], counts["entered"], counts["rejected"]) == (1, 2, 0)
    assert await wrong(owner, at) == {}


async def test_who_was_told_of_as_refused_and_then_as_let_in_is_in(client: Client, at: Door, owner: Any) -> None:
    """Of one scan, two facts: they are not the same one."""
    by, _ = await device(at, client)
    now, ticket = datetime.now(UTC), at.tickets[0]
    await tell(by, seen(ticket, 1, now, admitted=False, reason="gate_closed"))
    assert (await tell(by, seen(ticket, 1, now)))["taken"] == 1
    told = [fact for fact in await announced(owner, ticket) if fact["name"].startswith("ticket.scan")]
    assert [fact["name"] for fact in told] == ["ticket.scan_rejected", "ticket.scanned"]
    assert len({fact["scan_id"] for fact in told}) == 1
    assert (await live(at))["inside"] == 1
