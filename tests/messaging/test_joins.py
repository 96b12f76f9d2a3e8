"""Who takes part in a show, by what a broker or the house tells: counted once, in any order, and countable anew."""

from typing import Any

import msgspec
import pytest

from fullhouse import prove
from fullhouse.broker import jobs
from fullhouse.events.model import Event
from fullhouse.kit.db.database import WORKER, Database
from fullhouse.kit.http.safe_http import SafeHttpClient
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.webhooks import actions
from fullhouse.webhooks.model import NewWebhook
from tests.events.helpers import make_show
from tests.fixtures import Client, Tenant
from tests.messaging.helpers import clear_outbox
from tests.messaging.joins import Stage, announce_join, stage, working

__all__ = ["stage"]  # fixtures

pytestmark = pytest.mark.req("MSG-3")


async def test_joins_are_counted_and_cancellations_taken_back(stage: Stage) -> None:
    ann, bob = new_id(), new_id()
    first = [await stage.say("join.confirmed", ann), await stage.say("join.confirmed", bob)]
    await stage.all_processed(*first)
    assert await stage.joined() == 2
    await stage.all_processed(await stage.say("join.canceled", ann, minute=1))
    assert await stage.joined() == 1
    trail = await stage.owner.fetch("SELECT action FROM audit_log WHERE entity_id = $1 ORDER BY created_at", ann)
    assert [row["action"] for row in trail] == ["participation.confirmed", "participation.canceled"]


async def test_a_message_that_comes_again_counts_once(stage: Stage) -> None:
    ann = new_id()
    message = await stage.say("join.confirmed", ann)
    for _ in range(5):
        await stage.say("join.confirmed", ann, message_id=message)
    last = await stage.say("join.confirmed", new_id())
    await stage.all_processed(message, last)
    assert await stage.joined() == 2


async def test_the_same_word_under_another_id_changes_nothing(stage: Stage) -> None:
    ann = new_id()
    await stage.all_processed(*[await stage.say("join.confirmed", ann, minute=n) for n in range(3)])
    assert await stage.joined() == 1


async def test_joins_without_an_organisation_are_found_by_their_event(stage: Stage, client: Client) -> None:
    """As the event service's own document has them: whoever keeps participations knows events, not organisations."""
    ann, bob = new_id(), new_id()
    path = f"/event/v1/events/{stage.show.id}"
    first = [await stage.say("join.confirmed", who, organization=None) for who in (ann, bob)]
    await stage.all_processed(*first)
    assert await stage.joined() == 2
    await stage.all_processed(await stage.say("join.canceled", ann, minute=1, organization=None))
    assert await stage.joined() == 1
    maker = client.as_(stage.tenant.tokens["owner"])
    assert (await maker.get(path)).json()["data"]["active_participants"] == 1  # a draft yet
    (published,) = [(await maker.post(f"{path}/publish")).json()["data"]]
    assert published["active_participants"] == 1
    assert (await client.get(path)).json()["data"]["active_participants"] == 1
    assert (await maker.get("/event/v1/me/events")).json()["data"][0]["active_participants"] == 1


async def test_a_join_of_an_event_that_nobody_has_is_dead(stage: Stage) -> None:
    nowhere = new_id()
    await stage.say("join.confirmed", new_id(), event_id=nowhere, organization=None)
    [letter] = await stage.letters(1)
    assert letter.headers["x-reason"] == f"there is no event {nowhere}"
    await stage.say("join.confirmed", new_id(), organization="not an id")
    [letter] = await stage.letters(1)
    assert "is not a UUID" in letter.headers["x-reason"]
    assert await stage.joined() == 0


async def test_the_public_count_follows_joins_and_is_no_change_of_the_event(
    stage: Stage, client: Client, owner: Any
) -> None:
    path, maker = f"/event/v1/events/{stage.show.id}", client.as_(stage.tenant.tokens["owner"])
    await maker.post(f"{path}/publish")
    before = (await client.get(path)).json()["data"]
    assert before["active_participants"] == 0
    await stage.all_processed(*[await stage.say("join.confirmed", new_id(), organization=None) for _ in range(3)])
    after = (await client.get(path)).json()["data"]
    assert after == before | {"active_participants": 3}
    kept = await owner.fetchval("SELECT changed_at FROM public_events WHERE event_id = $1", stage.show.id)
    assert kept.isoformat() == before["changed_at"].replace("Z", "+00:00")


