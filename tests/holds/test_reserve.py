"""One seat over HTTP: the reserve workflow's contract, by both lanes."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import httpx
import msgspec
import pytest

from fullhouse.holds.facts import HoldPlaced
from fullhouse.kit.ids import new_id
from tests.accounts.helpers import audited, data, refused
from tests.events.helpers import draft, move
from tests.fixtures import Client, Tenant
from tests.holds.helpers import OnSale, guest, hall, on_sale, row_counts, seat_row

LANES = pytest.mark.parametrize("suffix", ["", "/"], ids=["fast", "twin"])
Move = Callable[[timedelta], Any]
FIELDS = {
    "hold_id", "seat_id", "event_id", "block_name", "row", "seat_number", "status", "locked_at", "held_until",
    "held_until_unix", "held_until_unix_ms", "server_time_unix_ms", "expires_in_seconds", "message", "companions",
}  # fmt: skip


async def reserve(who: Client, sale: OnSale, seat: int | str, suffix: str = "", **body: Any) -> httpx.Response:
    name = sale.seat(seat) if isinstance(seat, int) else seat
    return await who.post(sale.path(f"seats/{name}/reserve{suffix}"), json=body)


# --- yes


@LANES
@pytest.mark.req("HOLD-1")
async def test_a_seat_is_reserved(suffix: str, staff: Client, buyer: Client, owner: Any) -> None:
    sale = await on_sale(staff, hall())
    answer = await reserve(buyer, sale, 12, suffix)
    held = data(answer, 201)
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "no-cache, no-store"
    assert set(answer.json()) == {"data"}
    assert set(held) == FIELDS
    row = await owner.fetchrow("SELECT * FROM seat_holds WHERE id = $1", UUID(held["hold_id"]))
    until: datetime = row["held_until"]
    assert datetime.fromisoformat(held["locked_at"]) == row["created_at"]
    assert held | {"server_time_unix_ms": 0, "hold_id": "", "held_until": "", "locked_at": ""} == {
        "hold_id": "",
        "seat_id": sale.seat(12),
        "event_id": str(sale.event_id),
        "block_name": "Hall",
        "row": "B",
        "seat_number": "3",
        "status": "held",
        "locked_at": "",
        "held_until": "",
        "held_until_unix": int(until.timestamp()),
        "held_until_unix_ms": int(until.timestamp() * 1000),
        "server_time_unix_ms": 0,
        "expires_in_seconds": 300,
        "message": "Seat reserved for 5 minutes. Proceed to checkout.",
        "companions": [],
    }
    assert held["held_until"].endswith("Z")
    assert datetime.fromisoformat(held["held_until"]) == until
    left_ms = held["held_until_unix_ms"] - held["server_time_unix_ms"]
    assert 295_000 < left_ms <= 301_000
    seat = await seat_row(owner, sale, 12)
    assert (seat["status"], seat["hold_id"], seat["held_until"], seat["version"]) == ("held", row["id"], until, 2)
    assert (row["status"], row["source"], row["quantity"], str(row["seat_id"])) == ("active", "web", 1, sale.seat(12))
    assert until - row["created_at"] == timedelta(minutes=5)


@LANES
@pytest.mark.req("HOLD-2", "AUD-1", "WIRE-1")
async def test_a_reservation_is_written_down_and_announced(
    suffix: str, staff: Client, buyer: Client, tenant: Tenant, owner: Any
) -> None:
    sale = await on_sale(staff, hall())
    held = data(await reserve(buyer, sale, 0, suffix, source="scanner"), 201)
    (row,) = await audited(owner, tenant, "seat_reserved")
    customer = tenant.people["customer"].id
    assert (row["actor_type"], row["actor_id"], str(row["entity_id"])) == ("user", customer, held["hold_id"])
    assert (row["ip"], row["user_agent"].split("/")[0]) == ("198.51.100.7", "python-httpx")
    assert row["request_id"]
    after = msgspec.json.decode(row["after"])
    assert (msgspec.json.decode(row["before"]), after["status"]) == ({"status": "available"}, "active")
    assert (after["seat_id"], after["event_id"], after["source"]) == (sale.seat(0), str(sale.event_id), "scanner")
    assert datetime.fromisoformat(after["held_until"]) == datetime.fromisoformat(held["held_until"])
    (fact,) = await owner.fetch("SELECT name, payload::text FROM outbox WHERE subject_id = $1", UUID(held["hold_id"]))
    said = msgspec.json.decode(fact["payload"])
    assert fact["name"] == "hold.placed"
    assert (said["seat_id"], said["event_id"], said["user_id"], said["quantity"]) == (
        sale.seat(0),
        str(sale.event_id),
        str(customer),
        1,
    )
    assert await owner.fetchval("SELECT source FROM seat_holds WHERE id = $1", UUID(held["hold_id"])) == "scanner"
    seeds = {"hold_id", "seat_id", "event_id", "user_id", "organization_id", "held_until", "timestamp"}
    assert seeds <= said.keys()
    assert (said["type"], said["hold_id"], said["organization_id"]) == ("SeatReserved", held["hold_id"], str(tenant.id))
    assert msgspec.convert(said, HoldPlaced).timestamp == datetime.fromisoformat(held["locked_at"])


@LANES
@pytest.mark.req("HOLD-3")
async def test_the_same_person_again_gets_the_same_hold(
    suffix: str, staff: Client, buyer: Client, tenant: Tenant, owner: Any, clock: Move
) -> None:
    sale = await on_sale(staff, hall())
    first = data(await reserve(buyer, sale, 0, suffix), 201)
    await clock(timedelta(seconds=200))
    answer = await reserve(buyer, sale, 0, suffix)
    again = data(answer, 200)
    assert answer.headers["cache-control"] == "no-cache, no-store"
    assert again["expires_in_seconds"] in (99, 100)
    assert again["message"] == f"Seat reserved for {again['expires_in_seconds']} seconds. Proceed to checkout."
    varies = {"expires_in_seconds", "message", "server_time_unix_ms"}
    assert {k: v for k, v in again.items() if k not in varies} == {k: v for k, v in first.items() if k not in varies}
    assert await row_counts(owner, sale) == (1, 1, 0)
    assert len(await audited(owner, tenant, "seat_reserved")) == 1
    assert (await seat_row(owner, sale, 0))["version"] == 2


@LANES
@pytest.mark.req("HOLD-1")
async def test_a_body_is_not_needed(suffix: str, staff: Client, buyer: Client) -> None:
    sale = await on_sale(staff, hall())
    data(await buyer.post(sale.path(f"seats/{sale.seat(0)}/reserve{suffix}")), 201)


# --- no


@LANES
@pytest.mark.req("HOLD-3", "WIRE-1")
async def test_another_person_learns_for_how_long_and_never_who(
    suffix: str, staff: Client, buyer: Client, client: Client, tenant: Tenant, owner: Any
) -> None:
    sale = await on_sale(staff, hall())
    held = data(await reserve(buyer, sale, 0, suffix), 201)
    stranger = await guest(client, tenant)
    answer = await reserve(stranger, sale, 0, suffix)
    assert refused(answer) == (409, "seat_held_by_another_user")
    assert 298 <= answer.json()["expires_in"] <= 300
    until = await owner.fetchval("SELECT held_until FROM seat_holds WHERE event_id = $1", sale.event_id)
    assert (answer.json()["current_status"], datetime.fromisoformat(answer.json()["expires_at"])) == ("held", until)
    row = await owner.fetchrow("SELECT id, user_id, basket_id FROM seat_holds WHERE event_id = $1", sale.event_id)
    for secret in (*row, held["hold_id"]):
        assert str(secret) not in answer.text
        assert str(secret) not in str(answer.headers)
    assert tenant.people["customer"].name not in answer.text


async def _draft(staff: Client, owner: Any, sale: OnSale) -> None:
    # A show with holds never goes back; without them it does.
    data(await move(staff, {"id": sale.event_id}, "unpublish"))


async def _cancelled(staff: Client, owner: Any, sale: OnSale) -> None:
    data(await move(staff, {"id": sale.event_id}, "cancel"))


async def _postponed(staff: Client, owner: Any, sale: OnSale) -> None:
    data(await move(staff, {"id": sale.event_id}, "postpone"))


async def _ended(staff: Client, owner: Any, sale: OnSale) -> None:
    data(await move(staff, {"id": sale.event_id}, "start"))
    data(await move(staff, {"id": sale.event_id}, "end"))


async def _archived(staff: Client, owner: Any, sale: OnSale) -> None:
    await _cancelled(staff, owner, sale)
    data(await move(staff, {"id": sale.event_id}, "archive"))


async def _not_yet(staff: Client, owner: Any, sale: OnSale) -> None:
    await owner.execute("UPDATE events SET sale_start_at = '2089-01-01' WHERE id = $1", sale.event_id)


async def _no_more(staff: Client, owner: Any, sale: OnSale) -> None:
    await owner.execute(
        "UPDATE events SET sale_start_at = '2020-01-01', sale_end_at = '2020-02-01' WHERE id = $1", sale.event_id
    )


async def _sold(staff: Client, owner: Any, sale: OnSale) -> None:
    await owner.execute(
        "UPDATE event_seats SET status = 'sold', ticket_id = $2 WHERE event_id = $1 AND ordinal = 0",
        sale.event_id,
        new_id(),
    )


async def _blocked(staff: Client, owner: Any, sale: OnSale) -> None:
    data(await staff.post(sale.path("seats/block"), json={"seat_ids": [sale.seat(0)], "reason": "Camera"}))


async def _full(staff: Client, owner: Any, sale: OnSale) -> None:
    """The show's own limit is reached, though the seat is free."""
    await owner.execute(
        "INSERT INTO pools (organization_id, event_id, kind, ref_id, capacity, sold)"
        " SELECT organization_id, id, 'event', id, 5, 5 FROM events WHERE id = $1",
        sale.event_id,
    )


