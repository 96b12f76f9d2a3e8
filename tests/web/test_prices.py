"""What it takes to come: on a show's card, and on its page for those without scripts."""

from typing import Any

import msgspec
import pytest

from fullhouse.seating.plan import Plan, PriceCategory
from tests.checkout.helpers import add_type, selling
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


async def test_what_costs_nothing_is_free(client: Client, house: Client, tenant: Tenant) -> None:
    await selling(house, price=0)
    assert 'class="price">Free<' in await seen(client, tenant)


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
