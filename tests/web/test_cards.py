"""Where cards are taken: the show's page may load Stripe's fields, and a checkout says with which key."""

from collections.abc import AsyncIterator

import msgspec
import pytest

from fullhouse.config import Config
from fullhouse.kit.http.lanes import LaneRouter
from tests.checkout.helpers import begun, selling
from tests.fixtures import Client, Tenant, run_application
from tests.holds.helpers import guest
from tests.payments.stripe_house import fake, with_stripe

__all__ = ["fake", "with_stripe"]  # the fixtures
KEY = "pk_test_for_everybody"


@pytest.fixture(params=[KEY, None])
def key(request: pytest.FixtureRequest) -> str | None:
    found: str | None = request.param
    return found


@pytest.fixture
async def lane(with_stripe: Config, key: str | None) -> AsyncIterator[LaneRouter]:
    assert with_stripe.stripe
    keys = msgspec.structs.replace(with_stripe.stripe, publishable_key=key)
    async with run_application(msgspec.structs.replace(with_stripe, stripe=keys)) as running:
        yield running


@pytest.mark.req("BUY-3")
async def test_stripes_fields_are_allowed_where_there_is_a_key_for_them(
    client: Client, tenant: Tenant, key: str | None
) -> None:
    house = client.as_(tenant.tokens["owner"])
    sale = await selling(house)
    slug = (await house.get(f"/api/events/{sale.event_id}")).json()["data"]["slug"]
    for path in (f"/o/{tenant.organization.slug}/{slug}", f"/embed/{tenant.organization.slug}/{slug}"):
        policy = (await client.get(path)).headers["content-security-policy"]
        assert ("script-src 'self' https://js.stripe.com" in policy) == bool(key)
        assert "unsafe" not in policy
    for path in ("/", f"/o/{tenant.organization.slug}", "/my", "/sign-in"):
        assert "stripe" not in (await client.get(path)).headers["content-security-policy"]
    session = await begun(await guest(client, tenant), sale, 0)
    assert [(way["provider"], way["public_key"]) for way in session["ways_to_pay"]] == [("stripe", key)]
