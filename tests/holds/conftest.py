"""A process with an engine, on the worker's database."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from fullhouse.kit.db import Database
from fullhouse.kit.services import Services
from tests.holds.helpers import a_finder, a_process


@pytest.fixture
async def process(server_url: str, tmp_path: Path) -> AsyncIterator[Services]:
    async with a_process(server_url, tmp_path) as services:
        yield services


@pytest.fixture
async def finder(server_url: str) -> AsyncIterator[Database]:
    async with a_finder(server_url) as database:
        yield database
