"""What was written is read at once in this process, and soon in the others, however far a replica is behind."""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from fullhouse.accounts import actions as accounts
from fullhouse.accounts.model import ChangeOrganization
from fullhouse.events import actions
from fullhouse.events.jobs import move_due_events
from fullhouse.events.model import Event
from fullhouse.events.policy import Move
from fullhouse.events.public import reads as public_reads
from fullhouse.events.venues import actions as venue_actions
from fullhouse.kit.db.database import WORKER, Database
from fullhouse.kit.db.replica import ReadRouter
from fullhouse.kit.ids import new_id
from tests.events.helpers import DAY, HOUR
from tests.events.kept_reads import Clock, Process, gives, here, read_all, redis, start
from tests.fixtures import Tenant
from tests.kit.helpers import until
from tests.services.servers import Server

__all__ = ["here", "redis", "start"]  # fixtures

pytestmark = pytest.mark.req("FEED-4", "CACHE-1")


async def _end_by_the_clock(process: Process, _event: Event, server_url: str, clock: Clock) -> None:
    await clock(30 * DAY + HOUR)
    finder = await Database.open(server_url, WORKER, size=1)
    try:
        await move_due_events(finder, process.services.database)
    finally:
        await finder.close()


async def _postponed(process: Process) -> Event:
    return await process.make(Move.PUBLISH, Move.POSTPONE)


async def _published(process: Process) -> Event:
    return await process.make(Move.PUBLISH)


async def _drafted(process: Process) -> Event:
    return await process.make()


Change = tuple[Callable[[Process], Awaitable[Event]], Callable[[Process, Event], Awaitable[Any]]]
CHANGES: dict[str, Change] = {
    "publish": (_drafted, lambda p, e: p.move(e, Move.PUBLISH)),
    "patch": (_published, lambda p, e: p.change(e, name="King Lear")),
    "cancel": (_published, lambda p, e: p.move(e, Move.CANCEL)),
    "unpublish": (_published, lambda p, e: p.move(e, Move.UNPUBLISH)),
    "start": (_published, lambda p, e: p.move(e, Move.START)),
    "postpone": (_published, lambda p, e: p.move(e, Move.POSTPONE)),
    "reschedule": (_postponed, lambda p, e: p.move(e, Move.RESCHEDULE, new_date=e.start_at + DAY)),
    "postponed and published": (
        _postponed,
        lambda p, e: _then(p.move(e, Move.RESCHEDULE, new_date=e.start_at + DAY), p.move(e, Move.PUBLISH)),
    ),
}


async def _then(*steps: Awaitable[Any]) -> None:
    for step in steps:
        await step


async def _truth(process: Process, event: Event) -> list[Any]:
    """The same with nothing remembered."""
    process.services.bus.deliver([("resync", None)])
    return await read_all(process, event)


@pytest.mark.parametrize("change", CHANGES)
async def test_the_next_read_in_this_process_shows_the_change(here: Process, change: str) -> None:
    prepare, do = CHANGES[change]
    event = await prepare(here)
    before = await read_all(here, event)
    await do(here, event)
    after = await read_all(here, event)
    assert after != before
    assert after == await _truth(here, event)


async def test_what_the_clock_does_is_a_change_too(here: Process, server_url: str, clock: Clock) -> None:
    event = await here.make(Move.PUBLISH)
    assert (await here.show(event)).phase == "published"  # type: ignore[union-attr]
    await _end_by_the_clock(here, event, server_url, clock)
    assert (await here.show(event)).phase == "live"  # type: ignore[union-attr]
    assert [s.status for s in await public_reads.list_upcoming(here.services, here.tenant.id, None)] == ["live"]


@pytest.mark.parametrize("redis_too", [False, True])
async def test_another_process_soon_shows_the_change(start: Any, redis: Server, redis_too: bool) -> None:
    url = redis.url if redis_too else None
    here, there = await start(url), await start(url)
    event = await here.make(Move.PUBLISH)
    for process in (here, there):
        await read_all(process, event)
    await here.change(event, name="King Lear")

    async def shown() -> bool:
        show, summary = await there.show(event), await there.summary(event)
        lists = [await there.titles(), await there.upcoming(), await there.upcoming(event.venue_id)]
        return show.title == summary.name == "King Lear" and lists == [["King Lear"]] * 3

    await until(shown)
    await here.move(event, Move.CANCEL)

    async def gone() -> bool:
        lists = [await there.titles(), await there.upcoming(), await there.upcoming(event.venue_id)]
        return await there.show(event) is None and lists == [[]] * 3 and not await there.suggested()

    await until(gone)
    assert await read_all(there, event) == await read_all(here, event)


