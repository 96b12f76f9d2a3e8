"""What follows from a move happens in its transaction: a consumer stands in for the rooms that hold, sell and scan."""

from typing import Any
from uuid import UUID

import msgspec
import pytest

from fullhouse.events import actions, facts
from fullhouse.events.facts import EventFact
from fullhouse.events.policy import Move
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import Conflict
from fullhouse.kit.messages import outbox
from fullhouse.kit.services import Services
from tests.accounts.helpers import data, refused
from tests.events.helpers import NEW_DATE, announced, draft, make_venue, move, read, show_in, trail
from tests.fixtures import Client, Tenant

FACTS: dict[str, type[EventFact]] = {
    "unpublish": facts.EventUnpublished,
    "postpone": facts.EventPostponed,
    "reschedule": facts.EventRescheduled,
    "cancel": facts.EventCanceled,
}
FROM = {"unpublish": "published", "postpone": "published", "reschedule": "postponed", "cancel": "published"}
TO = {"unpublish": "draft", "postpone": "postponed", "reschedule": "postponed", "cancel": "cancelled"}
_STATUS = "SELECT status, version FROM events WHERE id = $1"


class Seen(msgspec.Struct):
    """What the consumer was told, what it saw from inside the transaction, and what was to be seen from outside."""

    fact: EventFact
    organization_id: UUID | None
    inside: tuple[str, int]
    outside: tuple[str, int]


class Consumer:
    """Writes down what it is told; then raises `error`, if it has one."""

    def __init__(self, owner: Any) -> None:
        self.seen: list[Seen] = []
        self.error: Exception | None = None
        self._owner = owner

    async def __call__(self, tx: Tx, fact: EventFact) -> None:
        inside = await tx.fetchrow(_STATUS, fact.subject_id)
        outside = await self._owner.fetchrow(_STATUS, fact.subject_id)
        self.seen.append(Seen(fact, tx.organization_id, tuple(inside), tuple(outside)))
        if self.error:
            raise self.error


class SoldAlready(Conflict):
    code, title = "sold_already", "Somebody has a ticket"


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


@pytest.fixture
def consumer(admin: Client, owner: Any, monkeypatch: pytest.MonkeyPatch) -> Consumer:
    """Wired after the application has wired itself; the table is put back after the test."""
    monkeypatch.setattr(outbox, "_sync_handlers", outbox._sync_handlers)
    listening = Consumer(owner)
    every: list[type[EventFact]] = [*FACTS.values(), facts.EventUpdated]
    outbox.wire({fact: [listening] for fact in every})
    return listening


@pytest.mark.req("EV-6", "EV-7", "EV-8")
@pytest.mark.parametrize("name", FACTS)
async def test_the_consequence_runs_inside_the_move(
    name: str, admin: Client, consumer: Consumer, tenant: Tenant, owner: Any
) -> None:
    event = await show_in(admin, FROM[name])
    consumer.seen.clear()
    moved = data(await move(admin, event, name, reason="storm"))
    (seen,) = consumer.seen
    assert type(seen.fact) is FACTS[name]
    assert seen.organization_id == tenant.id
    assert seen.inside == (TO[name], moved["version"])
    assert seen.outside == (FROM[name], event["version"])
    assert (seen.fact.old_status, seen.fact.new_status, seen.fact.reason) == (FROM[name], TO[name], "storm")
    assert seen.fact.rescheduled_at == (await _stored(owner, event))["rescheduled_at"]


@pytest.mark.req("EV-6", "EV-7", "EV-8")
@pytest.mark.parametrize("name", FACTS)
async def test_what_fails_there_leaves_the_show_as_it_was(
    name: str, admin: Client, consumer: Consumer, services: Services, tenant: Tenant, owner: Any
) -> None:
    event = await show_in(admin, FROM[name])
    before = await _stored(owner, event), await trail(owner, tenant, event), await announced(owner, event)
    consumer.error = ZeroDivisionError()
    with pytest.raises(ZeroDivisionError):
        async with services.database.tenant(tenant.id) as tx:
            new_date = (await tx.now()).replace(year=2091) if name == "reschedule" else None
            await actions.move_event(tx, UUID(event["id"]), Move(name), new_date=new_date, reason="a test")
    assert (await _stored(owner, event), await trail(owner, tenant, event), await announced(owner, event)) == before
    consumer.error = None
    assert data(await move(admin, event, name))["status"] == TO[name]


@pytest.mark.req("EV-6")
async def test_a_consequence_can_refuse_and_the_caller_is_told_why(admin: Client, consumer: Consumer) -> None:
    """As taking back a show of which something is sold will be refused."""
    event = await show_in(admin, "published")
    consumer.error = SoldAlready()
    assert refused(await move(admin, event, "unpublish")) == (409, "sold_already")
    left = await read(admin, event)
    assert (left["status"], left["version"]) == ("published", event["version"])


@pytest.mark.req("EV-8", "EV-9")
async def test_those_who_sold_for_the_old_time_or_place_are_told_what_changed(
    admin: Client, consumer: Consumer
) -> None:
    event, there = await show_in(admin, "published"), await make_venue(admin, name="Open Air", city="Namur")
    consumer.seen.clear()
    path = f"/api/events/{event['id']}"
    data(await admin.patch(path, json={"start_at": "2090-06-01T19:30:00Z", "end_at": "2090-06-01T22:00:00Z"}))
    data(await admin.patch(path, json={"venue_id": there["id"], "reason": "storm"}))
    data(await admin.patch(path, json={"venue_id": there["id"]}))  # it is there already
    time, place = (seen.fact for seen in consumer.seen)
    assert isinstance(time, facts.EventUpdated)
    assert isinstance(place, facts.EventUpdated)
    assert time.changed == ["doors_at", "end_at", "sale_end_at", "start_at"]
    assert place.changed == ["city", "venue_id", "venue_name"]
    assert (place.old_status, place.new_status, place.reason) == ("published", "published", "storm")


@pytest.mark.req("EV-6")
async def test_every_fact_of_a_cancelled_show_is_told_in_order(admin: Client, consumer: Consumer) -> None:
    event = await draft(admin)
    for name in ("publish", "postpone", "reschedule", "cancel"):
        data(await move(admin, event, name, **({"reason": name} if name != "publish" else {})))
    assert [type(seen.fact) for seen in consumer.seen] == [FACTS[n] for n in ("postpone", "reschedule", "cancel")]
    dates = [seen.fact.rescheduled_at for seen in consumer.seen]
    assert [date and date.isoformat().replace("+00:00", "Z") for date in dates] == [None, NEW_DATE, NEW_DATE]


async def _stored(owner: Any, event: Any) -> dict[str, Any]:
    return dict(await owner.fetchrow("SELECT * FROM events WHERE id::text = $1", event["id"]))