async def _nothing(staff: Client, owner: Any, sale: OnSale) -> None:
    pass


STRANGE = str(new_id())
REFUSED: dict[str, tuple[Callable[..., Any], int | str, int, str]] = {
    "a draft": (_draft, 0, 400, "event_not_available"),
    "cancelled": (_cancelled, 0, 400, "event_not_available"),
    "archived": (_archived, 0, 400, "event_not_available"),
    "over": (_ended, 0, 400, "event_not_available"),
    "postponed without a date": (_postponed, 0, 400, "event_not_available"),
    "before the sale": (_not_yet, 0, 400, "event_sales_closed"),
    "after the sale": (_no_more, 0, 400, "event_sales_closed"),
    "no such seat": (_nothing, STRANGE, 404, "seat_not_found"),
    "a seat behind the last": (_nothing, 4_000, 404, "seat_not_found"),
    "sold": (_sold, 0, 409, "seat_not_available"),
    "blocked": (_blocked, 0, 409, "seat_not_available"),
    "full": (_full, 0, 409, "block_at_capacity"),
}


@LANES
@pytest.mark.parametrize("why", REFUSED)
@pytest.mark.req("HOLD-1", "HOLD-2", "AUD-1")
async def test_each_refusal_has_its_code_changes_nothing_and_is_written_down(
    why: str, suffix: str, staff: Client, buyer: Client, tenant: Tenant, owner: Any
) -> None:
    prepare, seat, status, code = REFUSED[why]
    sale = await on_sale(staff, hall())
    await prepare(staff, owner, sale)
    before = await row_counts(owner, sale)
    facts = await owner.fetchval("SELECT count(*) FROM outbox")
    answer = await reserve(buyer, sale, seat, suffix)
    assert refused(answer) == (status, code)
    assert answer.json().get("current_status") == (why if code == "seat_not_available" else None)
    assert await row_counts(owner, sale) == before
    assert await owner.fetchval("SELECT count(*) FROM outbox") == facts
    assert await audited(owner, tenant, "seat_reserved") == []
    (row,) = await audited(owner, tenant, "seat_reserve_failed")
    assert msgspec.json.decode(row["after"])["reason"] == code
    assert (row["actor_id"], row["entity_id"]) == (tenant.people["customer"].id, sale.event_id)
    assert row["ip"] == "198.51.100.7"


