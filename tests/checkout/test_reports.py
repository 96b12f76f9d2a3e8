"""What became of a show's holds and checkouts: the report says what the rows say, whoever counts them."""

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from fullhouse.checkout import jobs
from fullhouse.kit.db.database import Database
from fullhouse.kit.services import Services
from fullhouse.reports.model import CheckoutCounts, HoldCounts
from fullhouse.reports.policy import rates
from tests.accounts.helpers import data, refused
from tests.checkout.helpers import Sale, begun, bought, buy, hold, rows, selling, start
from tests.checkout.test_late import given_up
from tests.events.helpers import NEW_DATE, draft, move
from tests.fixtures import END_OVERDUE, Client, Tenant
from tests.holds.helpers import guest
from tests.payments.test_exports import table

pytestmark = pytest.mark.req("OBS-3")
NO_HOLDS = dict.fromkeys(HoldCounts.__struct_fields__, 0)
NO_CHECKOUTS = dict.fromkeys(CheckoutCounts.__struct_fields__, 0)


async def _selling(staff: Client, **show: Any) -> Sale:
    """With any seat to be had: who leaves single ones behind is another matter."""
    sale = await selling(staff, **show)
    loose = {"policy": {"orphan_avoidance_strict": False}}
    data(await staff.put(sale.path("seating-policy"), json=loose))
    return sale


async def _report(staff: Client, sale: Sale) -> Any:
    """One show's own; its line in the list says the same."""
    found = data(await staff.get(sale.path("report")))
    listed = data(await staff.get("/api/org/reports"))
    (line,) = [row for row in listed if row["event_id"] == str(sale.event_id)]
    assert line == {name: found[name] for name in line}
    return found


async def _every_ending(client: Client, staff: Client, tenant: Tenant, sale: Sale) -> None:
    """Holds that are sold, given back, taken back; checkouts that are bought, begun again, left and declined."""
    await bought(client, tenant, sale, 0, 1, pit=3)
    changed = await guest(client, tenant)
    (given_back,) = await hold(changed, sale, 2)
    assert (await changed.delete(f"/api/holds/{given_back['hold_id']}")).status_code == 204
    (taken_back,) = await hold(await guest(client, tenant), sale, 3)
    path = f"/api/holds/{taken_back['hold_id']}?reason=A%20mistake"
    assert (await staff.delete(path)).status_code == 204
    left = await guest(client, tenant)
    session = await begun(left, sale, 4, 5)
    assert (await left.delete(f"/api/checkout/{session['id']}")).status_code == 204
    again = await guest(client, tenant)
    await begun(again, sale, 6)
    data(await buy(again, data(await start(again, sale, await hold(again, sale, 7)), 201)), 201)
    declined = await guest(client, tenant)
    assert (await buy(declined, await begun(declined, sale, 8), method="decline")).status_code == 402
    await hold(await guest(client, tenant), sale, 9)


async def test_each_ending_is_counted_once(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    clock: Callable[..., Any],
    services: Services,
    finder: Database,
) -> None:
    sale, other = await _selling(staff), await _selling(staff)
    await bought(client, tenant, other, 0)
    await _every_ending(client, staff, tenant, sale)
    await clock(timedelta(minutes=20))  # 6, 8 and 9 have run out, and the checkout of 8 with them
    await begun(await guest(client, tenant), sale, 10)
    await hold(await guest(client, tenant), sale, 11, pit=2)
    found = await _report(staff, sale)
    assert found["holds"] == {
        "placed": 14,
        "in_checkout": 9,
        "sold": 4,
        "expired": 3,
        "released": 4,
        "live": 3,
        "places": 17,
        "places_sold": 6,
    }
    assert found["checkouts"] == {"started": 5, "bought": 2, "left": 1, "expired": 1, "stopped": 0, "open": 1}
    assert found["released_by_house"] == 1
    assert found["rates"] == {
        "hold_to_checkout": 0.6429,
        "checkout_to_sale": 0.4,
        "hold_to_sale": 0.2857,
        "abandonment": 0.4,
        "expiry": 0.2143,
    }
    assert Counter(row["status"] for row in await _of(owner, tenant, sale, "seat_holds"))["active"] == 6  # not swept
    await jobs.expire_sessions(finder, services.database)
    await owner.execute(END_OVERDUE)
    assert await _report(staff, sale) == found
    held = Counter(row["status"] for row in await _of(owner, tenant, sale, "seat_holds"))
    assert held == {"converted": 4, "expired": 3, "cancelled": 4, "active": 3}
    begun_at_all = Counter(row["status"] for row in await _of(owner, tenant, sale, "checkout_sessions"))
    assert begun_at_all == {"completed": 2, "left": 2, "expired": 1, "open": 1}  # one of those left was begun again


