"""Without a broker the house counts its own facts; one that comes or goes changes no count and loses nothing."""

import asyncio
from typing import Any
from uuid import UUID

import pytest

from fullhouse.broker import message_tasks
from fullhouse.broker.facts import JoinCanceled
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages.outbox import announce
from fullhouse.kit.messages.relay import Hint
from fullhouse.kit.services import Services
from tests.events.helpers import make_show
from tests.fixtures import Tenant
from tests.messaging.helpers import channel, clear_outbox, drained, names, until
from tests.messaging.joins import NOON, Stage, announce_join, working

pytestmark = pytest.mark.req("MSG-3")


@pytest.mark.req("MSG-4")
async def test_without_a_broker_the_house_counts_its_own_facts(services: Services, tenant: Tenant, owner: Any) -> None:
    show = await make_show(services, tenant)
    await clear_outbox(owner)
    here = Stage(tenant, show, owner, None, None)
    async with working(services, None):
        message = await announce_join(services, tenant, show, new_id())
        await here.all_processed(message)
        assert await here.joined() == 1
        async with services.database.tenant(tenant.id) as tx:
            gone = await announce(tx, JoinCanceled(subject_id=new_id(), event_id=show.id, at=NOON))
        await here.all_processed(gone)
    assert await here.joined() == 1
    assert await owner.fetchval("SELECT sent_at IS NULL FROM outbox WHERE id = $1", message)


@pytest.mark.req("MSG-4")
async def test_a_broker_switched_on_later_gets_everything_and_nothing_counts_twice(
    services: Services, tenant: Tenant, owner: Any, amqp_url: str
) -> None:
    """The facts come back to our own queue, under the ids that the house has processed already."""
    show, own = await make_show(services, tenant), names()
    await clear_outbox(owner)
    here = Stage(tenant, show, owner, None, None)
    async with working(services, None):
        before = [await announce_join(services, tenant, show, new_id()) for _ in range(5)]
        await here.all_processed(*before)
    async with channel(amqp_url) as stranger:
        await stranger.declare_exchange(own.exchange, "topic", durable=True)
        mirror = await stranger.declare_queue(f"{own.exchange}.mirror", durable=True)
        await mirror.bind(own.exchange, "join.*")
        async with working(services, amqp_url, names=own):
            after = await announce_join(services, tenant, show, new_id())
            await here.all_processed(*before, after)
            await unsent_is_empty(owner)
            await until(lambda: idle(stranger, own), "our own queue is empty")
        received = [UUID(message.message_id) for message in await drained(mirror)]
    assert sorted(received) == sorted([*before, after])  # each is a subject of its own: among them there is no order
    assert (await here.joined(), await here.processed(*before, after)) == (6, 6)


@pytest.mark.req("MSG-4")
async def test_a_broker_switched_off_leaves_nothing_behind(
    services: Services, tenant: Tenant, owner: Any, amqp_url: str
) -> None:
    """What was in its queue is counted when it is back; what was announced meanwhile is counted at once."""
    show, own = await make_show(services, tenant), names()
    await clear_outbox(owner)
    here = Stage(tenant, show, owner, None, None)
    async with working(services, amqp_url, names=own):
        first = await announce_join(services, tenant, show, new_id())
        await here.all_processed(first)
        await unsent_is_empty(owner)
    async with channel(amqp_url) as stranger:  # somebody speaks while no worker listens
        exchange = await stranger.declare_exchange(own.exchange, "topic", durable=True)
        kept = await Stage(tenant, show, owner, exchange, None).say("join.confirmed", new_id())
    async with working(services, None):
        meanwhile = await announce_join(services, tenant, show, new_id())
        await here.all_processed(meanwhile)
        assert (await here.joined(), await here.processed(kept)) == (2, 0)
    async with working(services, amqp_url, names=own):
        await here.all_processed(first, kept, meanwhile)
        await unsent_is_empty(owner)
    assert await here.joined() == 3


async def unsent_is_empty(owner: Any) -> None:
    async def empty() -> bool:
        return not await owner.fetchval("SELECT count(*) FROM outbox WHERE sent_at IS NULL")

    await until(empty, "everything is sent")


async def idle(stranger: Any, own: Any) -> bool:
    queue = await stranger.get_queue(next(iter(own.queues)))
    return not queue.declaration_result.message_count


@pytest.mark.req("MSG-1")
async def test_an_idle_house_is_woken_by_whoever_commits(
    services: Services, tenant: Tenant, owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would look by itself only after an hour. Relays hear the same hint; what is in another's hands at that moment,
    they find by polling.
    """

    class Sleeper(Hint):
        async def wait(self, at_most_s: float = 3600) -> None:
            await super().wait(at_most_s)

    async def idle() -> bool:
        return not await owner.fetchval("SELECT count(*) FROM outbox WHERE handled_at IS NULL")

    monkeypatch.setattr(message_tasks, "Hint", Sleeper)
    await clear_outbox(owner)
    async with working(services, None):
        for _ in range(3):
            await make_show(services, tenant)
            await until(idle, "facts are handled", 10)
            await asyncio.sleep(0.3)  # until everybody sleeps
