"""What it takes to come: on a show's card, and on its page for those without scripts."""

from typing import Any

import msgspec
import pytest

from fullhouse.kit.ids import new_id
from fullhouse.seating.plans.plan import Plan, PriceCategory
from tests.accounts.helpers import data
from tests.checkout.helpers import add_type, selling, selling_types
from tests.events.helpers import move
from tests.fixtures import Client, Tenant
from tests.holds.helpers import hall, on_sale


@pytest.fixture
def house(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["owner"])


def priced(*categories: str | None) -> Plan:
    """A hall whose rows have these, from the front."""
    plan = hall(len(categories), 4)
    (zone,) = plan.zones
    (section,) = zone.sections
    rows = [msgspec.structs.replace(r, price_category=c) for r, c in zip(section.rows, categories, strict=True)]
    zone = msgspec.structs.replace(
        zone, price_category=None, sections=(msgspec.structs.replace(section, rows=tuple(rows)),)
    )
    known = tuple(PriceCategory(key=key, name=key.title()) for key in dict.fromkeys(c for c in categories if c))
    return msgspec.structs.replace(plan, price_categories=known, zones=(zone,))


def mixed(**vip: Any) -> Plan:
    """A row of stalls, a row of VIP seats, and standing room; each is a zone with a price category of its own."""
    plan = hall(2, 4, pit=50)
    seated, pit = plan.zones
    (section,) = seated.sections
    zones = [
        msgspec.structs.replace(
            seated,
            key=key,
            name=key.title(),
            price_category=key,
            sections=(msgspec.structs.replace(section, key=key, rows=(row,)),),
            **(vip if key == "vip" else {}),
        )
        for key, row in zip(("stalls", "vip"), section.rows, strict=True)
    ]
    known = tuple(PriceCategory(key=key, name=key.title()) for key in ("stalls", "vip", "pit"))
    pit = msgspec.structs.replace(pit, price_category="pit")
    return msgspec.structs.replace(plan, price_categories=known, zones=(*zones, pit))


async def seen(client: Client, tenant: Tenant, path: str = "") -> str:
    return (await client.get(f"/o/{tenant.organization.slug}{path}")).text


async def test_a_card_and_a_page_say_the_least_that_a_place_costs(
    client: Client, house: Client, tenant: Tenant
) -> None:
    sale = await selling(house, price=2500)
    await add_type(house, sale.event_id, name="Friends", price=100, kind="ga", hidden=True)
    assert 'class="price">From €25.00<' in await seen(client, tenant)
    page = await seen(client, tenant, "/the-tempest")
    assert page.count("From €25.00") == 2  # among the facts, and on the way to the seats
    assert "€1.00" not in page


@pytest.mark.req("EV-5")
async def test_what_has_lost_its_seats_has_no_price(client: Client, house: Client, tenant: Tenant) -> None:
    sale = await selling(house, price=2500)
    assert (await house.delete(sale.path("layout"))).status_code == 204
    page = await seen(client, tenant, "/the-tempest")
    assert "Tickets are not available yet." in page
    assert "From €" not in page


async def test_another_price_is_said_at_once(client: Client, house: Client, tenant: Tenant) -> None:
    sale = await selling_types(house, 20, price=2500)
    assert 'class="price">From €25.00<' in await seen(client, tenant)
    data(await house.patch(sale.path(f"ticket-types/{sale.types['entry']}"), json={"price": 900}))
    assert 'class="price">From €9.00<' in await seen(client, tenant)
    show = {"id": sale.event_id}
    data(await move(house, show, "unpublish"))
    assert 'class="price"' not in await seen(client, tenant)
    data(await move(house, show, "publish"))
    assert 'class="price">From €9.00<' in await seen(client, tenant)


async def test_shows_of_several_houses_have_each_its_own_price(
    client: Client, tenant: Tenant, other_tenant: Tenant
) -> None:
    prices = ((tenant, "25.00"), (other_tenant, "31.00"))
    word = new_id().hex
    for of, price in prices:
        await selling(client.as_(of.tokens["owner"]), price=int(price.replace(".", "")), name=f"Hamlet {word}")
    page = (await client.get(f"/?q={word}")).text
    for of, price in prices:
        (card,) = (card for card in page.split("</li>") if f"/o/{of.organization.slug}/" in card)
        assert f'class="price">From €{price}<' in card


async def test_what_costs_nothing_is_free(client: Client, house: Client, tenant: Tenant) -> None:
    await selling(house, price=0)
    assert 'class="price">Free<' in await seen(client, tenant)


async def test_seats_are_chosen_only_where_there_are_some(client: Client, house: Client, tenant: Tenant) -> None:
    await selling_types(house, 4)
    page = await seen(client, tenant, "/the-tempest")
    assert "Choose tickets" in page
    assert "Choose seats" not in page


