"""The life of a show over HTTP: every move, its audit, its fact, its news; and many moves at once."""

import asyncio
from itertools import pairwise
from typing import Any
from uuid import UUID

import pytest

from fullhouse.events import actions, policy, store
from fullhouse.events.model import MoveNotAllowed
from fullhouse.events.policy import Move
from fullhouse.kit.services import Services
from tests.accounts.helpers import data, refused
from tests.events.helpers import HALL, NEW_DATE, SHOW, STATUSES, announced, draft, move, read, show_in, trail
from tests.fixtures import Client, Tenant
from tests.kit.helpers import until

NAMES = {
    "publish": "event.published",
    "unpublish": "event.unpublished",
    "start": "event.started",
    "end": "event.ended",
    "postpone": "event.postponed",
    "reschedule": "event.rescheduled",
    "cancel": "event.canceled",
    "archive": "event.archived",
}
LIFE = {
    "draft": {"publish": "published", "cancel": "cancelled", "archive": "archived"},
    "published": {"unpublish": "draft", "start": "live", "postpone": "postponed", "cancel": "cancelled"},
    "live": {"end": "ended", "postpone": "postponed", "cancel": "cancelled"},
    "postponed": {"reschedule": "postponed", "publish": "published", "start": "live", "cancel": "cancelled"},
    "ended": {"archive": "archived"},
    "cancelled": {"archive": "archived"},
    "archived": {},
}


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


# --- one move at a time


@pytest.mark.req("EV-4", "AUD-1")
@pytest.mark.parametrize("status", STATUSES)
async def test_what_is_open_from_here(status: str, admin: Client, owner: Any, tenant: Tenant) -> None:
    for name, to in LIFE[status].items():
        event = await show_in(admin, status)
        assert sorted(event["moves"]) == sorted(LIFE[status])
        answer = await move(admin, event, name)
        moved = data(answer)
        assert (moved["status"], moved["version"]) == (to, event["version"] + 1)
        assert answer.headers["etag"] == f'"{moved["version"]}"'
        row = (await trail(owner, tenant, event))[-1]
        assert (row["action"], row["actor_type"], row["actor_id"], row["ip"]) == (
            f"event.{name}",
            "user",
            tenant.people["admin"].id,
            "198.51.100.7",
        )
        assert (row["before"].get("status", status), row["after"].get("status", status)) == (status, to)
        fact = (await announced(owner, event))[-1]
        assert (fact["name"], fact["old_status"], fact["new_status"]) == (NAMES[name], status, to)


@pytest.mark.req("EV-4")
@pytest.mark.parametrize("status", STATUSES)
async def test_what_is_not_open_changes_nothing(status: str, admin: Client, owner: Any, tenant: Tenant) -> None:
    event = await show_in(admin, status)
    rows, facts = len(await trail(owner, tenant, event)), len(await announced(owner, event))
    for name in NAMES.keys() - LIFE[status].keys():
        answer = await move(admin, event, name)
        assert refused(answer) == (409, "transition_not_allowed"), name
        problem = answer.json()
        leads_to = next(moves[name] for moves in LIFE.values() if name in moves)
        assert (problem["from"], problem["to"]) == (status, leads_to)
        assert sorted(problem["allowed"]) == sorted(LIFE[status])
    left = await read(admin, event)
    assert (left["status"], left["version"]) == (status, event["version"])
    assert (len(await trail(owner, tenant, event)), len(await announced(owner, event))) == (rows, facts)


@pytest.mark.req("EV-4", "AUD-1")
async def test_reasons_are_kept_with_the_show_and_in_the_audit(admin: Client, owner: Any, tenant: Tenant) -> None:
    event = await show_in(admin, "published")
    assert data(await move(admin, event, "postpone", reason="storm"))["postponement_reason"] == "storm"
    dated = data(await move(admin, event, "reschedule", reason="calm again"))
    assert (dated["rescheduled_at"], dated["postponement_reason"]) == (NEW_DATE, "storm")
    back = data(await move(admin, event, "publish"))
    assert (back["postponement_reason"], back["rescheduled_at"]) == (None, None)
    data(await move(admin, event, "unpublish", reason="misprint"))
    cancelled = data(await move(admin, event, "cancel", reason="fire"))
    assert cancelled["cancellation_reason"] == "fire"
    assert cancelled["cancelled_at"] == cancelled["updated_at"]
    expected = [None, None, "storm", "calm again", None, "misprint", "fire"]
    assert [row["reason"] for row in await trail(owner, tenant, event)] == expected
    assert [fact["reason"] for fact in await announced(owner, event)] == expected
    assert refused(await move(admin, await draft(admin), "cancel", reason=" ")) == (422, "invalid")


