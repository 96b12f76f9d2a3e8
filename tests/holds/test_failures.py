"""Whoever is refused is written down: every code that a wish can meet, whoever says it, in one row that names it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import asyncpg
import httpx
import msgspec
import pytest

from fullhouse.holds import model, policy, refusal_audit, store
from fullhouse.holds.refusal_audit import RefusalAudit
from fullhouse.kit.errors import NotFound, Refusal
from fullhouse.kit.services import Services
from fullhouse.seating.model import ZoneAccessDenied
from tests.accounts.helpers import audited, data, refused
from tests.checkout.helpers import add_type, selling_types
from tests.fixtures import Client, Tenant
from tests.holds.baskets import best, chairs, order
from tests.holds.helpers import OnSale, guest, hall, on_sale, row_counts, stage
from tests.holds.test_rules import closed, with_a_table

pytestmark = pytest.mark.req("HOLD-2", "AUD-1")


class Scene(NamedTuple):
    staff: Client
    buyer: Client
    other: Client
    owner: Any

    async def reserve(self, sale: OnSale, ordinal: int, content: str = "{}") -> httpx.Response:
        path = sale.path(f"seats/{sale.seat(ordinal)}/reserve")
        return await self.buyer.post(path, content=content, headers={"content-type": "application/json"})


Story = Callable[[Scene], Awaitable[tuple[OnSale, httpx.Response]]]


def after(change: str) -> Story:
    async def story(at: Scene) -> tuple[OnSale, httpx.Response]:
        sale = await on_sale(at.staff, hall())
        await at.owner.execute(change, sale.event_id)
        return sale, await at.reserve(sale, 0)

    return story


def basket(*ordinals: int, policy: dict[str, Any] | None = None, plan: Any = None, **zones: int) -> Story:
    async def story(at: Scene) -> tuple[OnSale, httpx.Response]:
        sale = await on_sale(at.staff, plan or hall(pit=5), policy=policy or {})
        return sale, await order(at.buyer, sale, *ordinals, **zones)

    return story


def body(content: str) -> Story:
    async def story(at: Scene) -> tuple[OnSale, httpx.Response]:
        sale = await on_sale(at.staff, hall())
        return sale, await at.reserve(sale, 0, content)

    return story


async def held_by_another(at: Scene) -> tuple[OnSale, httpx.Response]:
    sale = await on_sale(at.staff, hall())
    data(await at.other.post(sale.path(f"seats/{sale.seat(0)}/reserve"), json={}), 201)
    return sale, await at.reserve(sale, 0)


async def locked_for_long(at: Scene) -> tuple[OnSale, httpx.Response]:
    sale = await on_sale(at.staff, hall())
    async with at.owner.transaction():
        await at.owner.execute("SELECT FROM event_seats WHERE event_id = $1 AND ordinal = 0 FOR UPDATE", sale.event_id)
        return sale, await at.reserve(sale, 0)


async def near_a_full_network(at: Scene) -> tuple[OnSale, httpx.Response]:
    sale = await on_sale(at.staff, hall(), policy={"max_holds_per_ip": 1})
    data(await at.other.post(sale.path(f"seats/{sale.seat(0)}/reserve"), json={}), 201)
    return sale, await at.reserve(sale, 5)


async def two_chairs(at: Scene) -> tuple[OnSale, httpx.Response]:
    sale = await on_sale(at.staff, hall(3, 8, wheelchairs=2))
    (one, _), (two, _) = await chairs(at.owner, sale)
    data(await at.reserve(sale, one), 201)
    return sale, await at.reserve(sale, two)


async def a_part_of_a_table(at: Scene) -> tuple[OnSale, httpx.Response]:
    sale = await on_sale(at.staff, with_a_table())
    return sale, await at.reserve(sale, 4)


async def six_together(at: Scene) -> tuple[OnSale, httpx.Response]:
    sale = await on_sale(at.staff, hall(2, 4), policy={"group_adjacency_strict": True})
    return sale, await best(at.buyer, sale, 6)


async def four_far_apart(at: Scene) -> tuple[OnSale, httpx.Response]:
    sale = await on_sale(at.staff, hall(2, 3), policy={"max_group_split": 0})
    return sale, await best(at.buyer, sale, 4)


async def a_closed_zone(at: Scene) -> tuple[OnSale, httpx.Response]:
    sale = await on_sale(at.staff, closed(access_mode="whitelist"))
    return sale, await at.reserve(sale, 0)


async def nothing_at_all(at: Scene) -> tuple[OnSale, httpx.Response]:
    sale = await on_sale(at.staff, hall())
    return sale, await at.buyer.post(sale.path("holds"), json={"items": []})


def of_a_type(**kind: Any) -> Story:
    async def story(at: Scene) -> tuple[OnSale, httpx.Response]:
        sale = await selling_types(at.staff, 10)
        type_id = await add_type(at.staff, sale.event_id, name="odd", price=1, quantity=9, kind="ga", **kind)
        wish = {"items": [{"ticket_type_id": type_id, "quantity": 2}]}
        return sale.show, await at.buyer.post(sale.path("holds"), json=wish)

    return story


SOLD = "UPDATE event_seats SET status = 'sold', ticket_id = gen_random_uuid() WHERE event_id = $1 AND ordinal = 0"
OVER = "UPDATE events SET sale_start_at = '2020-01-01', sale_end_at = '2020-02-01' WHERE id = $1"


async def of_what_is_sold_out(at: Scene) -> tuple[OnSale, httpx.Response]:
    sale = await on_sale(at.staff, hall())
    await add_type(at.staff, sale.event_id, name="Seat", price=2500, quantity=1, kind="seated")
    await at.owner.execute(
        "UPDATE pools SET sold = capacity WHERE event_id = $1 AND kind = 'ticket_type'", sale.event_id
    )
    return sale, await at.reserve(sale, 0)


STORIES: dict[str, tuple[int, Story]] = {
    # said by the engine
    "event_not_available": (400, after("UPDATE events SET status = 'draft' WHERE id = $1")),
    "event_sales_closed": (400, after(OVER)),
    "seat_not_available": (409, after(SOLD)),
    "seat_held_by_another_user": (409, held_by_another),
    "block_at_capacity": (409, basket(pit=6)),
    "too_many_holds": (429, basket(0, 1, policy={"holds_per_window": 1})),
    "max_holds_per_user": (409, basket(0, 1, policy={"max_holds_per_user": 1})),
    "max_holds_per_ip": (409, near_a_full_network),
    "ticket_type_not_found": (404, of_a_type(hidden=True)),
    "ticket_type_not_on_sale": (409, of_a_type(sale_start_at="2039-12-31T00:00:00Z")),
    "ticket_type_sold_out": (409, of_what_is_sold_out),
    "max_per_order": (409, of_a_type(max_per_order=1)),
    # said before it, or after the last try
    "seat_no_longer_available": (409, locked_for_long),
    "max_seats_per_booking": (409, basket(0, 1, 2, policy={"max_seats_per_booking": 2})),
    "max_wheelchair_seats_per_booking": (409, two_chairs),
    "orphan_seats": (409, basket(1, 2)),
    "sold_as_a_whole": (409, a_part_of_a_table),
    "group_adjacency_strict": (409, six_together),
    "max_group_split": (409, four_far_apart),
    "seats_are_chosen": (409, basket(0, 1, policy={"prefer_clustering_over_selection": True})),
    "zone_access_denied": (403, a_closed_zone),
    "invalid_request": (400, nothing_at_all),
}
# Nobody who asks for a place meets these.
OF_ENDINGS = {"hold_not_found", "hold_expired", "payment_running", "reason_needed"}
OF_SHOWS = {"event_in_sale", "venue_change_needs_consent", "capacity_in_use"}
OF_STRANGERS = {"unauthorized"}  # nobody is known who could be written down


def test_every_code_has_its_story() -> None:
    rooms = {
        kind.code
        for kind in vars(model).values()
        if isinstance(kind, type) and kind.__module__ == model.__name__ and issubclass(kind, Refusal)
    }
    engine = {kind.code for kind in policy.REFUSALS.values() if not issubclass(kind, NotFound)}
    assert set(STORIES) == (rooms | engine | {ZoneAccessDenied.code}) - OF_ENDINGS - OF_SHOWS - OF_STRANGERS


@pytest.mark.parametrize("code", STORIES)
async def test_a_refusal_is_written_down_once(
    code: str, staff: Client, buyer: Client, client: Client, tenant: Tenant, owner: Any
) -> None:
    status, story = STORIES[code]
    at = Scene(staff, buyer, await guest(client, tenant), owner)
    sale, answer = await story(at)
    assert refused(answer) == (status, code)
    rows = await audited(owner, tenant, "seat_reserve_failed")
    assert {msgspec.json.decode(row["after"])["reason"] for row in rows} == {code}
    assert len(rows) == (2 if code in ("too_many_holds", "max_holds_per_user") else 1)  # the engine's: one a line
    for row in rows:
        assert (row["actor_id"], row["entity_id"]) == (tenant.people["customer"].id, sale.event_id)
        assert row["ip"] == "198.51.100.7"


@pytest.mark.parametrize("content", ['{"source": "x"}', '{"seat": 1}', "[]", "{"])
async def test_a_strange_body_is_written_down(
    content: str, staff: Client, buyer: Client, client: Client, tenant: Tenant, owner: Any
) -> None:
    sale, answer = await body(content)(Scene(staff, buyer, client, owner))
    assert refused(answer) == (400, "invalid_request")
    (row,) = await audited(owner, tenant, "seat_reserve_failed")
    assert msgspec.json.decode(row["after"]) == {"seat_id": sale.seat(0), "reason": "invalid_request"}


async def test_what_is_missing_is_no_failure(staff: Client, buyer: Client, tenant: Tenant, owner: Any) -> None:
    """404 of a show: it may be anybody's."""
    sale = await on_sale(staff, hall())
    foreign = OnSale(sale.layout_id, sale.layout_id, {})
    assert refused(await buyer.post(foreign.path(f"seats/{sale.seat(0)}/reserve"), json={}))[0] == 404
    assert await audited(owner, tenant, "seat_reserve_failed") == []


