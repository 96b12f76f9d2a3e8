"""The documented API against the real one: whatever Schemathesis thinks of, no 5xx and nothing undocumented."""

import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.fixtures import soaking
from tests.test_serve import House, filled_home, house

__all__ = ["filled_home", "house"]  # fixtures

# Semantics are ours to refuse: a schema cannot say that a cursor is forged or a link is spent.
_WITHOUT = "positive_data_acceptance"
# Every edge of every field, the same each time: a failure can be seen again. What chance thinks of is for the soak.
SEED = "246426747038585297437679010418563499790"
ORGANIZATION, PASSWORD = "harbour-theatre", "as-long-as-it-must-be"
OWNERS = 8  # by turns: one alone would ask too often, and most answers would be 429
BY_TURNS = """
import itertools, os, schemathesis

TOKENS = itertools.cycle(os.environ["TOKENS"].split())

@schemathesis.auth(refresh_interval=None)
class Owners:
    def get(self, case, context):
        return next(TOKENS)

    def set(self, case, data, context):
        case.headers["Authorization"] = f"Bearer {data}"
"""


@pytest.mark.req("OBS-2")
@pytest.mark.soak
def test_the_api_is_as_documented(house: House, tmp_path: Path) -> None:
    (tmp_path / "by_turns.py").write_text(BY_TURNS)
    tokens = " ".join(_owner(house, f"owner-{n}@example.org") for n in range(OWNERS))
    run = subprocess.run(
        [
            *(Path(sys.executable).with_name("st"), "run", f"http://127.0.0.1:{house.port}/api/openapi.json"),
            *(("--max-examples", "200") if soaking() else ("--seed", SEED)),
            *("--phases", "examples,coverage,fuzzing" if soaking() else "examples,coverage"),
            *("--checks", "all", "--exclude-checks", _WITHOUT),
            *("--request-timeout", "60"),  # an arena of seats is drawn in a second, or in ten beside other tests
            *("--exclude-path", "/api/auth/logout", "--exclude-path-regex", "/stream$", "--no-color"),  # those go on
        ],
        cwd=tmp_path,
        env={**os.environ, "SCHEMATHESIS_HOOKS": "by_turns", "PYTHONPATH": str(tmp_path), "TOKENS": tokens},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-20_000:] + run.stderr[-2000:]
    assert '"level": "error"' not in house.text, house.text[-3000:]


def _owner(house: House, email: str) -> str:
    """Somebody new who may do everything: their token."""
    who = ("--name", "Owner", "--org", ORGANIZATION, "--role", "owner", "--password", PASSWORD)
    subprocess.run(
        [sys.executable, "-m", "fullhouse", "user", "create", email, *who],
        env={**os.environ, "FULLHOUSE_HOME": str(house.home)}, check=True, capture_output=True,
    )  # fmt: skip
    sign_in = json.dumps({"organization": ORGANIZATION, "email": email, "password": PASSWORD}).encode()
    url, kind = f"http://127.0.0.1:{house.port}/api/auth/login", {"content-type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(url, sign_in, kind), timeout=10) as answer:
        token: str = json.load(answer)["data"]["token"]
    return token
