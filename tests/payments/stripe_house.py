"""The house with Stripe set up: a Stripe of our own on loopback, an application and a worker that talk to it."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from fullhouse import wiring
from fullhouse.config import Config
from fullhouse.kit.http.lanes import LaneRouter
from fullhouse.kit.media.files import Disk
from fullhouse.kit.messages import outbox
from fullhouse.kit.services import Services, open_parts, open_services
from tests.accounts.helpers import data
from tests.checkout.helpers import Sale, begun, buy
from tests.fixtures import PUBLIC_URL, SECRET_KEY, Client, run_application, settings
from tests.payments.stripe_fake import SECRET, WEBHOOK_SECRET, StripeFake, running, signed

HOOK = "/api/payments/stripe/webhook"


@pytest.fixture
async def fake() -> AsyncIterator[StripeFake]:
    async with running() as opened:
        yield opened


@pytest.fixture
def with_stripe(server_url: str, owner_url: str, tmp_path: Path, fake: StripeFake) -> Config:
    keys = {"STRIPE_SECRET_KEY": SECRET, "STRIPE_WEBHOOK_SECRET": WEBHOOK_SECRET}
    read = settings(server_url, owner_url, home=str(tmp_path), **keys)
    assert read.stripe
    return msgspec.structs.replace(read, stripe=msgspec.structs.replace(read.stripe, address=fake.address))


@pytest.fixture
async def lane(with_stripe: Config) -> AsyncIterator[LaneRouter]:
    async with run_application(with_stripe) as running:
        yield running


@pytest.fixture
async def process(with_stripe: Config, tmp_path: Path) -> AsyncIterator[Services]:
    """A worker, as far as money goes."""
    outbox.wire(wiring.SYNC)
    assert with_stripe.database_url
    async with (
        open_services(
            url=with_stripe.database_url,
            read_url=None,
            redis_url=None,
            secret_key=SECRET_KEY,
            files=Disk(tmp_path / "images"),
            public_url=PUBLIC_URL,
            pool_size=4,
        ) as services,
        open_parts(services, wiring.WORKER_PARTS, wiring.part_settings(with_stripe)),
    ):
        yield services


async def hook(client: Client, event: Any, **how: Any) -> httpx.Response:
    raw, headers = signed(event, **how)
    return await client.post(HOOK, content=raw, headers=headers)


async def paying(buyer: Client, sale: Sale, *seats: int, **more: Any) -> Any:
    """An order that waits for the buyer's browser."""
    order = data(await buy(buyer, await begun(buyer, sale, *seats, **more), provider="stripe"), 202)
    assert order["status"] == "pending"
    return order