async def test_a_checkout_that_waits_for_its_money_is_open(client: Client, staff: Client, tenant: Tenant) -> None:
    sale = await _selling(staff)
    buyer = await guest(client, tenant)
    answer = await buy(buyer, await begun(buyer, sale, 0), method="delay")
    assert answer.status_code == 202, answer.text
    found = await _report(staff, sale)
    assert (found["checkouts"]["open"], found["holds"]["live"], found["holds"]["in_checkout"]) == (1, 1, 1)


async def test_money_that_comes_late_makes_a_sale_of_a_checkout_that_was_left(
    client: Client, staff: Client, tenant: Tenant, owner: Any, process: Services
) -> None:
    """The places are held anew for it: by holds that no checkout knows, only the order."""
    sale = await _selling(staff)
    late = await given_up(client, tenant, owner, process, sale, 0, 1)
    await late.leaves()
    assert (await _report(staff, sale))["checkouts"] == NO_CHECKOUTS | {"started": 1, "left": 1}
    assert (await late.comes())["status"] == "paid"
    found = await _report(staff, sale)
    assert found["checkouts"] == NO_CHECKOUTS | {"started": 1, "bought": 1}
    assert [found["holds"][name] for name in ("placed", "in_checkout", "sold", "released")] == [4, 4, 2, 2]
    assert found["rates"]["hold_to_checkout"] == 1


async def test_who_is_asked_for_consent_has_not_bought_yet(
    client: Client, staff: Client, tenant: Tenant, owner: Any, process: Services
) -> None:
    sale = await _selling(staff)
    late = await given_up(client, tenant, owner, process, sale, 0, 1)
    await late.leaves()
    await bought(client, tenant, sale, 0, 1)
    order = await late.comes()
    assert order["status"] == "needs_consent"
    asked = await _report(staff, sale)
    assert asked["checkouts"] == NO_CHECKOUTS | {"started": 2, "bought": 1, "open": 1}
    assert (asked["holds"]["live"], asked["holds"]["sold"]) == (2, 2)
    data(await late.buyer.post(f"/api/orders/{order['id']}/consent", json={"accept": False}))
    declined = await _report(staff, sale)
    assert declined["checkouts"] == NO_CHECKOUTS | {"started": 2, "bought": 1, "left": 1}
    assert (declined["holds"]["live"], declined["holds"]["sold"]) == (0, 2)


async def test_the_days_add_up_to_the_whole(
    client: Client, staff: Client, tenant: Tenant, clock: Callable[..., Any]
) -> None:
    sale = await _selling(staff)
    await _every_ending(client, staff, tenant, sale)
    await clock(timedelta(days=1))
    await bought(client, tenant, sale, 20)
    await hold(await guest(client, tenant), sale, 21)
    found = await _report(staff, sale)
    first, second = found["days"]
    assert (second["placed"], second["in_checkout"], second["sold"], second["live"]) == (2, 1, 1, 1)
    assert first["day"] < second["day"]
    for name in ("placed", "in_checkout", "sold", "expired", "released", "live"):
        assert first[name] + second[name] == found["holds"][name]


