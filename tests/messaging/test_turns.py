"""Letters from the waiting room: it opens soon, your turn has come."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from fullhouse.kit.db.database import Database, Tx
from fullhouse.kit.mail import mailbox
from fullhouse.kit.services import Services
from fullhouse.mail.turns import actions, store
from fullhouse.mail.turns.jobs import email_waiting_rooms
from tests.accounts.helpers import data
from tests.fixtures import Client, Tenant
from tests.holds.helpers import OnSale, a_finder, guest, hall, on_sale
from tests.queue.helpers import come, settle

pytestmark = pytest.mark.req("QUEUE-2")


@pytest.fixture
async def finder(server_url: str) -> AsyncIterator[Database]:
    async with a_finder(server_url) as database:
        yield database


@pytest.fixture
async def sale(client: Client, tenant: Tenant) -> OnSale:
    return await on_sale(client.as_(tenant.tokens["owner"]), hall())


async def letters(services: Services, tenant: Tenant) -> list[tuple[str, str]]:
    async with services.database.tenant(tenant.id) as tx:
        return [tuple(row) for row in await tx.fetch("SELECT template, recipient FROM mails ORDER BY recipient")]


async def test_whoever_is_away_when_the_turn_comes_is_told_once(
    client: Client, tenant: Tenant, services: Services, finder: Database, sale: OnSale, clock: Any
) -> None:
    await settle(services, tenant, sale, mode="on", slots=5, admit_window_s=600)
    there, away = [client.as_(tenant.tokens[role]) for role in ("staff", "customer")]
    for who in (there, away, await guest(client, tenant)):
        assert (await come(who, sale)).place["status"] == "admitted"
    data(await there.post(sale.path(f"seats/{sale.seat(0)}/reserve")), 201)
    await email_waiting_rooms(finder, services.database)
    assert await letters(services, tenant) == []  # they have hardly had time to look
    await clock(timedelta(seconds=40))
    for _ in range(2):
        await email_waiting_rooms(finder, services.database)
    assert await letters(services, tenant) == [("queue_turn", "customer@example.org")]
    [letter] = data(await client.as_(tenant.tokens["owner"]).get("/api/org/mailbox"))
    assert letter["subject"] == "It is your turn: The Tempest"
    assert f"/o/{tenant.organization.slug}/the-tempest/queue" in letter["body"]


async def test_a_crowd_is_told_in_pages_and_nobody_is_looked_at_twice(
    client: Client,
    tenant: Tenant,
    other_tenant: Tenant,
    services: Services,
    finder: Database,
    sale: OnSale,
    clock: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    roles = ("customer", "staff", "admin", "owner")
    next_door = await on_sale(client.as_(other_tenant.tokens["owner"]), hall())
    for house, show, people in ((other_tenant, next_door, roles[:1]), (tenant, sale, roles)):
        await settle(services, house, show, mode="on", slots=5, admit_window_s=600)
        for role in people:
            assert (await come(client.as_(house.tokens[role]), show)).place["status"] == "admitted"
    await clock(timedelta(seconds=40))
    monkeypatch.setattr(actions, "TURNS", 3)
    real = mailbox.enqueue_email
    posted: list[str] = []
    dying = True

    async def post(tx: Tx, recipient: str, *rest: Any, **more: Any) -> Any:
        if tx.organization_id == tenant.id:  # a sweep goes to every house, and to those of other tests
            if dying and len(posted) == 3:  # the second page
                raise ZeroDivisionError
            posted.append(recipient)
        return await real(tx, recipient, *rest, **more)

    monkeypatch.setattr(mailbox, "enqueue_email", post)
    await email_waiting_rooms(finder, services.database)
    assert [who for _, who in await letters(services, tenant)] == sorted(posted)  # the first page stands
    assert posted == [f"{role}@example.org" for role in roles[:3]]  # who came first
    assert await letters(services, other_tenant) == [("queue_turn", "customer@example.org")]  # hindered by nobody
    dying = False
    await email_waiting_rooms(finder, services.database)
    assert posted == [f"{role}@example.org" for role in roles]  # the last one, and nobody else
    async with services.database.tenant(tenant.id) as tx:
        assert await store.list_absent_visitors(tx, event_id=sale.event_id, template="queue_turn", limit=10) == []
    assert len(await letters(services, tenant)) == 4


async def test_nobody_is_told_when_it_is_too_late_to_come(
    client: Client, tenant: Tenant, services: Services, finder: Database, sale: OnSale, clock: Any
) -> None:
    await settle(services, tenant, sale, mode="on", slots=5, admit_window_s=60)
    await come(client.as_(tenant.tokens["customer"]), sale)
    await clock(timedelta(seconds=45))
    await email_waiting_rooms(finder, services.database)
    assert await letters(services, tenant) == []


async def test_who_gathers_is_told_before_the_room_opens(
    client: Client, tenant: Tenant, services: Services, finder: Database, clock: Any
) -> None:
    opens_at = datetime.now(UTC) + timedelta(hours=2)
    begins = {"sale_start_at": (opens_at + timedelta(hours=1)).isoformat()}
    sale = await on_sale(client.as_(tenant.tokens["owner"]), hall(), event=begins)
    await settle(services, tenant, sale, mode="on", slots=5, opens_at=opens_at)
    for who in (client.as_(tenant.tokens["customer"]), await guest(client, tenant)):
        assert (await come(who, sale)).place["status"] == "waiting"
    await email_waiting_rooms(finder, services.database)
    assert await letters(services, tenant) == []
    await clock(timedelta(hours=1, minutes=50))
    for _ in range(2):
        await email_waiting_rooms(finder, services.database)
    assert await letters(services, tenant) == [("queue_opens", "customer@example.org")]