@LANES
@pytest.mark.req("HOLD-1", "TEN-2")
async def test_another_houses_show_is_like_one_that_never_was(
    suffix: str, staff: Client, client: Client, other_tenant: Tenant, owner: Any
) -> None:
    sale = await on_sale(staff, hall())
    stranger = client.as_(other_tenant.tokens["customer"])
    foreign = await reserve(stranger, sale, 0, suffix)
    nothing = OnSale(new_id(), sale.layout_id, {})
    missing = await reserve(stranger, nothing, 0, suffix)
    assert refused(foreign) == refused(missing) == (404, "event_not_found")
    assert foreign.content == missing.content
    assert await row_counts(owner, sale) == (0, 0, 0)
    rows = await owner.fetchval("SELECT count(*) FROM audit_log WHERE organization_id = $1", other_tenant.id)
    assert rows == await owner.fetchval(
        "SELECT count(*) FROM audit_log WHERE organization_id = $1 AND action <> 'seat_reserve_failed'", other_tenant.id
    )


@pytest.mark.req("HOLD-1")
async def test_a_show_without_seats_has_no_such_seat(staff: Client, buyer: Client) -> None:
    made = await draft(staff)
    data(await move(staff, made, "publish"))
    answer = await reserve(buyer, OnSale(UUID(made["id"]), new_id(), {}), 0)
    assert refused(answer) == (404, "seat_not_found")


