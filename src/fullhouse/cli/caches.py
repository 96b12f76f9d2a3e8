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
from fullhouse.holds.mirror import consistency as mirror_consistency
from fullhouse.holds.mirror import writer
from fullhouse.kit.db.database import WORKER, Database
from fullhouse.kit.errors import OperatorError
from fullhouse.kit.services import Services, open_parts, open_services
from fullhouse.kit.telemetry.telemetry import use_command_logging
from fullhouse.kit.terminal import print_message
from fullhouse.processes import serve
from fullhouse.seating.maps.geometry import unpack_states
from fullhouse.seating.maps.seat_states import SeatStateCache

Work = Callable[[Services, Database], Awaitable[int]]
REQUESTS_PER_PROCESS = 4  # requests for each API process, so that probably all of them are compared
TRIES = 5  # to write to Redis, a second apart
TIMEOUT_S = 5.0  # for one call to Redis; long, because no buyer waits for it


def rebuild(settings: Config, args: argparse.Namespace) -> int:
    async def run(services: Services, finder: Database) -> int:
        if not services.redis.configured:
            raise OperatorError("REDIS_URL is not set, so there is no mirror to rebuild.")
        if args.event is None:
            rebuilt = await jobs.rebuild_redis_mirror(services, finder)
            print_message(f"{rebuilt.written} events were written to Redis")
            for event in rebuilt.failed:
                print_message(f"{event.event_id} was not written")
            return 1 if rebuilt.failed else 0
        organization_id = await _require_organization(services, args.event)
        for _ in range(TRIES):
            if await writer.rebuild(services, organization_id, args.event):
                print_message("the event was written to Redis")
                return 0
            await asyncio.sleep(1)
        raise OperatorError("Redis is unavailable.")

    return _with_services(settings, run)


def check(settings: Config, args: argparse.Namespace) -> int:
    async def run(services: Services, _finder: Database) -> int:
        organization_id = await _require_organization(services, args.event)
        wrong = await mirror_consistency.find_differences(services, organization_id, args.event)
        states = await services.part(SeatStateCache).read_fresh(organization_id, args.event)
        if states:
            wrong += await _compare_memory(settings, args.event, states.public_states)
        for sentence in wrong:
            print(sentence)
        print_message(f"{len(wrong)} differences" if wrong else "memory, Redis and database agree")
        return 1 if wrong else 0

    return _with_services(settings, run)


async def _compare_memory(settings: Config, event_id: UUID, expected: Any) -> list[str]:
    """Compares the seat states in the memory of this machine's API processes. The kernel chooses which one responds."""
    address = f"http://{settings.host}:{settings.port}/api/events/{event_id}/availability"
    wrong: set[str] = set()
    for _ in range(REQUESTS_PER_PROCESS * settings.processes):
        try:
            packed, tag = await asyncio.to_thread(_fetch_states, address)
        except OSError as error:
            print_message(f"memory was not compared: the API did not respond ({error})")
            break
        actual = unpack_states(packed, len(expected))
        wrong |= {
            f"memory ({tag.partition('-')[0]}): seat {n} is in state {actual[n]}, not {expected[n]}"
            for n in np.flatnonzero(actual != expected).tolist()
        }
    return sorted(wrong)


def _fetch_states(address: str) -> tuple[bytes, str]:
    with urllib.request.urlopen(address, timeout=5) as response:  # noqa: S310 (our own address)
        return response.read(), response.headers["etag"].strip('"')


async def _require_organization(services: Services, event_id: UUID) -> UUID:
    found = await wiring.find_organization_of(services, {"event_id": event_id})
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
                secret_key=config.load_secret_key(settings),
                files=wiring.file_storage(settings),
                public_url=settings.public_url,
                pool_size=2,
                warm_timeout_s=TIMEOUT_S,
            ) as services,
            open_parts(services, (SeatStateCache,)),
        ):
            finder = await Database.open(urls.serving, WORKER, size=1)
            try:
                return await work(services, finder)
            finally:
                await finder.close()

    with use_command_logging(), serve.open_database(settings) as (urls, _), serve.reporting_database_errors():
        return asyncio.run(run(urls))