async def test_days_are_those_of_the_show(client: Client, staff: Client, tenant: Tenant, owner: Any) -> None:
    """An hour before midnight in UTC is the next day in Brussels."""
    sale = await _selling(staff)
    await hold(await guest(client, tenant), sale, 0)
    await owner.execute(
        "UPDATE seat_holds SET created_at = '2031-01-31T23:30:00Z' WHERE organization_id = $1 AND event_id = $2",
        tenant.id,
        sale.event_id,
    )
    assert [day["day"] for day in (await _report(staff, sale))["days"]] == ["2031-02-01"]


async def test_half_are_sold_within_a_time(client: Client, staff: Client, tenant: Tenant, owner: Any) -> None:
    sale = await _selling(staff)
    assert (await _report(staff, sale))["seconds_to_sale"] is None
    for seat in range(3):
        await bought(client, tenant, sale, seat)
    await hold(await guest(client, tenant), sale, 5)
    await owner.execute(
        "UPDATE seat_holds h SET created_at = h.updated_at - make_interval(secs => 60 * n.n)"
        " FROM (SELECT id, row_number() OVER (ORDER BY created_at) AS n FROM seat_holds"
        "       WHERE organization_id = $1 AND event_id = $2 AND status = 'converted') n WHERE h.id = n.id",
        tenant.id,
        sale.event_id,
    )
    assert (await _report(staff, sale))["seconds_to_sale"] == 120


async def test_a_cancelled_show_is_marked_and_says_what_it_ended(client: Client, staff: Client, tenant: Tenant) -> None:
    sale = await _selling(staff)
    await begun(await guest(client, tenant), sale, 0)
    await hold(await guest(client, tenant), sale, 1)
    await bought(client, tenant, sale, 2)
    data(await move(staff, {"id": sale.event_id}, "cancel", reason="The roof leaks."))
    found = await _report(staff, sale)
    assert (found["status"], found["reason"]) == ("cancelled", "The roof leaks.")
    assert (found["holds"]["released"], found["released_by_house"], found["holds"]["sold"]) == (2, 2, 1)
    assert (found["checkouts"]["stopped"], found["checkouts"]["bought"]) == (1, 1)
    assert found["rates"]["abandonment"] == 0  # nobody has walked away


async def test_a_postponed_show_is_marked_and_its_holds_wait(client: Client, staff: Client, tenant: Tenant) -> None:
    sale = await _selling(staff)
    await hold(await guest(client, tenant), sale, 1)
    data(await move(staff, {"id": sale.event_id}, "postpone", reason="The tenor is ill."))
    found = await _report(staff, sale)
    assert (found["status"], found["reason"], found["rescheduled_at"]) == ("postponed", "The tenor is ill.", None)
    assert (found["holds"]["live"], found["holds"]["expired"]) == (1, 0)
    data(await move(staff, {"id": sale.event_id}, "reschedule"))
    assert (await _report(staff, sale))["rescheduled_at"] == NEW_DATE