async def test_a_change_that_is_rolled_back_is_none(here: Process) -> None:
    event = await here.make(Move.PUBLISH)
    before = await read_all(here, event)
    asked = here.asked
    with pytest.raises(ZeroDivisionError):
        async with here.services.database.tenant(here.tenant.id) as tx:
            await actions.move_event(tx, event.id, Move.CANCEL, reason="a test")
            raise ZeroDivisionError
    assert await read_all(here, event) == before
    assert here.asked == asked + 1


async def test_a_city_comes_and_goes_with_its_only_show(here: Process) -> None:
    assert not await here.suggested()
    first = await here.make(Move.PUBLISH)
    assert await here.suggested()
    second = await here.make(Move.PUBLISH, name="Another")
    await here.move(first, Move.CANCEL)
    assert await here.suggested()
    elsewhere = await here.venue(city=f"Dorp {new_id().hex[-10:]}", name="Barn")
    await here.change(second, venue_id=elsewhere, reason="storm")
    assert not await here.suggested()


async def test_a_show_that_moves_leaves_its_old_venues_list(here: Process) -> None:
    event = await here.make(Move.PUBLISH)
    other = await here.venue(name="Barn")
    assert [await here.upcoming(event.venue_id), await here.upcoming(other)] == [["The Tempest"], []]
    await here.change(event, venue_id=other, reason="storm")
    assert [await here.upcoming(event.venue_id), await here.upcoming(other)] == [[], ["The Tempest"]]


async def test_a_deleted_venue_has_no_shows(here: Process) -> None:
    event = await here.make(Move.PUBLISH)
    assert await here.upcoming(event.venue_id) == ["The Tempest"]
    assert (await here.summary(event)).venue_id == event.venue_id
    async with here.services.database.tenant(here.tenant.id) as tx:
        assert event.venue_id
        await venue_actions.delete_venue(tx, event.venue_id, None)
    assert await here.upcoming(event.venue_id) == []
    assert (await here.summary(event)).venue_id is None


async def test_a_house_that_is_renamed_is_shown_by_its_new_name(here: Process) -> None:
    event = await here.make(Move.PUBLISH)
    assert (await here.show(event)).organization_name == "Test House"  # type: ignore[union-attr]
    async with here.services.database.tenant(here.tenant.id) as tx:
        await accounts.change_organization(tx, ChangeOrganization(name="New House"))
    assert (await here.show(event)).organization_name == "New House"  # type: ignore[union-attr]


@pytest.mark.req("TEN-2")
async def test_a_suspended_houses_shows_vanish_and_come_back(here: Process, start: Any) -> None:
    there = await start()
    seen, unseen = await here.make(Move.PUBLISH), await here.make(Move.PUBLISH, name="Unseen")
    for process in (here, there):
        assert await process.show(seen)
        assert await process.titles() == ["The Tempest", "Unseen"]
        assert await process.suggested()
    await here.suspend("suspended")
    for process in (here, there):
        await until(lambda p=process: gives(p.titles(), []))  # type: ignore[misc]
        assert [await process.show(seen), await process.show(unseen), await process.suggested()] == [None, None, False]
    await here.suspend("active")
    for process in (here, there):
        await until(lambda p=process: gives(p.titles(), ["The Tempest", "Unseen"]))  # type: ignore[misc]
        assert await process.suggested()
        assert await process.show(seen)
        assert await process.show(unseen)  # its absence must not be remembered either


@pytest.mark.req("FEED-6")
async def test_who_wrote_reads_it_however_far_the_replica_is_behind(
    here: Process, server_url: str, tenant: Tenant
) -> None:
    event = await here.make(Move.PUBLISH)
    behind = await Database.open(server_url, size=1)
    asked: list[str] = []

    class Behind:
        def without_tenant(self) -> Any:
            asked.append("replica")
            return behind.without_tenant()

    reads = ReadRouter(here.services.database, Behind(), here.services.bus)  # type: ignore[arg-type]
    services = msgspec.structs.replace(here.services, reads=reads)
    try:
        assert await public_reads.require_public_event(services, event.id)
        assert asked
        before = len(asked)
        await here.change(event, name="King Lear")
        shown = (await public_reads.require_public_event(services, event.id)).event
        assert (shown.title, len(asked)) == ("King Lear", before)
    finally:
        await behind.close()