@pytest.mark.req("EV-7", "EV-8", "EV-16")
async def test_postponed_and_back_on_the_new_date(admin: Client) -> None:
    event = await show_in(admin, "published", tickets=True, doors_at="2090-06-01T18:00:00Z")
    waiting = data(await move(admin, event, "postpone"))
    assert (waiting["sale_status"], waiting["can_sell"], waiting["scanning"]) == ("suspended", False, "none")
    for name in ("publish", "start"):
        assert refused(await move(admin, event, name)) == (409, "no_new_date")
    assert refused(await move(admin, event, "reschedule", rescheduled_at="2020-01-01T19:00:00Z")) == (
        422,
        "start_in_the_past",
    )
    dated = data(await move(admin, event, "reschedule"))
    assert (dated["start_at"], dated["rescheduled_at"], dated["sale_end_at"]) == (SHOW["start_at"], NEW_DATE, NEW_DATE)
    assert (dated["sale_status"], dated["can_sell"], dated["visible"]) == ("on_sale", True, True)
    end = "2090-09-01T21:30:00Z"
    assert refused(await move(admin, event, "reschedule", sale_end_at="2090-09-01T21:30:01Z")) == (422, "invalid_times")
    assert data(await move(admin, event, "reschedule", sale_end_at=end))["sale_end_at"] == end
    back = data(await move(admin, event, "publish"))
    assert (back["doors_at"], back["start_at"], back["end_at"]) == ("2090-09-01T18:00:00Z", NEW_DATE, end)
    assert back["status"] == "published"


@pytest.mark.req("EV-7")
async def test_postponing_names_the_new_date_at_once(admin: Client) -> None:
    event = await show_in(admin, "live")
    dated = data(await move(admin, event, "postpone", rescheduled_at=NEW_DATE))
    assert (dated["rescheduled_at"], dated["can_sell"]) == (NEW_DATE, True)
    live = data(await move(admin, event, "start"))
    assert (live["status"], live["start_at"], live["scanning"]) == ("live", NEW_DATE, "real")


@pytest.mark.req("EV-4")
async def test_no_new_date_may_land_on_the_same_show(admin: Client) -> None:
    event = await show_in(admin, "postponed")
    times = {"start_at": NEW_DATE, "end_at": "2090-09-01T21:30:00Z"}
    await draft(admin, venue_id=event["venue_id"], **times)
    assert refused(await move(admin, event, "publish")) == (409, "event_exists")
    assert (await read(admin, event))["status"] == "postponed"


# --- who hears of it


@pytest.mark.req("EV-12")
async def test_facts_say_what_the_channels_promise(admin: Client, owner: Any) -> None:
    instead = await draft(admin, name="Instead")
    event = await show_in(admin, "postponed")
    data(await admin.patch(f"/api/events/{event['id']}", json={"replaced_by_event_id": instead["id"]}))
    data(await move(admin, event, "cancel", reason="fire"))
    *_, updated, cancelled = await announced(owner, event)
    common = {
        "version": 1,
        "subject_id": event["id"],
        "old_status": "postponed",
        "rescheduled_at": NEW_DATE,
        "replaced_by_event_id": instead["id"],
    }
    assert updated == common | {
        "name": "event.updated",
        "new_status": "postponed",
        "reason": None,
        "changed": ["replaced_by_event_id"],
        "consent_note": None,
        "drop_layout": False,
        "moved_days": 0,
        "title": SHOW["name"],
        "description": SHOW["description"],
        "category": "theatre",
        "city": HALL["city"],
        "start_time": NEW_DATE,
        "end_time": "2090-09-01T21:30:00Z",
        "capacity": 0,
        "owner_id": event["created_by"],
        "cover_image_ids": event["cover_image_ids"],
        "published_at": event["published_at"],
    }
    assert cancelled == common | {"name": "event.canceled", "new_status": "cancelled", "reason": "fire"}


@pytest.mark.req("EV-12")
async def test_another_process_hears_of_every_change(admin: Client, services: Services, tenant: Tenant) -> None:
    heard: list[tuple[str, Any]] = []
    services.bus.subscribe("events:*", lambda topic, news: heard.append((topic, news)))
    event = await draft(admin)
    moves = ["publish", "postpone", "reschedule", "cancel", "archive"]
    for name in moves:
        data(await move(admin, event, name))
        assert refused(await move(admin, event, "publish" if name == "publish" else "unpublish"))[0] == 409
    await until(lambda: len(heard) >= 13)
    assert (heard[0][1]["fact"], heard[0][1]["venue_id"]) == ("venue.changed", event["venue_id"])
    path = ["draft", "draft", "published", "postponed", "postponed", "cancelled", "archived"]
    for topic in (f"events:org:{tenant.id}", f"events:event:{event['id']}"):
        news = [payload for told, payload in heard[1:] if told == topic]
        assert [n["fact"] for n in news] == ["event.created", *(NAMES[name] for name in moves)]
        assert [(n["old_status"], n["new_status"]) for n in news] == list(pairwise(path))
        assert [n["rescheduled_at"] for n in news] == [None, None, None, NEW_DATE, NEW_DATE, NEW_DATE]
        assert {(n["event_id"], n["replaced_by_event_id"]) for n in news} == {(event["id"], None)}