async def test_a_crowd_that_is_refused_is_written_down_in_few_statements(
    process: Services, tenant: Tenant, owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    sale, who = await stage(process, tenant, hall()), tenant.principal("customer")
    sizes: list[int] = []
    write = store.record_refusals

    async def counted(tx: Any, **columns: Any) -> int:
        sizes.append(len(columns["event_ids"]))
        return await write(tx, **columns)

    monkeypatch.setattr(store, "record_refusals", counted)
    noting = [refusal_audit.record_refusal(process, who, sale.event_id, model.OrphanSeats()) for _ in range(100)]
    await asyncio.gather(*noting)
    assert (sum(sizes), len(sizes) <= 3) == (100, True)
    assert len(await audited(owner, tenant, "seat_reserve_failed")) == 100


async def test_a_row_that_cannot_be_written_costs_nobody_the_answer(
    process: Services, tenant: Tenant, owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: Any, **__: Any) -> int:
        raise asyncpg.ConnectionDoesNotExistError("gone")

    sale = await stage(process, tenant, hall())
    monkeypatch.setattr(store, "record_refusals", away)
    await process.part(RefusalAudit).record(tenant.principal("customer"), sale.event_id, None, model.OrphanSeats())
    assert await row_counts(owner, sale) == (0, 0, 0)