@pytest.mark.req("MSG-5")
async def test_a_webhook_hears_of_joins_that_came_from_the_broker(stage: Stage, services: Services) -> None:
    """A filter that may be chosen must be one that something passes."""
    at_home = SafeHttpClient(private=True)
    async with services.database.tenant(stage.tenant.id) as tx:
        wish = NewWebhook(url="http://127.0.0.1:9/", events=["join.confirmed"])
        await actions.create_webhook(tx, services.keyring, at_home, wish)
    await at_home.close()
    heard = await stage.say("join.confirmed", new_id())
    for _ in range(2):
        await stage.say("join.confirmed", new_id(), message_id=heard)
    await stage.all_processed(heard, await stage.say("join.canceled", new_id()))
    rows = await stage.owner.fetch(
        "SELECT message_id, type FROM webhook_deliveries WHERE organization_id = $1", stage.tenant.id
    )
    assert [tuple(row) for row in rows] == [(heard, "join.confirmed")]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0), (2, 0, 1)])
async def test_the_last_word_counts_in_whichever_order_they_come(stage: Stage, order: tuple[int, ...]) -> None:
    """Ann joins, leaves and joins again; Bob joins and leaves."""
    ann, bob = new_id(), new_id()
    told = ["join.confirmed", "join.canceled", "join.confirmed"]
    sent = [await stage.say(told[n], ann, minute=n) for n in order]
    sent += [await stage.say(told[n], bob, minute=n) for n in order if n < 2]
    await stage.all_processed(*sent)
    assert await stage.joined() == 1


async def test_of_two_words_at_one_time_the_cancellation_counts(stage: Stage) -> None:
    ann, bob = new_id(), new_id()
    sent = [await stage.say("join.confirmed", ann), await stage.say("join.canceled", ann)]
    sent += [await stage.say("join.canceled", bob), await stage.say("join.confirmed", bob)]
    await stage.all_processed(*sent)
    assert await stage.joined() == 0


async def test_a_wrong_count_is_found_corrected_and_said(
    services: Services, tenant: Tenant, owner: Any, server_url: str
) -> None:
    show = await make_show(services, tenant)
    await clear_outbox(owner)
    here = Stage(tenant, show, owner, None, None)
    finder = await Database.open(server_url, WORKER, size=1)
    async with working(services, None):
        await here.all_processed(*[await announce_join(services, tenant, show, new_id()) for _ in range(3)])
    assert not await wrong_counts(server_url, show)
    await owner.execute("UPDATE event_stats SET active_participants = 7 WHERE event_id = $1", show.id)
    assert await wrong_counts(server_url, show) == [f"event {show.id} counts 7 participants where 3 take part"]
    assert await jobs.correct_counts(finder, services.database) >= 1
    assert await here.joined() == 3
    row = await owner.fetchrow(
        "SELECT before, after FROM audit_log WHERE entity_id = $1 AND action = 'participants.recounted'", show.id
    )
    assert (msgspec.json.decode(row["before"]), msgspec.json.decode(row["after"])) == (
        {"active_participants": 7},
        {"active_participants": 3},
    )
    assert await jobs.correct_counts(finder, services.database) == 0
    await finder.close()


async def test_the_organiser_sees_how_many_take_part(
    services: Services, tenant: Tenant, owner: Any, client: Client
) -> None:
    show = await make_show(services, tenant)
    await clear_outbox(owner)
    staff, path = client.as_(tenant.tokens["staff"]), f"/api/events/{show.id}"
    assert (await staff.get(path)).json()["data"]["active_participants"] == 0
    async with working(services, None):
        here = Stage(tenant, show, owner, None, None)
        await here.all_processed(*[await announce_join(services, tenant, show, new_id()) for _ in range(2)])
    assert (await staff.get(path)).json()["data"]["active_participants"] == 2


async def wrong_counts(url: str, show: Event) -> list[str]:
    [found] = [wrong for check, wrong in (await prove.run(url)).items() if check.name == "participants"]
    return [sentence for sentence in found if str(show.id) in sentence]
