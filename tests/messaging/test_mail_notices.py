"""What happens to a show is told to all who have a place in it: once each, page by page, whatever dies meanwhile."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from fullhouse import wiring
from fullhouse.kit.db.database import WORKER, Database
from fullhouse.kit.ids import new_id
from fullhouse.kit.mail import mailbox
from fullhouse.kit.mail.mailer import Mailer
from fullhouse.kit.messages.async_handlers import AsyncHandlers
from fullhouse.kit.messages.job_worker import JobWorker
from fullhouse.kit.messages.outbox import Message
from fullhouse.kit.services import Services
from fullhouse.mail.notices import actions
from fullhouse.mail.notices.actions import PAGE, email_ticket_holders, send_page
from tests.accounts.helpers import data
from tests.checkout.helpers import buy, hold, selling, start
from tests.events.helpers import NEW_DATE, draft, make_venue, move
from tests.fixtures import Client, Tenant, soaking
from tests.holds.helpers import OnSale, guest, hall, on_sale
from tests.kit import smtp as smtp_server
from tests.messaging.helpers import clear_outbox, until

OUTBOX = """
SELECT id, organization_id, name, subject_id, 1 AS version, payload, created_at, seq FROM outbox
WHERE organization_id = $1 AND subject_id = $2 ORDER BY seq DESC LIMIT 1
"""


class House:
    """A show on sale, those who hold a place in it, and the way of its news."""

    def __init__(self, services: Services, tenant: Tenant, client: Client, sale: OnSale) -> None:
        self.services, self.tenant, self.client, self.sale = services, tenant, client, sale
        self.owner = client.as_(tenant.tokens["owner"])

    async def hold(self, role: str, *seats: int) -> Client:
        buyer = self.client.as_(self.tenant.tokens[role])
        for seat in seats:
            data(await buyer.post(self.sale.path(f"seats/{self.sale.seat(seat)}/reserve")), 201)
        return buyer

    async def change(self, **body: Any) -> None:
        data(await self.owner.patch(f"/api/events/{self.sale.event_id}", json=body))

    async def move(self, name: str, **body: Any) -> None:
        data(await move(self.owner, {"id": str(self.sale.event_id)}, name, **body))

    async def newest_fact(self) -> Message:
        async with self.services.database.tenant(self.tenant.id) as tx:
            return Message(**await tx.fetchrow(OUTBOX, self.tenant.id, self.sale.event_id))

    async def tell(self, message: Message | None = None) -> Message:
        message = message or await self.newest_fact()
        async with self.services.database.tenant(self.tenant.id) as tx:
            await email_ticket_holders(tx, message)
        return message

    async def page(self, notice: Message, posted: int) -> None:
        payload = {"notice_id": str(notice.id), "posted": posted}
        await send_page(self.services.database, self.tenant.id, payload)

    async def told(self) -> set[tuple[str, str]]:
        """Tells what happened last, and says who got which letter."""
        message = await self.tell()
        await self.page(message, 0)
        async with self.services.database.tenant(self.tenant.id) as tx:
            rows = await tx.fetch("SELECT recipient, template FROM mails WHERE about = $1", message.id)
        assert len(rows) == len(set(map(tuple, rows)))
        return {tuple(row) for row in rows}

    async def progress(self) -> list[Any]:
        found: list[Any] = data(await self.owner.get(f"/api/events/{self.sale.event_id}/notices"))
        return found


@pytest.fixture
async def house(services: Services, tenant: Tenant, client: Client) -> House:
    return House(services, tenant, client, await on_sale(client.as_(tenant.tokens["owner"]), hall()))


# --- who is told what


@pytest.mark.req("EV-6", "EV-12")
async def test_whoever_loses_a_place_by_the_cancellation_is_told(house: House) -> None:
    await house.hold("customer", 0, 1)
    await house.hold("staff", 2)
    gave_back = await house.hold("admin", 3)
    [hold] = data(await gave_back.get(house.sale.path("holds")))
    assert (await gave_back.delete(f"/api/holds/{hold['id']}")).status_code == 204
    await house.move("cancel", reason="Nobody came")
    assert await house.told() == {
        ("customer@example.org", "event_cancelled"),
        ("staff@example.org", "event_cancelled"),
    }
    [letter] = [it for it in data(await house.owner.get("/api/org/mailbox")) if it["recipient"] == "staff@example.org"]
    assert letter["subject"] == "Cancelled: The Tempest"
    # Why is said in the audit; the page of a cancelled show is gone.
    assert "Nobody came" not in letter["body"]
    assert f"http://testserver/o/{house.tenant.organization.slug}\n" in letter["body"]


@pytest.mark.req("EV-8", "EV-12")
@pytest.mark.parametrize(
    ("moves", "template", "words"),
    [
        ([("postpone", {})], "event_postponed", "to be announced"),
        ([("postpone", {"rescheduled_at": NEW_DATE})], "event_rescheduled", "Friday 1 September 2090, 21:00"),
        ([("postpone", {}), ("reschedule", {})], "event_rescheduled", "Friday 1 September 2090, 21:00"),
    ],
)
async def test_another_date(house: House, moves: list[tuple[str, Any]], template: str, words: str) -> None:
    await house.hold("customer", 0)
    for name, body in moves:
        await house.move(name, **body)
    assert await house.told() == {("customer@example.org", template)}
    body = data(await house.owner.get("/api/org/mailbox"))[0]["body"]
    assert words in body
    assert "Old date: Thursday 1 June 2090, 21:00 (Europe/Brussels)" in body


@pytest.mark.req("EV-8", "EV-9")
async def test_another_time_or_place(house: House) -> None:
    await house.hold("customer", 0)
    await house.change(start_at="2090-06-01T18:00:00Z")
    assert await house.told() == {("customer@example.org", "time_changed")}
    assert "Thursday 1 June 2090, 20:00 (Europe/Brussels)" in data(await house.owner.get("/api/org/mailbox"))[0]["body"]
    venue = await make_venue(house.owner, name="Petite Salle", slug="petite", address="Rue du Parc 1, Liège")
    layoutless = {"venue_id": venue["id"], "reason": "The roof", "consent_note": "By telephone"}
    answer = await house.owner.patch(f"/api/events/{house.sale.event_id}", json=layoutless)
    assert answer.status_code == 200, answer.text
    assert await house.told() == {("customer@example.org", "venue_changed")}
    assert "Petite Salle, Rue du Parc 1, Liège" in data(await house.owner.get("/api/org/mailbox"))[0]["body"]


async def test_other_changes_concern_nobody(house: House) -> None:
    await house.hold("customer", 0)
    await house.change(description="A storm, a duke, an island.")
    assert await house.told() == set()
    assert await house.progress() == []


@pytest.mark.req("EV-8", "EV-12")
async def test_whoever_bought_is_told_beside_those_who_come_and_nobody_after_a_refund(
    client: Client, services: Services, tenant: Tenant
) -> None:
    staff = client.as_(tenant.tokens["owner"])
    sale = await selling(staff)
    house = House(services, tenant, client, sale.show)
    buyer, member = await guest(client, tenant), client.as_(tenant.tokens["customer"])
    friend, orders = {"name": "Fay", "email": "fay@example.org"}, []
    for who, seat, going in ((buyer, 0, {"attendee": friend}), (member, 1, {})):
        session = data(await start(who, sale, [item | going for item in await hold(who, sale, seat)]), 201)
        orders.append(data(await buy(who, session), 201))
    ada, fay = "ada@example.org", "fay@example.org"
    await house.change(start_at="2090-06-01T18:00:00Z")
    assert await house.told() == {(ada, "time_changed"), (fay, "time_changed")}  # once, though two orders name Ada
    for number, (order, left) in enumerate(zip(orders, ({(ada, "time_changed")}, set()), strict=True)):
        wish, key = {"reason": "Ill."}, {"idempotency-key": str(number)}
        data(await staff.post(f"/api/orders/{order['id']}/refunds", json=wish, headers=key), 201)
        await house.change(start_at=f"2090-06-01T1{number}:00:00Z")
        assert await house.told() == left


async def test_those_without_an_address_or_a_place_are_not_told(house: House, clock: Any) -> None:
    guest = data(await house.client.post("/api/auth/guest", json={"organization": house.tenant.organization.slug}), 201)
    data(await house.client.as_(guest["token"]).post(house.sale.path(f"seats/{house.sale.seat(0)}/reserve")), 201)
    await house.hold("customer", 1)
    await clock(timedelta(minutes=6))  # too late: nothing is held any more
    await house.hold("staff", 2)
    await house.move("postpone")
    assert await house.told() == {("staff@example.org", "event_postponed")}


async def test_a_draft_that_changes_is_nobodys_business(house: House) -> None:
    event = await draft(house.owner, venue_id=(await make_venue(house.owner, slug="other"))["id"])
    data(await house.owner.patch(f"/api/events/{event['id']}", json={"start_at": "2090-07-01T19:00:00Z"}))
    await house.tell(await House(house.services, house.tenant, house.client, _sale(event)).newest_fact())
    assert data(await house.owner.get("/api/org/mailbox")) == []


def _sale(event: Any) -> OnSale:
    return OnSale(UUID(event["id"]), new_id(), {})


# --- once each, in pages


Crowd = Callable[[House, int], Awaitable[None]]


@pytest.fixture
async def crowd(owner: Any, tenant: Tenant) -> AsyncIterator[Crowd]:
    """So many more people with two tickets each; one of these names them in small letters. Taken away again: there is
    nothing behind these orders."""

    async def come(house: House, size: int) -> None:
        async with owner.transaction():
            await owner.execute("SET LOCAL session_replication_role = replica")
            await owner.execute(
                """
                WITH people AS (
                    INSERT INTO orders (id, organization_id, event_id, user_id, session_id, attempt_id, code,
                                        secret_hash, status, provider, currency, total, quote, buyer_name, buyer_email,
                                        purchase_key, body_hash, paid_at)
                    SELECT id, $1, $2, id, id, id, code, decode(md5(n::text), 'hex'), 'paid', 'test', 'EUR', 1, '{}',
                           'Person ' || n, 'Person' || n || '@example.org', id::text, '\\x00', app.clock()
                    FROM (SELECT n, gen_random_uuid() AS id, translate(lpad(n::text, 8, 'A'), '01', 'XY') AS code
                          FROM generate_series(1, $3::integer) n) x
                    RETURNING id, code, buyer_email
                )
                INSERT INTO tickets (id, organization_id, event_id, order_id, ticket_type_id, number, code, nonce,
                                     holder_name, holder_email)
                SELECT gen_random_uuid(), $1, $2, id, id, code || n, n || right(code, 7),
                       decode(repeat('00', 8), 'hex'), 'Somebody',
                       CASE n WHEN 2 THEN buyer_email ELSE lower(buyer_email) END
                FROM people, generate_series(2, 3) n
                """,
                house.tenant.id,
                house.sale.event_id,
                size,
            )

    yield come
    async with owner.transaction():
        await owner.execute("SET LOCAL session_replication_role = replica")
        await owner.execute("DELETE FROM tickets WHERE organization_id = $1", tenant.id)
        await owner.execute("DELETE FROM orders WHERE organization_id = $1", tenant.id)


@pytest.mark.soak
@pytest.mark.req("MSG-4", "EV-12")
async def test_a_crowd_is_told_in_pages_each_person_once(
    house: House, owner: Any, crowd: Crowd, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = 20_000 if soaking() else 3 * PAGE
    await crowd(house, size)
    await house.move("postpone")
    notice = await house.tell()
    [progress] = await house.progress()
    assert (progress["total"], progress["posted"], progress["finished_at"]) == (size, 0, None)

    posted, written = 0, mailbox.enqueue_emails

    async def dies(*arguments: Any, **more: Any) -> Any:
        await written(*arguments, **more)
        raise ConnectionResetError("in the middle of a page")

    while posted < size:
        with monkeypatch.context() as death, pytest.raises(ConnectionResetError):
            death.setattr(mailbox, "enqueue_emails", dies)
            await house.page(notice, posted)
        # Twice at once, and once more after it: as a queue does that lost sight of a worker.
        await asyncio.gather(house.page(notice, posted), house.page(notice, posted))
        await house.page(notice, posted)
        posted += min(PAGE, size - posted)
        [progress] = await house.progress()
        assert (progress["posted"], progress["total"]) == (posted, size)
    [progress] = await house.progress()
    assert progress["finished_at"] is not None
    rows = await owner.fetch(
        "SELECT lower(recipient) AS who, count(*) AS letters FROM mails WHERE about = $1 GROUP BY 1", notice.id
    )
    assert len(rows) == size
    assert {row["letters"] for row in rows} == {1}
    assert await owner.fetchval("SELECT count(*) FROM notice_recipients WHERE notice_id = $1", notice.id) == 0
    # Told again a day later, it is old news.
    await house.tell(notice)
    assert len(await house.progress()) == 1


@pytest.mark.req("MSG-4")
async def test_a_fact_that_is_told_twice_at_once_makes_one_notice(house: House, owner: Any, crowd: Crowd) -> None:
    await crowd(house, 20)
    await house.move("postpone")
    message = await house.newest_fact()
    done = await asyncio.gather(*(house.tell(message) for _ in range(4)), return_exceptions=True)
    assert any(isinstance(it, Message) for it in done)
    assert [it["total"] for it in await house.progress()] == [20]
    assert await owner.fetchval("SELECT count(*) FROM notice_recipients WHERE notice_id = $1", message.id) == 20


@pytest.fixture
async def finder(server_url: str) -> AsyncIterator[Database]:
    database = await Database.open(server_url, WORKER, size=3)
    yield database
    await database.close()


@pytest.mark.req("EV-12", "MSG-4")
async def test_from_the_cancellation_to_the_letter_box(
    house: House, owner: Any, crowd: Crowd, server_url: str, finder: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole way: two who react, two workers, a server that takes the mail. One letter each."""
    await clear_outbox(owner)
    await owner.execute("DELETE FROM jobs.queue")
    monkeypatch.setattr(actions, "PAGE", 10)
    await crowd(house, 33)
    await house.hold("customer", 0)
    await house.move("cancel")
    async with smtp_server.serving() as smtp:
        postman = Mailer(smtp.url, "tickets@house.example", wiring.attachment_makers(house.services))
        handlers = {mailbox.JOB: postman.deliver, actions.JOB: send_page}
        at_work: list[AsyncHandlers | JobWorker] = [
            *(AsyncHandlers(finder, house.services.database, wiring.ASYNC) for _ in range(2)),
            *(JobWorker(server_url, house.services.database, handlers) for _ in range(2)),
        ]
        running = [asyncio.create_task(it.run()) for it in at_work]
        try:
            await until(lambda: _sent(house, 34), "everybody has the letter")
        finally:
            for task in running:
                task.cancel()
            await asyncio.wait(running)
        to = sorted(message["To"].addresses[0].addr_spec.lower() for message in smtp.mails)
        assert to == sorted([*(f"person{n}@example.org" for n in range(1, 34)), "customer@example.org"])
        assert {message["Subject"] for message in smtp.mails} == {"Cancelled: The Tempest"}
    [progress] = await house.progress()
    assert (progress["total"], progress["posted"], progress["sent"], progress["refused"]) == (34, 34, 34, 0)


async def _sent(house: House, count: int) -> bool:
    return any(it["sent"] == count for it in await house.progress())
