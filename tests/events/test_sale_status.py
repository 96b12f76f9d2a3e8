"""The sale status of a show that is kept follows the clock, as the database would say it."""

import itertools
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import asyncpg
import msgspec
import pytest

from fullhouse.events import store
from fullhouse.events.policy import Move
from fullhouse.events.public import reads
from fullhouse.events.public.reads import Filters
from fullhouse.events.sale import policy
from fullhouse.kit.text import fold
from tests.events.helpers import DAY, HOUR
from tests.events.kept_reads import Clock, Process, here

__all__ = ["here"]  # fixtures

pytestmark = pytest.mark.req("FEED-4", "CACHE-1", "EV-17")
MINUTE = timedelta(minutes=1)


@pytest.mark.req("EV-5")
async def test_a_kept_show_is_on_sale_from_the_minute_on(here: Process, clock: Clock) -> None:
    async with here.services.database.without_tenant() as tx:
        now = await tx.now()
    event = await here.make(Move.PUBLISH, sale_start_at=now + HOUR, sale_end_at=now + 2 * HOUR)
    asked = None
    for shift, word in ((0 * MINUTE, "upcoming"), (61 * MINUTE, "on_sale"), (121 * MINUTE, "closed")):
        await clock(shift)
        await here.services.clock.measure()
        assert (await here.show(event)).sale_status == word  # type: ignore[union-attr]
        page = await reads.feed(
            here.services, Filters(fold(here.city), None, None, None, None, None), "latest", None, 50
        )
        assert [show.sale_status for show in page.data] == [word]
        assert here.asked == asked or asked is None  # nobody wrote, and nobody was asked
        asked = here.asked


@pytest.fixture
async def own_time(owner: Any) -> AsyncIterator[Any]:
    """A connection that sets its clock itself, and of which nothing is left."""
    transaction = owner.transaction()
    await transaction.start()
    await owner.execute(
        "CREATE OR REPLACE FUNCTION app.clock() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE"
        " RETURN current_setting('test.clock')::timestamptz"
    )
    yield owner
    await transaction.rollback()


@pytest.mark.req("EV-5")
async def test_both_who_work_out_the_sale_status_say_the_same(here: Process, own_time: Any) -> None:
    """The policy for what is cached, and the view for what is filtered: cell by cell, and at the very edges."""
    event = await here.make(Move.PUBLISH)
    step = timedelta(microseconds=1)
    first, last = event.sale_start_at, event.sale_end_at
    edges = first, first + 2 * DAY, last - 2 * DAY, last - 2 * step, last
    moments = [edge + away for edge in edges for away in (-DAY, -step, timedelta(), step, DAY)]
    dates, words = (None, event.start_at + DAY), set()
    phases = ("published", "live", "postponed")
    gap = [asyncpg.Range(a, b, upper_inc=True) for a, b in (edges[:2], edges[2:4])]
    left: list[tuple[bool, Any]] = [(False, None), (True, None), (False, gap)]
    for phase, date, tickets, (sold_out, selling) in itertools.product(phases, dates, (True, False), left):
        await own_time.execute(
            "UPDATE public_events SET status = $2, rescheduled_at = $3, has_tickets = $4, sold_out = $5,"
            " selling = $6 WHERE event_id = $1",
            event.id,
            phase,
            date,
            tickets,
            sold_out,
            selling,
        )
        for now in moments:
            await own_time.execute("SELECT set_config('test.clock', $1, true)", now.isoformat())
            show = await store.find_public_event(own_time, event.id)
            assert show
            unsaid = msgspec.structs.replace(show, sale_status="?")
            assert policy.refresh_sale_status(unsaid, now) == show, (phase, date, tickets, sold_out, selling, now)
            words.add(show.sale_status)
    assert words == {"upcoming", "on_sale", "sold_out", "suspended", "closed"}