async def test_shows_that_were_announced_are_listed_the_latest_date_first(staff: Client) -> None:
    dates = ("2090-06-01", "2090-08-01", "2090-07-01")
    shows = [await draft(staff, start_at=f"{day}T19:00:00Z", end_at=f"{day}T21:00:00Z") for day in dates]
    await draft(staff, start_at="2090-05-01T19:00:00Z", end_at="2090-05-01T21:00:00Z")  # never announced
    for show in shows:
        data(await move(staff, show, "publish"))
    data(await move(staff, shows[0], "postpone"))
    data(await move(staff, shows[0], "reschedule"))  # to September: it stands where it is now

    async def listed(**query: Any) -> list[str]:
        return [row["event_id"] for row in data(await staff.get("/api/org/reports", params=query))]

    august, july, september = shows[1]["id"], shows[2]["id"], shows[0]["id"]
    assert await listed() == [september, august, july]
    assert await listed(limit=1) == [september]  # whatever its first date was
    assert await listed(status="postponed") == [september]
    assert await listed(status="cancelled") == []
    assert await listed(since="2090-08-01T00:00:00Z") == [september, august]
    assert await listed(since="2090-07-01T00:00:00Z", until="2090-08-01T19:00:00Z") == [july]
    page = (await staff.get("/api/org/reports", params={"limit": 2})).json()
    assert [row["event_id"] for row in page["data"]] == [september, august]
    rest = (await staff.get("/api/org/reports", params={"limit": 2, "cursor": page["next_cursor"]})).json()
    assert ([row["event_id"] for row in rest["data"]], rest["next_cursor"]) == ([july], None)
    assert [(row["holds"], row["checkouts"]) for row in rest["data"]] == [(NO_HOLDS, NO_CHECKOUTS)]
    assert set(rest["data"][0]["rates"].values()) == {None}
    other = {"limit": 2, "cursor": page["next_cursor"], "status": "published"}
    assert refused(await staff.get("/api/org/reports", params=other)) == (422, "invalid_cursor")
    assert refused(await staff.get("/api/org/reports", params={"limit": 51}))[0] == 422
    assert refused(await staff.get("/api/org/reports", params={"status": "sold_out"}))[0] in (400, 422)


async def test_reports_as_a_spreadsheet_whatever_shows_are_called(
    client: Client, staff: Client, tenant: Tenant
) -> None:
    plain = await _selling(staff, name="The Tempest")
    await bought(client, tenant, plain, 0, 1)
    await _selling(staff, name="=1+1", start_at="2090-05-01T19:00:00Z", end_at="2090-05-01T21:00:00Z")
    first = await staff.get("/api/org/reports.csv", params={"limit": 1})
    second = await staff.get("/api/org/reports.csv", params={"limit": 1, "cursor": first.headers["x-next-cursor"]})
    assert "x-next-cursor" not in second.headers
    (row,), (other,) = table(first), table(second)
    assert (row["show"], row["status"], row["event"]) == ("The Tempest", "published", str(plain.event_id))
    assert (row["holds"], row["in checkout"], row["sold"], row["checkouts"], row["bought"]) == ("2", "2", "2", "1", "1")
    assert (row["hold to sale"], row["expiry"]) == ("1.0", "0.0")
    assert (other["show"], other["holds"], other["hold to sale"]) == ("'=1+1", "0", "")


async def test_nobody_else_sees_a_report(client: Client, staff: Client, tenant: Tenant, other_tenant: Tenant) -> None:
    sale = await _selling(staff)
    await bought(client, tenant, sale, 0)
    stranger = client.as_(other_tenant.tokens["owner"])
    assert data(await stranger.get("/api/org/reports")) == []
    assert table(await stranger.get("/api/org/reports.csv")) == []
    assert refused(await stranger.get(sale.path("report"))) == (404, "event_not_found")
    for role, status in {"admin": 200, "staff": 200, "scanner": 403, "customer": 403}.items():
        for path in ("/api/org/reports", "/api/org/reports.csv", sale.path("report")):
            assert (await client.as_(tenant.tokens[role]).get(path)).status_code == status, (role, path)


def test_parts_of_nothing_are_not_numbers() -> None:
    holds = HoldCounts(**NO_HOLDS | {"placed": 8, "in_checkout": 4, "sold": 1, "expired": 3})
    assert rates(holds, CheckoutCounts(**NO_CHECKOUTS)).hold_to_checkout == 0.5
    assert rates(holds, CheckoutCounts(**NO_CHECKOUTS)).checkout_to_sale is None
    some = CheckoutCounts(started=4, bought=1, left=1, expired=1, stopped=1, open=0)
    found = rates(HoldCounts(**NO_HOLDS), some)
    assert (found.hold_to_sale, found.expiry) == (None, None)
    assert (found.checkout_to_sale, found.abandonment) == (0.25, 0.5)


async def _of(owner: Any, tenant: Tenant, sale: Sale, name: str) -> list[dict[str, Any]]:
    return [row for row in await rows(owner, name, tenant) if row["event_id"] == sale.event_id]
