"""Commands for the mirror in Redis: rebuild it, and compare memory, Redis and database."""

import argparse
import asyncio
import urllib.request
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

import numpy as np

from fullhouse import config, wiring
from fullhouse.config import Config
from fullhouse.holds import jobs
from fullhouse.holds.mirror import checks as mirror_checks
from fullhouse.holds.mirror import warm
from fullhouse.kit.db.database import WORKER, Database
from fullhouse.kit.errors import OperatorError
from fullhouse.kit.services import Services, open_parts, open_services
from fullhouse.kit.telemetry.telemetry import logs_of_a_command
from fullhouse.kit.terminal import say
from fullhouse.processes import serve
from fullhouse.seating.maps.geometry import unpack_states
from fullhouse.seating.maps.halls import Halls

Work = Callable[[Services, Database], Awaitable[int]]
ASKED = 4  # requests for each API process, so that probably all of them are compared
TRIES = 5  # to write to Redis, a second apart
PATIENCE_S = 5.0  # for one call to Redis; long, because no buyer waits for it


def rebuild(settings: Config, args: argparse.Namespace) -> int:
    async def run(services: Services, finder: Database) -> int:
        if not services.warm.configured:
            raise OperatorError("REDIS_URL is not set, so there is no mirror to rebuild.")
        if args.event is None:
            rebuilt = await jobs.rebuild_warm(services, finder)
            say(f"{rebuilt.written} events were written to Redis")
            for event in rebuilt.failed:
                say(f"{event.event_id} was not written")
            return 1 if rebuilt.failed else 0
        organization_id = await _owner(services, args.event)
        for _ in range(TRIES):
            if await warm.rebuild(services, organization_id, args.event):
                say("the event was written to Redis")
                return 0
            await asyncio.sleep(1)
        raise OperatorError("Redis is unavailable.")

    return _with_services(settings, run)


def check(settings: Config, args: argparse.Namespace) -> int:
    async def run(services: Services, _finder: Database) -> int:
        organization_id = await _owner(services, args.event)
        wrong = await mirror_checks.check(services, organization_id, args.event)
        states = await services.part(Halls).read(organization_id, args.event)
        if states:
            wrong += await _memory(settings, args.event, states.shown)
        for sentence in wrong:
            print(sentence)
        say(f"{len(wrong)} differences" if wrong else "memory, Redis and database agree")
        return 1 if wrong else 0

    return _with_services(settings, run)


async def _memory(settings: Config, event_id: UUID, expected: Any) -> list[str]:
    """Compares the seat states in the memory of this machine's API processes. The kernel chooses which one responds."""
    address = f"http://{settings.host}:{settings.port}/api/events/{event_id}/availability"
    wrong: set[str] = set()
    for _ in range(ASKED * settings.processes):
        try:
            packed, tag = await asyncio.to_thread(_ask, address)
        except OSError as error:
            say(f"memory was not compared: the API did not respond ({error})")
            break
        actual = unpack_states(packed, len(expected))
        wrong |= {
            f"memory ({tag.partition('-')[0]}): seat {n} is in state {actual[n]}, not {expected[n]}"
            for n in np.flatnonzero(actual != expected).tolist()
        }
    return sorted(wrong)


def _ask(address: str) -> tuple[bytes, str]:
    with urllib.request.urlopen(address, timeout=5) as response:  # noqa: S310 (our own address)
        return response.read(), response.headers["etag"].strip('"')


async def _owner(services: Services, event_id: UUID) -> UUID:
    found = await wiring.organization_of(services, {"event_id": event_id})
    if found is None:
        raise OperatorError(f"There is no event {event_id}.")
    return found


def _with_services(settings: Config, work: Work) -> int:
    async def run(urls: serve.Urls) -> int:
        async with (
            open_services(
                url=urls.serving,
                read_url=None,
                redis_url=settings.redis_url,
                secret_key=config.secret_key(settings),
                files=wiring.files(settings),
                public_url=settings.public_url,
                pool_size=2,
                warm_timeout_s=PATIENCE_S,
            ) as services,
            open_parts(services, (Halls,)),
        ):
            finder = await Database.open(urls.serving, WORKER, size=1)
            try:
                return await work(services, finder)
            finally:
                await finder.close()

    with logs_of_a_command(), serve.database(settings) as (urls, _), serve.answering():
        return asyncio.run(run(urls))