@pytest.mark.req("EV-12", "TEN-2")
async def test_the_news_stays_in_the_organisation(
    admin: Client, client: Client, services: Services, other_tenant: Tenant
) -> None:
    elsewhere = client.as_(other_tenant.tokens["admin"])
    heard: list[tuple[str, str]] = []
    topic = f"events:org:{other_tenant.id}"
    services.bus.subscribe(topic, lambda _, news: heard.append((news["subject_id"], news.get("new_status"))))
    theirs = await draft(elsewhere)
    await show_in(admin, "published")
    data(await move(elsewhere, theirs, "publish"))
    await until(lambda: len(heard) >= 3)
    assert heard == [(theirs["venue_id"], None), (theirs["id"], "draft"), (theirs["id"], "published")]


# --- many at once


@pytest.mark.req("EV-4")
async def test_of_many_who_move_one_show_each_finds_it_where_the_last_one_left_it(
    admin: Client, owner: Any, tenant: Tenant
) -> None:
    event = await show_in(admin, "published")
    names = ["unpublish", "cancel", "postpone", "start", "publish", "archive"] * 3
    answers = await asyncio.gather(*(move(admin, event, name) for name in names))
    won = [answer for answer in answers if answer.status_code == 200]
    lost = {refused(answer) for answer in answers if answer.status_code != 200}
    assert lost <= {(409, "transition_not_allowed"), (409, "no_new_date")}
    assert sorted(answer.json()["data"]["version"] for answer in won) == list(range(3, 3 + len(won)))
    steps = (await trail(owner, tenant, event))[2:]
    assert len(steps) == len(won)
    status = "published"
    for step in sorted(steps, key=lambda row: row["after"]["version"]):
        assert step["before"]["status"] == status
        status = LIFE[status][step["action"].removeprefix("event.")]
        assert step["after"]["status"] == status
    assert (await read(admin, event))["status"] == status


@pytest.mark.req("EV-4")
@pytest.mark.parametrize("name", ["unpublish", "cancel", "postpone"])
async def test_of_many_who_want_the_same_one_gets_it(name: str, admin: Client, owner: Any) -> None:
    event = await show_in(admin, "published")
    answers = await asyncio.gather(*(move(admin, event, name) for _ in range(6)))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409, 409, 409]
    assert [fact["name"] for fact in await announced(owner, event)].count(NAMES[name]) == 1


@pytest.mark.req("EV-4")
@pytest.mark.parametrize("second", [Move.UNPUBLISH, Move.POSTPONE, Move.START])
async def test_the_second_waits_for_the_first_and_is_refused(
    second: Move, admin: Client, services: Services, owner: Any, tenant: Tenant
) -> None:
    event = await show_in(admin, "published")
    assert await _move_together(services, owner, tenant, event, second) == [Move.UNPUBLISH, MoveNotAllowed]
    assert (await read(admin, event))["status"] == "draft"


@pytest.mark.req("EV-4")
async def test_without_the_lock_both_would_leave_from_the_same_place(
    admin: Client, services: Services, owner: Any, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same two where nobody waits: the tests above can fail."""
    monkeypatch.setattr(store, "lock_event", store.event_by_id)
    event = await show_in(admin, "published")
    assert await _move_together(services, owner, tenant, event, Move.POSTPONE) == [Move.UNPUBLISH, Move.POSTPONE]
    assert [row["before"]["status"] for row in (await trail(owner, tenant, event))[-2:]] == ["published", "published"]


async def _move_together(services: Services, owner: Any, tenant: Tenant, event: Any, second: Move) -> list[Any]:
    """The first has moved but not committed when the second tries; then the first commits."""
    event_id = UUID(event["id"])
    backend: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def follow() -> Any:
        try:
            async with services.database.tenant(tenant.id) as tx:
                backend.set_result(await tx.fetchval("SELECT pg_backend_pid()"))
                await actions.move_event(tx, event_id, second, reason="a test")
        except MoveNotAllowed as refusal:
            return type(refusal)
        return second

    async with services.database.tenant(tenant.id) as tx:
        await actions.move_event(tx, event_id, Move.UNPUBLISH)
        following = asyncio.create_task(follow())
        pid = await backend
        waits = "SELECT cardinality(pg_blocking_pids($1)) > 0"
        await until(lambda: following.done() or owner.fetchval(waits, pid))
    return [Move.UNPUBLISH, await following]


def test_the_moves_over_http_are_all_there_are() -> None:
    assert NAMES.keys() == set(policy.Move)


async def test_an_order_that_needs_nothing_said_is_documented_so(admin: Client) -> None:
    paths = (await admin.get("/api/openapi.json")).json()["paths"]
    assert paths["/api/events/{event_id}/unpublish"]["post"]["requestBody"]["required"] is False
    assert paths["/api/events/{event_id}/cancel"]["post"]["requestBody"]["required"] is True
    assert paths["/api/events/{event_id}/postpone"]["post"]["requestBody"]["required"] is True
    assert paths["/api/events/{event_id}"]["patch"]["requestBody"]["required"] is True
    assert paths["/api/events"]["post"]["requestBody"]["required"] is True
    event = await show_in(admin, "published")
    assert data(await admin.post(f"/api/events/{event['id']}/unpublish"))["status"] == "draft"
