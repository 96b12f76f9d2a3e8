"""Processes of the last release work on the next one's schema while it is deployed: nothing that they use is gone."""

from typing import Any

import asyncpg
import msgspec
import pytest
from scripts import schema

from fullhouse.kit.ids import new_id
from tests.services.client import ask

pytestmark = pytest.mark.req("OPS-2")
RELEASED = msgspec.json.decode(schema.RELEASED.read_bytes(), type=schema.Interface)


async def test_the_last_release_finds_all_that_it_uses(owner: Any) -> None:
    """What nobody uses any more goes in the release after the one that stopped using it."""
    assert schema.not_for_both(RELEASED, await schema.interface(owner)) == []


BREAKING = {
    "ALTER TABLE orders DROP COLUMN buyer_name": "column public.orders.buyer_name is gone",
    "ALTER TABLE orders RENAME COLUMN reason TO why": "column public.orders.reason is gone",
    "DROP TABLE webhooks CASCADE": "column public.webhooks.url is gone",
    "ALTER TABLE orders ALTER COLUMN total TYPE numeric": ("column public.orders.total was bigint, and is numeric"),
    "ALTER TABLE orders ADD COLUMN more text NOT NULL": (
        "column public.orders.more must be given, and the last release does not know it"
    ),
    "ALTER TABLE orders ALTER COLUMN reason SET NOT NULL": (
        "column public.orders.reason must be given, and the last release does not know it"
    ),
    "ALTER TYPE app.hold_line DROP ATTRIBUTE ip": "column app.hold_line.ip is gone",
    "DROP FUNCTION app.tell_shows(text, json[])": "function app.tell_shows(text,json[]) is gone",
    "ALTER FUNCTION app.lock_scans(uuid) RENAME TO lock": "function app.lock_scans(uuid) is gone",
}
FITTING = [
    "ALTER TABLE orders ADD COLUMN more text",
    "ALTER TABLE orders ADD COLUMN more integer NOT NULL DEFAULT 0",
    "ALTER TABLE orders ALTER COLUMN total DROP NOT NULL",
    "CREATE TABLE more (id uuid NOT NULL)",
    "CREATE FUNCTION app.more() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
]


@pytest.fixture(scope="module")
def own_database() -> str:
    """Without a row: some of the changes are refused where there are any."""
    return ask("database", f"versions_{new_id().hex}")["owner_url"]


async def after(url: str, change: str) -> list[str]:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("BEGIN")
        await connection.execute(change)
        return schema.not_for_both(RELEASED, await schema.interface(connection))
    finally:
        await connection.close()  # nothing was committed


@pytest.mark.parametrize("change", BREAKING)
async def test_what_the_last_release_would_miss_is_seen(own_database: str, change: str) -> None:
    assert BREAKING[change] in await after(own_database, change)


@pytest.mark.parametrize("change", FITTING)
async def test_what_only_adds_fits_both(own_database: str, change: str) -> None:
    assert await after(own_database, change) == []
