"""What a sale does elsewhere: maps, the public, companion seats, a show's other holders."""

from typing import Any

import msgspec
import pytest

from fullhouse.checkout.orders import settle
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages.outbox import Message
from fullhouse.kit.services import Services
from tests.accounts.helpers import audited, data
from tests.checkout.helpers import bought, migrate, rows, selling, wrong
from tests.fixtures import Client, Tenant
from tests.holds.baskets import chairs
from tests.holds.helpers import hall
from tests.seating.helpers import allow


async def follow(services: Services, owner: Any, tenant: Tenant) -> None:
    """What a worker does with the facts that are announced."""
    sold = await owner.fetch(
        "SELECT id, organization_id, name, subject_id, payload::text, created_at FROM outbox"
        " WHERE organization_id = $1 AND name = 'order.paid' ORDER BY seq",
        tenant.id,
    )
    for row in sold:
        payload = msgspec.json.decode(row["payload"])
        message = Message(**{**row, "payload": payload, "version": 1})
        async with services.database.tenant(tenant.id) as tx:
            await settle.update_after_sale(tx, message)


@pytest.mark.req("HOLD-10")
async def test_a_sold_seat_is_sold_on_every_map(client: Client, staff: Client, tenant: Tenant) -> None:
    sale = await selling(staff)
    before = data(await client.get(sale.path("occupancy")))
    await bought(client, tenant, sale, 0, 1, pit=3)
    after = data(await client.get(sale.path("occupancy")))
    assert (after["sold"], after["held"]) == (before["sold"] + 5, 0)
    seat = data(await client.get(sale.path(f"seats/{sale.show.seat(0)}")))
    assert seat["status"] == "sold"
    answer = await staff.post(sale.path("holds"), json={"items": [{"seat_id": sale.show.seat(0)}]})
    assert (answer.status_code, answer.json()["code"]) == (409, "seat_not_available")


@pytest.mark.req("SEAT-4", "ACC-1")
async def test_a_sale_is_followed_after_another_layout_has_come(
    client: Client, staff: Client, tenant: Tenant, owner: Any, services: Services
) -> None:
    """A worker may be late: the order's zone is then one of a version that the event no longer has."""
    await allow(services, tenant, accessibility_audit_enabled=True)
    sale = await selling(staff, hall(3, 8, wheelchairs=1))
    ((chair, beside),) = await chairs(owner, sale.show)
    await bought(client, tenant, sale, chair, beside)
    await migrate(staff, sale, hall(3, 8, wheelchairs=1, pit=5))
    await follow(services, owner, tenant)
    assert await audited(owner, tenant, "accessibility.booked")


@pytest.mark.req("BUY-6")
async def test_a_show_without_anything_left_is_sold_out(
    client: Client, staff: Client, tenant: Tenant, owner: Any, services: Services
) -> None:
    sale = await selling(staff, hall(1, 2, pit=1))
    await bought(client, tenant, sale, 0, 1)
    await follow(services, owner, tenant)
    public = "SELECT sold_out FROM public_events WHERE event_id = $1"
    assert await owner.fetchval(public, sale.event_id) is False
    await bought(client, tenant, sale, pit=1)
    await follow(services, owner, tenant)
    assert await owner.fetchval(public, sale.event_id) is True
    (stats,) = await rows(owner, "event_stats", tenant)
    assert (stats["sold"] > 0, stats["unranked"]) == (True, True)


@pytest.mark.req("BUY-6")
async def test_the_page_of_a_sold_out_show_names_others_of_its_kind(
    client: Client, staff: Client, tenant: Tenant, owner: Any, services: Services
) -> None:
    kind = f"k{new_id().hex[-12:]}"  # nobody else's: the feed is of all houses
    sale = await selling(staff, hall(1, 2), name="All gone", category=kind)
    await selling(staff, hall(1, 2), name="Another night", category=kind)
    await selling(staff, hall(1, 2), name="Something else", category=f"x{kind}")
    page = f"/o/{tenant.organization.slug}/all-gone"
    assert "Other events with tickets available" not in (await client.get(page)).text
    await bought(client, tenant, sale, 0, 1)
    await follow(services, owner, tenant)
    _, _, instead = (await client.get(page)).text.partition("Other events with tickets available")
    assert "Another night" in instead
    assert "Something else" not in instead
    assert "/all-gone" not in instead.partition("</ul>")[0]


@pytest.mark.req("ACC-1")
async def test_companions_stay_with_a_sold_place_until_the_zone_is_nearly_sold_out(
    client: Client, staff: Client, tenant: Tenant, owner: Any, services: Services, server_url: str
) -> None:
    sale = await selling(staff, hall(1, 10, wheelchairs=1, pit=1))
    place = await owner.fetchval(
        "SELECT e.ordinal FROM event_seats e WHERE e.event_id = $1 AND e.seat_id IN"
        " (SELECT companion_of FROM event_seats WHERE event_id = $1 AND companion_of IS NOT NULL)",
        sale.event_id,
    )
    await bought(client, tenant, sale, place)
    await follow(services, owner, tenant)
    kept = "SELECT count(*) FROM event_seats WHERE event_id = $1 AND reserved_until = 'infinity'"
    assert await owner.fetchval(kept, sale.event_id) >= 1
    assert await wrong(server_url) == {}


@pytest.mark.req("ACC-2", "POL-1", "AUD-1")
@pytest.mark.parametrize("noted", [True, False])
async def test_sold_wheelchair_places_are_noted_where_the_policy_says_so(
    client: Client, staff: Client, tenant: Tenant, owner: Any, services: Services, noted: bool
) -> None:
    await allow(services, tenant, accessibility_audit_enabled=noted)
    sale = await selling(staff, hall(3, 8, wheelchairs=1, pit=5))
    ((chair, beside),) = await chairs(owner, sale.show)
    await bought(client, tenant, sale, chair, beside)
    await bought(client, tenant, sale, pit=1)
    await follow(services, owner, tenant)
    booked = await audited(owner, tenant, "accessibility.booked")
    assert [[seat["category"] for seat in msgspec.json.decode(row["after"])["seats"]] for row in booked] == (
        [["wheelchair", "companion"]] if noted else []
    )
