"""One server and one Chromium for all tests of a worker; an organisation and visitors for each test."""

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.async_api import Browser, expect

from fullhouse.kit.db.clock import MEASURE_EVERY_S
from tests.browser.chromium import Visit, Visitor, chromium, visitor
from tests.fixtures import SECRET_KEY, Client, Tenant
from tests.services.client import ADDRESS, ask
from tests.services.servers import free_port
from tests.test_serve import House, gone

expect.set_options(timeout=20_000)  # beside other tests a page may take its time


@pytest.fixture(scope="session")
def _own_database() -> dict[str, str]:
    """The server's, and nobody else's: its clock is moved, and its worker sweeps."""
    return ask("database", f"browser_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}")


@pytest.fixture(scope="session")
def owner_url(_own_database: dict[str, str]) -> str:
    return _own_database["owner_url"]


@pytest.fixture(scope="session")
def server_url(_own_database: dict[str, str]) -> str:
    return _own_database["server_url"]


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as opened:
        yield opened


@pytest.fixture(scope="session")
def house(browser: Browser, server_url: str, owner_url: str) -> Iterator[House]:
    """A real `fullhouse serve`, started only where there is a browser to look at it."""
    home = Path(tempfile.mkdtemp(dir=Path(os.environ[ADDRESS]).parent))
    port = free_port()
    opened = House(
        home,
        port,
        DATABASE_URL=server_url,
        DATABASE_OWNER_URL=owner_url,
        FULLHOUSE_SECRET_KEY=SECRET_KEY,
        FULLHOUSE_PROCESSES="1",
        FULLHOUSE_WEBHOOKS_PRIVATE="yes",  # a test receives them on this machine
        PYTHONPATH=os.environ.get("PYTHONPATH", ""),
    )
    opened.wait_until_ready()
    yield opened
    family = opened.family()
    opened.stop()
    assert gone(family), opened.text


@pytest.fixture
async def _time_is_known_again(house: House) -> AsyncIterator[None]:
    """The server measures the database's time now and then: the next test's places would be over before they began."""
    yield
    await asyncio.sleep(MEASURE_EVERY_S + 1)


@pytest.fixture
def clock(_time_is_known_again: None, clock: Callable[..., Any]) -> Callable[..., Any]:
    return clock


@pytest.fixture
def origin(house: House) -> str:
    return f"http://127.0.0.1:{house.port}"


@pytest.fixture
async def visit(browser: Browser, origin: str) -> AsyncIterator[Visit]:
    """`await visit("/o/…", color_scheme="dark")`: somebody new, at that page, or nowhere yet. What they saw is checked
    at the end."""
    async with AsyncExitStack() as stack:
        made: list[Visitor] = []

        async def open_page(path: str | None = None, *, clock: bool = False, **options: Any) -> Visitor:
            one = await stack.enter_async_context(visitor(browser, origin, **options))
            made.append(one)
            if clock:
                await one.page.clock.install()
            if path:
                await one.go(path)
            return one

        yield open_page
        await asyncio.sleep(0)
        for one in made:
            one.check()


class Remote(Client):
    """Speaks to the server as a program would; `as_(token)` is the same, signed in."""

    def __init__(self, origin: str, token: str | None = None) -> None:
        self._origin = origin
        headers = {"authorization": f"Bearer {token}"} if token else {}
        httpx.AsyncClient.__init__(
            self, base_url=origin, headers=headers, timeout=30, verify=False
        )  # it speaks plain HTTP

    def as_(self, token: str) -> "Remote":
        return Remote(self._origin, token)


@pytest.fixture
async def client(origin: str) -> AsyncIterator[Client]:
    async with Remote(origin) as opened:
        yield opened


@pytest.fixture
def staff(client: Client, tenant: Tenant) -> Client:
    """Prepares what the visitors find."""
    return client.as_(tenant.tokens["owner"])
