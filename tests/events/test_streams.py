"""Shows as they change, over Server-Sent Events: `events:org:{org}` and `events:event:{event}`."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest

from fullhouse import wiring
from fullhouse.events import actions
from fullhouse.events.model import Event, EventSummary
from fullhouse.events.policy import Move
from fullhouse.kit.http.lanes import LaneRouter
from fullhouse.kit.ids import new_id
from fullhouse.kit.live.bus import RESYNC
from fullhouse.kit.media.files import Disk
from fullhouse.kit.messages import outbox
from fullhouse.kit.services import Services, open_services
from tests.events.helpers import make_show
from tests.fixtures import PUBLIC_URL, SECRET_KEY, Client, Tenant, make_tenant, run_application, settings
from tests.kit.helpers import until
from tests.kit.sse import Listener, Message, listening

ORG = "/api/org/stream"


@pytest.fixture(params=["notify", "redis"])
def redis(request: pytest.FixtureRequest) -> str | None:
    url: str | None = request.getfixturevalue("redis_url") if request.param == "redis" else None
    return url


@pytest.fixture
async def reading(redis: str | None, server_url: str, owner_url: str, tmp_path: Path) -> AsyncIterator[LaneRouter]:
    """The process that people read from."""
    more = {"REDIS_URL": redis} if redis else {}
    async with run_application(settings(server_url, owner_url, home=str(tmp_path), **more)) as running:
        yield running


@pytest.fixture
async def writing(redis: str | None, server_url: str, tmp_path: Path) -> AsyncIterator[Services]:
    """Another process, in which shows change."""
    outbox.wire(wiring.SYNC)
    async with open_services(
        url=server_url,
        read_url=None,
        redis_url=redis,
        secret_key=SECRET_KEY,
        files=Disk(tmp_path / "images"),
        public_url=PUBLIC_URL,
        pool_size=4,
    ) as opened:
        yield opened


async def move(services: Services, tenant: Tenant, event: Event, *moves: Move, **more: Any) -> None:
    async with services.database.tenant(tenant.id, tenant.principal("owner").actor) as tx:
        for each in moves:
            await actions.move_event(tx, event.id, each, **{"reason": "a test"} | more)


async def caught_up(reading: LaneRouter, writing: Services, tenant: Tenant) -> None:
    """The other process has heard all that was told before: news come in their order."""
    heard = asyncio.Event()
    drop = reading.wide.state.services.bus.subscribe("tests:caught_up", lambda *_: heard.set())
    async with writing.database.tenant(tenant.id) as tx:
        tx.publish("tests:caught_up", None)
    async with asyncio.timeout(20):
        await heard.wait()
    drop()


def path(event: Event | UUID) -> str:
    return f"/api/events/{event.id if isinstance(event, Event) else event}/stream"


def told(message: Message) -> tuple[str, str, str]:
    return message.data["fact"], message.data["old_status"], message.data["new_status"]


async def named(stream: Listener, name: str) -> Message:
    while (message := await stream.next()).data.get("fact") != name:
        pass
    return message


# --- from another process


@pytest.mark.req("EV-12")
async def test_the_organisation_hears_of_every_show(reading: LaneRouter, writing: Services) -> None:
    tenant = await make_tenant(writing)
    running = await make_show(writing, tenant, Move.PUBLISH, slug="running")
    await make_show(writing, tenant, slug="a-draft", name="A draft")
    await caught_up(reading, writing, tenant)
    async with listening(reading, ORG, token=tenant.tokens["staff"]) as stream:
        first = await stream.next()
        assert first.event == "snapshot"
        assert [(show["id"], show["slug"], show["status"]) for show in first.data["events"]] == [
            (str(running.id), "running", "published")
        ]
        assert {*first.data["events"][0]} == {*EventSummary.__struct_fields__}
        made = await make_show(writing, tenant, Move.PUBLISH, slug="new", name="New")
        await move(writing, tenant, running, Move.POSTPONE, reason="Storm. Ask Ana, 555-0100")
        place, *news = [await stream.next() for _ in range(4)]
    assert (place.event, place.data["venue_id"]) == ("venue", str(made.venue_id))
    assert [(message.event, *told(message)) for message in news] == [
        ("event", "event.created", "draft", "draft"),
        ("event", "event.published", "draft", "published"),
        ("event", "event.postponed", "published", "postponed"),
    ]
    assert [message.data["event_id"] for message in news] == [str(made.id), str(made.id), str(running.id)]


@pytest.mark.req("EV-12")
async def test_the_public_hears_of_one_show_and_no_more_than_it_may_know(
    reading: LaneRouter, writing: Services
) -> None:
    tenant = await make_tenant(writing)
    event = await make_show(writing, tenant, Move.PUBLISH)
    await caught_up(reading, writing, tenant)
    async with listening(reading, path(event)) as stream, Client(reading) as client:
        first = await stream.next()
        shown = (await client.get(f"/event/v1/events/{event.id}")).json()["data"]
        assert (first.event, first.data) == ("snapshot", shown | {"owner_id": None, "seats": None})
        await make_show(writing, tenant, Move.PUBLISH, slug="another", name="Another")
        await move(writing, tenant, event, Move.POSTPONE, reason="Storm. Ask Ana, 555-0100")
        message = await named(stream, "event.postponed")
        assert (message.event, message.data) == (
            "event",
            {
                "fact": "event.postponed",
                "event_id": str(event.id),
                "old_status": "published",
                "new_status": "postponed",
                "rescheduled_at": None,
                "replaced_by_event_id": None,
            },
        )
        assert b"555-0100" not in stream.whole
        assert str(tenant.people["owner"].id).encode() not in stream.whole


@pytest.mark.req("EV-12")
@pytest.mark.parametrize("end", [Move.CANCEL, Move.UNPUBLISH])
async def test_a_show_that_is_public_no_more_says_so_and_ends(
    reading: LaneRouter, writing: Services, end: Move
) -> None:
    tenant = await make_tenant(writing)
    event = await make_show(writing, tenant, Move.PUBLISH)
    await caught_up(reading, writing, tenant)
    async with listening(reading, path(event)) as stream:
        first = await stream.next()
        await move(writing, tenant, event, end)
        *_, last = await stream.rest()
        assert last.data["new_status"] == ("cancelled" if end is Move.CANCEL else "draft")
    for seen in (None, first.id, last.id):
        async with listening(reading, path(event), last=seen) as stream:
            assert (stream.status, msgspec.json.decode(stream.whole)["code"]) == (404, "event_not_found")


@pytest.mark.req("EV-12", "TEN-2")
async def test_another_organisations_shows_are_never_heard_of(reading: LaneRouter, writing: Services) -> None:
    mine, theirs = await make_tenant(writing), await make_tenant(writing)
    await caught_up(reading, writing, mine)
    async with listening(reading, ORG, token=mine.tokens["owner"]) as stream:
        assert (await stream.next()).data == {"events": []}
        await make_show(writing, theirs, Move.PUBLISH, Move.CANCEL)
        own = await make_show(writing, mine)
        place = await stream.next()
        assert (place.event, place.data["venue_id"]) == ("venue", str(own.venue_id))
        assert (await stream.next()).data["event_id"] == str(own.id)
        assert str(theirs.id).encode() not in stream.whole


@pytest.mark.req("EV-12")
async def test_what_was_rolled_back_was_never_told(reading: LaneRouter, writing: Services) -> None:
    tenant = await make_tenant(writing)
    event = await make_show(writing, tenant, Move.PUBLISH)
    await caught_up(reading, writing, tenant)
    async with listening(reading, ORG, token=tenant.tokens["owner"]) as stream:
        await stream.next()
        with pytest.raises(ZeroDivisionError):
            async with writing.database.tenant(tenant.id) as tx:
                await actions.move_event(tx, event.id, Move.CANCEL, reason="a test")
                raise ZeroDivisionError
        await move(writing, tenant, event, Move.START)
        assert told(await stream.next()) == ("event.started", "published", "live")


# --- coming and going, in one process


@pytest.fixture
def here(lane: LaneRouter) -> Services:
    services: Services = lane.wide.state.services
    return services


@pytest.mark.req("EV-12")
async def test_who_comes_back_gets_what_was_missed(here: Services, lane: LaneRouter, tenant: Tenant) -> None:
    event = await make_show(here, tenant, Move.PUBLISH)
    async with listening(lane, path(event)) as stream:
        last = await stream.next()
    await move(here, tenant, event, Move.POSTPONE)
    await move(here, tenant, event, Move.RESCHEDULE, new_date=event.start_at + timedelta(days=1))
    async with listening(lane, path(event), last=last.id) as stream:
        await move(here, tenant, event, Move.PUBLISH)
        missed = [await stream.next() for _ in range(3)]
    assert [told(message)[0] for message in missed] == ["event.postponed", "event.rescheduled", "event.published"]
    async with listening(lane, path(event), last="00000000-1") as stream:
        message = await stream.next()
        assert (message.event, message.data["phase"]) == ("snapshot", "published")


@pytest.mark.req("EV-12")
async def test_when_news_were_missed_everybody_gets_a_snapshot(
    here: Services, lane: LaneRouter, tenant: Tenant
) -> None:
    event = await make_show(here, tenant, Move.PUBLISH)
    async with (
        listening(lane, path(event)) as public,
        listening(lane, ORG, token=tenant.tokens["owner"]) as own,
    ):
        await public.next()
        await own.next()
        here.bus.deliver([(RESYNC, None)])
        assert (await public.next()).data["id"] == str(event.id)
        assert [show["id"] for show in (await own.next()).data["events"]] == [str(event.id)]


@pytest.mark.parametrize("suffix", ["", "/"], ids=["fast", "twin"])
async def test_what_the_public_cannot_see_is_like_what_never_was(
    services: Services, lane: LaneRouter, tenant: Tenant, suffix: str
) -> None:
    hidden = [await make_show(services, tenant, slug="draft")]
    hidden += [await make_show(services, tenant, Move.PUBLISH, Move.CANCEL, slug="off", name="Off")]
    answers = set()
    for event_id in (hidden[0].id, hidden[1].id, new_id()):
        async with listening(lane, path(event_id) + suffix, token=tenant.tokens["owner"]) as stream:
            answers.add((stream.status, stream.whole))
    [(status, body)] = answers
    assert (status, msgspec.json.decode(body)["code"]) == (404, "event_not_found")
    assert not lane.wide.state.services.streams.broadcasts


@pytest.mark.parametrize("suffix", ["", "/"], ids=["fast", "twin"])
async def test_the_organisations_stream_is_for_its_team(lane: LaneRouter, tenant: Tenant, suffix: str) -> None:
    for token, status in ((None, 401), (tenant.tokens["customer"], 403), (tenant.tokens["owner"], 200)):
        async with listening(lane, ORG + suffix, token=token) as stream:
            assert stream.status == status


async def test_many_readers_of_one_show_cost_one_subscription(here: Services, lane: LaneRouter, tenant: Tenant) -> None:
    event = await make_show(here, tenant, Move.PUBLISH)
    topic = f"events:event:{event.id}"
    async with listening(lane, path(event)), listening(lane, path(event)), listening(lane, path(event)) as last:
        assert len(here.bus._listeners[topic]) == 1
        await move(here, tenant, event, Move.START)
        assert told(await named(last, "event.started"))[2] == "live"
    await until(lambda: not here.streams.readers)
