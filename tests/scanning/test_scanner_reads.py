"""What a scanner asks for beside scanning: its show's counts, its incidents, and what two snapshots are joined by."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from tests.accounts.helpers import data
from tests.checkout.helpers import bought
from tests.fixtures import Client, Tenant
from tests.holds.helpers import hall
from tests.scanning import sample
from tests.scanning.helpers import code_of, device, door, live, scan, seen, tell
from tests.scanning.test_offline import opened


@pytest.mark.req("SCAN-2", "RBAC-1")
async def test_a_device_is_told_the_counts_of_its_own_show(client: Client, tenant: Tenant) -> None:
    at = await door(client, tenant, 0, 1)
    by, _ = await device(at, client, "A", "scan")
    await scan(by, at.tickets[0])
    counts = data(await by.get("/api/scan/live"))
    assert counts == await live(at)
    assert {gate["name"]: (gate["entered"], gate["inside"]) for gate in counts["gates"]} == {"A": (1, 1), "B": (0, 0)}
    assert code_of(await at.staff.get("/api/scan/live")) == (403, "forbidden")


@pytest.mark.req("SCAN-4", "RBAC-1")
async def test_incidents_are_shown_at_the_gates_that_may_see_names(client: Client, tenant: Tenant) -> None:
    at = await door(client, tenant, 0, gates="AC")
    (a, _), (c, _) = await device(at, client, "A"), await device(at, client, "C", "scan")
    now = datetime.now(UTC)
    await tell(c, seen(at.tickets[0], 1, now - timedelta(minutes=2)), now=now)
    await tell(a, seen(at.tickets[0], 1, now - timedelta(minutes=5)), now=now)
    (incident,) = data(await a.get("/api/scan/incidents"))
    assert (incident["holder_name"], incident["first_gate"], incident["second_gate"]) == ("Ada Buyer", "A", "C")
    assert code_of(await c.get("/api/scan/incidents")) == (403, "forbidden")
    assert data(await at.staff.get(f"/api/scan/incidents?event_id={at.sale.event_id}")) == [incident]
    elsewhere = await a.get(f"/api/scan/incidents?event_id={tenant.id}")
    assert code_of(elsewhere) == (403, "forbidden")


@pytest.mark.req("MEM-1", "SCAN-4")
async def test_a_member_keeps_an_id_from_one_snapshot_to_the_next(client: Client, tenant: Tenant, owner: Any) -> None:
    """By its place alone a device would take one member's end for another's, once more of them have tickets."""
    at = await door(client, tenant, 0, 1)
    by, told = await device(at, client)
    wishes = [{"email": f"{n}@example.org", "name": "M", "tier": "friends", "number": f"{n}"} for n in range(2)]
    members = [data(await at.staff.post("/api/org/memberships", json=wish), 201) for wish in wishes]
    give = "UPDATE tickets SET membership_id = $1 WHERE id::text = $2"
    await owner.execute(give, members[1]["id"], at.tickets[1]["id"])
    before, _ = await opened(by, told)
    await owner.execute(give, members[0]["id"], at.tickets[0]["id"])
    after, _ = await opened(by, told)
    assert [member["id"] for member in before["members"]] == [members[1]["id"]]
    assert [member["id"] for member in after["members"]] == [members[0]["id"], members[1]["id"]]


@pytest.mark.req("SCAN-5")
async def test_a_snapshot_knows_who_comes_along(client: Client, tenant: Tenant) -> None:
    at = await door(client, tenant, more={"plan": hall(3, 8, wheelchairs=1, pit=5)})
    by, told = await device(at, client)
    seats = data(await at.staff.get(at.sale.path("layout/seats")))
    (place,) = [seat["ordinal"] for seat in seats if seat["category"] == "wheelchair"]
    (ticket,) = (await bought(client, tenant, at.sale, place))["tickets"]
    header, _ = await opened(by, told)
    shown = (await scan(by, ticket))["ticket"]
    assert header["companions"] == {ticket["code"]: shown["companion_seats"]}


@pytest.mark.req("SCAN-4")
def test_the_sample_is_what_the_house_makes() -> None:
    """The offline scanner is checked against the file: `python -m tests.scanning.sample` writes it anew."""
    kept, made = (msgspec.json.decode(text) for text in (sample.FILE.read_bytes(), sample.rendered()))
    assert (sample.opened("whole"), sample.opened("changes")) == (sample.whole(), sample.changes())
    sealed = {"whole", "changes"}  # with a nonce by chance
    assert {k: v for k, v in kept.items() if k not in sealed} == {k: v for k, v in made.items() if k not in sealed}
