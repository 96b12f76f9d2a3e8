"""Where races are run: a database of the test's own, several processes' worth of engines on it, and a way to take a
guard away and see what it was good for.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import asyncpg

from fullhouse import prove
from fullhouse.holds.engine import Engine, HoldRequest, Results
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from tests.fixtures import Tenant, make_tenant
from tests.holds.helpers import a_process
from tests.kit.helpers import until
from tests.services.client import ask

# A guard is a piece of a function's text, and what is left of it without.
SEAT_LOCK = ("app.judge_hold", "FOR UPDATE OF s SKIP LOCKED", "")
POOL_LOCK = ("app.lock_for_hold", "ORDER BY p.event_id, p.kind, p.ref_id FOR UPDATE", "")
PEOPLE_LOCK = ("app.lock_for_hold", "PERFORM pg_advisory_xact_lock(k.key)", "PERFORM k.key")
# Whoever holds something below HTTP has no account: everybody gets one before a proof asks for it.
SIGN_UP = """
WITH people AS (
    INSERT INTO users (id, organization_id, name, role)
    SELECT h.user_id, h.organization_id, 'Somebody', 'customer'
    FROM (SELECT user_id, organization_id FROM seat_holds
          UNION SELECT user_id, organization_id FROM waitlist_entries
          UNION SELECT user_id, organization_id FROM checkout_sessions
          UNION SELECT user_id, organization_id FROM queue_entries) h
    WHERE NOT EXISTS (SELECT FROM users u WHERE u.organization_id = h.organization_id AND u.id = h.user_id)
    RETURNING id, organization_id
)
INSERT INTO audit_log (id, organization_id, actor_type, action, entity_type, entity_id)
SELECT gen_random_uuid(), organization_id, 'system', 'user.created', 'user', id FROM people
"""
STILL_LIVE = ("app.end_holds", "AND h.status IN ('active', 'suspended')", "")


class Arena(NamedTuple):
    url: str
    owner: Any
    tenant: Tenant
    processes: list[Services]

    async def hold(self, ask: HoldRequest, process: int | None = None) -> Results:
        """By one of the processes: whichever the load balancer thinks of."""
        chosen = random.choice(self.processes) if process is None else self.processes[process]
        return await chosen.part(Engine).hold(self.tenant.id, ask)

    async def together(self, asks: Sequence[Coroutine[Any, Any, Results]]) -> Sequence[Results]:
        """One in each process: nobody writes before all of them wait, for a lock of a guard or at the table itself."""
        waiting = """
        SELECT count(DISTINCT pid) FROM pg_locks
        WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        """
        async with self.owner.transaction():
            await self.owner.execute("LOCK TABLE seat_holds IN SHARE MODE")
            tasks = [asyncio.create_task(ask) for ask in asks]

            async def all_wait() -> bool:
                return bool(await self.owner.fetchval(waiting) == len(tasks))

            await until(all_wait, 20)
        return await asyncio.gather(*tasks)

    async def remove(self, guard: tuple[str, str, str]) -> None:
        name, text, without = guard
        function = await self.owner.fetchval(f"SELECT pg_get_functiondef('{name}'::regproc)")
        assert text in function, "the guard has another shape now: the mutant must follow it"
        await self.owner.execute(function.replace(text, without))

    async def wrong(self) -> dict[str, list[str]]:
        """What `fullhouse prove` finds here, by the name of the check."""
        await self.owner.execute(SIGN_UP)
        return {check.name: found for check, found in (await prove.run(self.url)).items() if found}


@asynccontextmanager
async def arena(home: Path, processes: int = 1, given: Mapping[type[Any], Any] | None = None) -> AsyncIterator[Arena]:
    name = f"race_{new_id().hex}"
    urls = ask("database", name)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(_drop, name)
        running = [
            await stack.enter_async_context(a_process(urls["server_url"], home, given)) for _ in range(processes)
        ]
        owner = await asyncpg.connect(urls["owner_url"])
        stack.push_async_callback(owner.close)
        yield Arena(urls["server_url"], owner, await make_tenant(running[0]), running)


async def _drop(name: str) -> None:
    """A run has more than a hundred of them: left to its end they would fill the memory that it is in."""
    connection = await asyncpg.connect(ask("postgres")["url"])
    await connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await connection.close()