@LANES
@pytest.mark.req("HOLD-1")
@pytest.mark.parametrize(
    "body",
    [
        b'{"source": "pigeon"}',
        b'{"source": 1}',
        b'{"source": "web", "price": 1}',
        b'{"organization_id": "x"}',
        b"[]",
        b'"web"',
    ],
)
async def test_a_strange_body_is_an_invalid_request(
    suffix: str, body: bytes, staff: Client, buyer: Client, owner: Any
) -> None:
    sale = await on_sale(staff, hall())
    path = sale.path(f"seats/{sale.seat(0)}/reserve{suffix}")
    answer = await buyer.post(path, content=body, headers={"content-type": "application/json"})
    assert refused(answer) == (400, "invalid_request"), answer.text
    assert await row_counts(owner, sale) == (0, 0, 0)


@LANES
@pytest.mark.req("HOLD-1")
async def test_what_is_no_json_is_an_invalid_request(suffix: str, staff: Client, buyer: Client) -> None:
    sale = await on_sale(staff, hall())
    path = sale.path(f"seats/{sale.seat(0)}/reserve{suffix}")
    answer = await buyer.post(path, content=b'{"source":', headers={"content-type": "application/json"})
    assert refused(answer) == (400, "invalid_request")


@LANES
@pytest.mark.req("HOLD-1", "RBAC-1")
async def test_nobody_reserves_nothing(suffix: str, staff: Client, client: Client, owner: Any) -> None:
    sale = await on_sale(staff, hall())
    answer = await reserve(client, sale, 0, suffix)
    assert refused(answer) == (401, "unauthorized")
    assert answer.headers["www-authenticate"] == "Bearer"
    assert await row_counts(owner, sale) == (0, 0, 0)


@LANES
@pytest.mark.req("HOLD-1")
@pytest.mark.parametrize("which", ["event_id", "seat_id", "both"])
@pytest.mark.parametrize(
    "text",
    [
        "1", "not-an-id", "0" * 35, "%20", "zzzzzzzz-zzzz-zzzz-zzzz-zzzzzzzzzzzz",
        "{00000000-0000-0000-0000-000000000000}", "urn:uuid:00000000-0000-0000-0000-000000000000", "-".join("0" * 32),
    ],
)  # fmt: skip
async def test_an_id_that_is_none_is_an_invalid_request(
    text: str, which: str, suffix: str, staff: Client, buyer: Client, owner: Any
) -> None:
    sale = await on_sale(staff, hall())
    event_id = str(sale.event_id) if which == "seat_id" else text
    seat_id = sale.seat(0) if which == "event_id" else text
    answer = await buyer.post(f"/api/events/{event_id}/seats/{seat_id}/reserve{suffix}", json={})
    assert refused(answer) == (400, "invalid_request")
    named = ["event_id", "seat_id"] if which == "both" else [which]
    assert [field["path"] for field in answer.json()["fields"]] == named
    assert await row_counts(owner, sale) == (0, 0, 0)


@pytest.mark.req("HOLD-1")
async def test_elsewhere_there_is_no_such_page(buyer: Client) -> None:
    assert refused(await buyer.post("/api/events/1/holds", json={"items": []})) == (404, "not_found")


# --- the sale's edges


@pytest.mark.req("HOLD-1", "EV-7")
async def test_a_postponed_show_with_a_date_sells(staff: Client, buyer: Client) -> None:
    sale = await on_sale(staff, hall())
    data(await move(staff, {"id": sale.event_id}, "postpone"))
    data(await move(staff, {"id": sale.event_id}, "reschedule"))
    data(await reserve(buyer, sale, 0), 201)