async def test_who_speaks_afrikaans_reads_it(client: Client, house: Client, tenant: Tenant) -> None:
    await selling(house, price=2500)
    assert "Vanaf €25,00" in await seen(client, tenant, "?lang=af")


@pytest.mark.parametrize(
    ("categories", "least"),
    [
        (("front", "back"), "20.00"),  # each has a price of its own: nobody pays what the type says
        (("front", "rest"), "1.00"),
        (("front", None), "1.00"),
    ],
)
async def test_a_price_that_nobody_pays_is_not_said(
    client: Client, house: Client, tenant: Tenant, categories: Any, least: str
) -> None:
    show = await on_sale(house, priced(*categories))
    prices = {key: amount for key, amount in {"front": 4000, "back": 2000}.items() if key in categories}
    await add_type(house, show.event_id, name="Seat", price=100, kind="seated", prices=prices)
    assert f'class="price">From €{least}<' in await seen(client, tenant)


async def test_a_show_without_types_says_nothing(client: Client, house: Client, tenant: Tenant) -> None:
    await on_sale(house, hall())
    assert 'class="price"' not in await seen(client, tenant)


VIP = {"kind": "seated", "price": 0, "zones": ["vip"], "prices": {"vip": 9000}}


@pytest.mark.parametrize(
    ("types", "least"),
    [
        ([VIP], "From €90.00"),  # the stalls have no price of it: it does not sell them
        ([VIP | {"zones": ["vip", "stalls"]}], "Free"),
        ([VIP | {"zones": []}], "Free"),
        ([VIP | {"prices": {"vip": 9000, "stalls": 3000}, "zones": ["vip"]}], "From €90.00"),
        ([VIP | {"prices": {"vip": 9000, "pit": 10}, "zones": []}], "Free"),
        ([{"kind": "ga", "price": 0, "prices": {"pit": 1500}}], "From €15.00"),  # seats are not standing room
        ([{"kind": "ga", "price": 700, "zones": ["stalls"]}], None),
        ([VIP, {"kind": "ga", "price": 0, "prices": {"pit": 1500}}], "From €15.00"),
    ],
)
async def test_a_type_has_the_prices_of_the_places_that_it_sells(
    client: Client, house: Client, tenant: Tenant, types: list[dict[str, Any]], least: str | None
) -> None:
    show = await on_sale(house, mixed())
    for n, kind in enumerate(types):
        await add_type(house, show.event_id, name=f"Type {n}", **kind)
    page = await seen(client, tenant)
    assert f'class="price">{least}<' in page if least else 'class="price"' not in page


async def test_what_is_for_some_only_is_not_said_to_all(client: Client, house: Client, tenant: Tenant) -> None:
    show = await on_sale(house, mixed(access_mode="membership_tier", membership_tier="gold"))
    await add_type(house, show.event_id, name="Seat", kind="seated", price=0, prices={"vip": 100, "stalls": 3000})
    assert 'class="price">From €30.00<' in await seen(client, tenant)


@pytest.mark.parametrize(
    "gone",
    [
        "UPDATE ticket_types SET sale_start_at = '2020-01-01', sale_end_at = '2020-02-01' WHERE id = $1::uuid",
        "UPDATE pools SET sold = capacity WHERE ref_id = $1::uuid",
    ],
    ids=["its time is over", "sold out"],
)
async def test_what_cannot_be_had_any_more_has_no_price(
    client: Client, house: Client, tenant: Tenant, owner: Any, gone: str
) -> None:
    sale = await selling_types(house, 20, price=2500)
    early = await add_type(house, sale.event_id, name="Early bird", price=900, quantity=5, kind="ga")
    await owner.execute(gone, early)
    assert 'class="price">From €25.00<' in await seen(client, tenant)


async def test_a_zone_without_a_place_left_has_no_price(
    client: Client, house: Client, tenant: Tenant, owner: Any
) -> None:
    show = await on_sale(house, mixed())
    await add_type(house, show.event_id, name="Seat", kind="seated", price=3000)
    await add_type(house, show.event_id, name="Standing", kind="ga", price=1000)
    await owner.execute("UPDATE pools SET sold = capacity WHERE ref_id = $1::uuid", show.zones["pit"])
    assert 'class="price">From €30.00<' in await seen(client, tenant)


async def test_a_show_with_a_new_date_says_its_price_after_the_old_one(
    client: Client, house: Client, tenant: Tenant, owner: Any
) -> None:
    sale = await selling(house, price=2500)
    for step in ("postpone", "reschedule"):
        data(await move(house, {"id": sale.event_id}, step))
    await owner.execute(
        "UPDATE events SET start_at = '2020-06-01 19:00Z', doors_at = '2020-06-01 19:00Z', end_at = '2020-06-01 21:30Z'"
        " WHERE id = $1",
        sale.event_id,
    )
    assert 'class="price">From €25.00<' in await seen(client, tenant)
