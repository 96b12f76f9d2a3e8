"""The documented API against the real one: whatever Schemathesis thinks of, no 5xx and nothing undocumented."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fullhouse.accounts import actions, passwords
from fullhouse.accounts.sign_in import actions as signing_in
from fullhouse.kit.postgres import Cluster
from fullhouse.processes import serve
from tests.fixtures import soaking
from tests.holds.helpers import a_process
from tests.services.servers import free_port
from tests.test_serve import House, filled_home

__all__ = ["filled_home"]  # a fixture

# Semantics are ours to refuse: a schema cannot say that a cursor is forged or a link is spent.
_WITHOUT = "positive_data_acceptance"
# Every edge of every field, the same each time: a failure can be seen again. What chance thinks of is for the soak.
SEED = "246426747038585297437679010418563499790"
ORGANIZATION, PASSWORD = "harbour-theatre", "as-long-as-it-must-be"
OWNERS = 24  # by turns, and from as many networks: one alone would ask too often, and most answers would be 429
BY_TURNS = """
import itertools, os, requests, schemathesis

TOKENS = itertools.cycle(os.environ["TOKENS"].split())
NETWORKS = itertools.cycle(f"198.18.{n}.1" for n in range(len(os.environ["TOKENS"].split())))
send = requests.Session.send

def from_elsewhere(session, request, **options):
    request.headers["X-Forwarded-For"] = next(NETWORKS)
    return send(session, request, **options)

requests.Session.send = from_elsewhere

@schemathesis.auth(refresh_interval=None)
class Owners:
    def get(self, case, context):
        return next(TOKENS)

    def set(self, case, data, context):
        case.headers["Authorization"] = f"Bearer {data}"
"""


@pytest.fixture
def house(filled_home: Path) -> Iterator[House]:
    opened = House(filled_home, free_port(), FULLHOUSE_TRUSTED_PROXIES="127.0.0.0/8")
    opened.wait_until_ready()
    opened.wait_until_announced()
    yield opened
    opened.stop()


@pytest.mark.req("OBS-2")
@pytest.mark.soak
def test_the_api_is_as_documented(house: House, tmp_path: Path) -> None:
    (tmp_path / "by_turns.py").write_text(BY_TURNS)
    tokens = " ".join(asyncio.run(_owners(house)))
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


async def _owners(house: House) -> list[str]:
    """People who are new there and may do everything: their tokens."""
    tokens = []
    url = Cluster(house.home).url(serve.LOGIN, serve.DATABASE)
    async with a_process(url, house.home) as services:
        organization = await signing_in.require_organization(services.database, ORGANIZATION)
        password_hash = await passwords.hash_password(PASSWORD)
        async with services.database.tenant(organization.id) as tx:
            for n in range(OWNERS):
                user = await actions.create_user(
                    tx, email=f"owner-{n}@example.org", name="Owner", role="owner", password_hash=password_hash
                )
                tokens.append((await signing_in.create_session(tx, organization, user, "password")).token)
    return tokens