@pytest.mark.req("HOLD-1")
async def test_a_live_show_sells_within_its_window(staff: Client, buyer: Client, owner: Any) -> None:
    sale = await on_sale(staff, hall())
    data(await move(staff, {"id": sale.event_id}, "start"))
    data(await reserve(buyer, sale, 0), 201)


@pytest.mark.req("HOLD-1")
async def test_the_limit_of_ten_says_when_to_come_again(
    staff: Client, buyer: Client, tenant: Tenant, owner: Any, clock: Move
) -> None:
    """Given back counts too; asking again for what is held does not."""
    sale = await on_sale(staff, hall(2, 10))
    for n in range(10):
        held = data(await reserve(buyer, sale, n), 201)
    data(await reserve(buyer, sale, 9), 200)
    assert (await buyer.delete(f"/api/holds/{held['hold_id']}")).status_code == 204
    answer = await reserve(buyer, sale, 10)
    assert refused(answer) == (429, "too_many_holds")
    assert int(answer.headers["retry-after"]) == 300
    (row,) = await audited(owner, tenant, "seat_reserve_failed")
    assert msgspec.json.decode(row["after"])["reason"] == "too_many_holds"
    await clock(timedelta(seconds=301))
    data(await reserve(buyer, sale, 10), 201)


# --- what one has


@pytest.mark.req("HOLD-7")
async def test_my_holds_are_mine(staff: Client, buyer: Client, client: Client, tenant: Tenant, clock: Move) -> None:
    sale = await on_sale(staff, hall())
    first, second = [data(await reserve(buyer, sale, n), 201) for n in (0, 1)]
    stranger = await guest(client, tenant)
    mine = data(await buyer.get(sale.path("holds")))
    for hold in mine:  # as clients count down
        until = datetime.fromisoformat(hold["held_until"])
        assert hold["held_until_unix_ms"] == int(until.timestamp() * 1000)
    assert [hold["id"] for hold in mine] == [first["hold_id"], second["hold_id"]]
    assert {hold["status"] for hold in mine} == {"active"}
    assert data(await stranger.get(sale.path("holds"))) == []
    assert refused(await stranger.delete(f"/api/holds/{first['hold_id']}")) == (404, "hold_not_found")
    assert (await buyer.delete(f"/api/holds/{first['hold_id']}")).status_code == 204
    assert refused(await buyer.delete(f"/api/holds/{first['hold_id']}")) == (409, "hold_expired")
    assert [hold["id"] for hold in data(await buyer.get(sale.path("holds")))] == [second["hold_id"]]
    await clock(timedelta(seconds=301))
    assert data(await buyer.get(sale.path("holds"))) == []
    assert datetime.now(UTC)


@pytest.mark.req("HOLD-7", "AUD-1")
async def test_staff_release_with_a_reason_over_http(staff: Client, buyer: Client, tenant: Tenant, owner: Any) -> None:
    sale = await on_sale(staff, hall())
    held = data(await reserve(buyer, sale, 0), 201)
    path = f"/api/holds/{held['hold_id']}"
    assert refused(await staff.delete(path)) == (403, "reason_needed")
    assert (await staff.delete(path, params={"reason": "Broken"})).status_code == 204
    (row,) = await audited(owner, tenant, "hold.cancelled")
    assert (row["actor_id"], row["reason"]) == (tenant.people["owner"].id, "Broken")
    data(await reserve(buyer, sale, 0), 201)


@pytest.mark.req("HOLD-7", "AUD-1")
async def test_staff_release_what_is_held_of_seats_that_they_see(
    staff: Client, buyer: Client, tenant: Tenant, owner: Any
) -> None:
    sale = await on_sale(staff, hall())
    data(await reserve(buyer, sale, 0), 201)
    seats = [str(sale.seat(n)) for n in (0, 1)]  # nobody holds the second

    async def release(who: Client, **wish: Any) -> httpx.Response:
        return await who.post(sale.path("holds/release"), json={"seat_ids": seats} | wish)

    assert refused(await release(staff)) == (422, "invalid")
    assert refused(await release(buyer, reason="Mine")) == (403, "forbidden")
    assert data(await release(staff, reason="Broken")) == {"released": 1}
    (row,) = await audited(owner, tenant, "hold.cancelled")
    assert (row["actor_id"], row["reason"]) == (tenant.people["owner"].id, "Broken")
    assert data(await release(staff, reason="Broken")) == {"released": 0}
    data(await reserve(buyer, sale, 0), 201)
