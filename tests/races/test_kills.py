"""Kill -9 next to each commit and each call to the provider: no double charge, no lost ticket, the ledger balances."""

import asyncio
import signal
import sys
from pathlib import Path

import msgspec
import pytest

from fullhouse.kit.db import WORKER, Database
from fullhouse.payments import jobs as payment_jobs
from tests.races import killed
from tests.races.arena import arena
from tests.races.test_checkout import begin, buy, shop

PEOPLE = 5
COMMITS = 3  # the order is placed; the provider has charged; it is settled


@pytest.mark.fault
@pytest.mark.req("BUY-2", "BUY-3", "BUY-4")
@pytest.mark.parametrize("which", range(1, COMMITS + 1))
@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_killed_purchase_is_whole_or_absent(tmp_path: Path, when: str, which: int) -> None:
    async with arena(tmp_path, 2) as at:
        to = await shop(at, rows=1, pit=20, quantity=20)
        begun = [await begin(to, 2 * n) for n in range(PEOPLE)]
        wishes = [killed.Wish(at.tenant.id, who.id, session.id) for who, session in begun]
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.races.killed", at.url, str(tmp_path), when, str(which),
            msgspec.json.encode(wishes).decode(),
        )  # fmt: skip
        async with asyncio.timeout(60):
            assert await process.wait() == -signal.SIGKILL

        charges = await at.owner.fetchval("SELECT count(*) FROM test_charges WHERE status = 'captured'")
        if which < COMMITS:  # there some may not have been charged yet
            assert charges == (PEOPLE if (when, which) == ("after", 2) else 0)
        paid = await at.owner.fetchval("SELECT count(*) FROM orders WHERE status = 'paid'")
        assert (paid > 0) == ((when, which) == ("after", COMMITS))
        assert {name for name in await at.wrong() if name != "on time"} == set()

        # A while later: whoever asks about payments does, and everybody comes back with the same key.
        await at.owner.execute("UPDATE payment_attempts SET ask_at = now()")
        finder = await Database.open(at.url, WORKER, size=1)
        await payment_jobs.sweep_attempts(finder, at.processes[0])
        await finder.close()
        for n, (who, session) in enumerate(begun):
            answer = await buy(to, n, who, session, key=killed.KEY)
            if answer == "payment_declined":  # it had never reached the provider
                assert (when, which) in (("after", 1), ("before", 2), ("before", 3), ("after", 3))
                answer = await buy(to, n, who, session, key="another")
            assert answer == "paid"
        assert await at.owner.fetchval("SELECT count(*) FROM test_charges WHERE status = 'captured'") == PEOPLE
        booked = await at.owner.fetchval("SELECT sum(amount) FROM ledger_entries WHERE account = 'provider:test'")
        assert booked == 2000 * PEOPLE
        assert await at.owner.fetchval("SELECT count(*) FROM tickets") == 2 * PEOPLE
        assert await at.wrong() == {}
