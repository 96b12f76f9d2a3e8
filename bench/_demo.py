"""A `fullhouse serve` of its own with its demo, for whoever looks at the pages: bench/ui.py, scripts/screenshots.py."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.services.servers import free_port
from tests.test_serve import House

HOUSE = "harbour-theatre"


@contextmanager
def demo_house() -> Iterator[tuple[str, dict[str, str]]]:
    """Its address, and everybody's password by their role."""
    home = Path(tempfile.mkdtemp(prefix="fh-", dir="/tmp"))  # a socket's path must be short
    home.chmod(0o755)
    house = House(home, free_port(), FULLHOUSE_LOG="error", PYTHONPATH=os.environ.get("PYTHONPATH", ""))
    try:
        house.wait_until_ready()
        house.wait_until_announced()
        lines = [line.split() for line in house.text.splitlines() if "@demo.example" in line]
        yield f"http://127.0.0.1:{house.port}", {role: password for role, _, password in lines}
    finally:
        house.stop()
        shutil.rmtree(home, ignore_errors=True)


def show_of(origin: str, title: str) -> dict[str, Any]:
    shows: list[dict[str, Any]] = httpx.get(f"{origin}/event/v1/events?limit=50").json()["data"]
    (found,) = [show for show in shows if show["title"] == title]
    return found


def page_of(origin: str, title: str) -> str:
    """The way to a show's page."""
    return f"{origin}/o/{HOUSE}/{show_of(origin, title)['slug']}"
