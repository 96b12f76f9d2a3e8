"""When scans count: from the doors on, in the new window of a show that was moved, and by its own days."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from fullhouse.scanning import policy
from tests.accounts.helpers import data
from tests.checkout.helpers import bought, rows
from tests.events.helpers import move
from tests.fixtures import Client, Tenant
from tests.scanning.helpers import Door, device, door, live, scan, wrong


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
    await clock(timedelta(hours=2, minutes=-1))
    assert (await scan(by, at.tickets[0]))["reason"] == "postponed"
    await clock(timedelta(hours=2, minutes=1))
    assert (await scan(by, at.tickets[0]))["admit"]
    await clock(timedelta(hours=2 + 2.5, minutes=-1))  # the show takes two hours and a half
    assert (await scan(by, at.tickets[0]))["reason"] != "postponed"
    await clock(timedelta(hours=2 + 2.5, minutes=1))
    assert (await scan(by, at.tickets[0]))["reason"] == "postponed"


@pytest.mark.req("SCAN-1", "SCAN-2")
async def test_valid_days_move_with_the_show(client: Client, tenant: Tenant, clock: Any, owner: Any) -> None:
    """Waiting for its new date, and when that has come."""
    at = await door(client, tenant, live=False)
    by, _ = await device(at, client)
    show = data(await at.staff.get(at.sale.path("").rstrip("/")))
    start = datetime.fromisoformat(show["start_at"])
    day = policy.day_of(start, show["timezone"])
    kind = at.sale.path(f"ticket-types/{at.sale.types['seat']}")
    data(await at.staff.patch(kind, json={"valid_days": [str(day)]}))
    (ticket,) = (await bought(client, tenant, at.sale, 0))["tickets"]
    data(await move(at.staff, at.event, "postpone"))
    new = start + timedelta(days=7)
    data(await move(at.staff, at.event, "reschedule", rescheduled_at=new.isoformat()))
    await clock(new - await owner.fetchval("SELECT now()") + timedelta(minutes=1))
    assert (await scan(by, ticket, test=True))["admit"]
    data(await move(at.staff, at.event, "start"))
    assert data(await at.staff.get(kind))["valid_days"] == [str(day + timedelta(days=7))]
    assert (await scan(by, ticket))["admit"]


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
