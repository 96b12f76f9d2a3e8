"""Tickets reach people: with their order's confirmation, and when somebody passes one on. Once each."""

from email.message import EmailMessage
from typing import Any
from uuid import UUID

import pytest

from fullhouse import wiring
from fullhouse.kit.mail.mailer import Mailer
from fullhouse.kit.messages.async_handlers import run_handlers_once
from fullhouse.kit.messages.outbox import Message
from fullhouse.kit.services import Services, open_parts
from fullhouse.payments.providers.actions import Providers
from tests.accounts.helpers import data, refused
from tests.checkout.helpers import begun, buy, selling
from tests.events.helpers import NEW_DATE, move
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest
from tests.kit import smtp as smtp_server

FACT = """
SELECT id, organization_id, name, subject_id, 1 AS version, payload, created_at, seq FROM outbox
WHERE organization_id = $1 AND name = $2 ORDER BY seq DESC LIMIT 1
"""


async def react(services: Services, tenant: Tenant, name: str) -> UUID:
    """As a worker does, and as one does that was not sure whether it had: twice."""
    table = {fact.name: handlers for fact, handlers in wiring.async_handlers(services).items()}
    for _ in range(2):
        async with services.database.tenant(tenant.id) as tx:
            message = Message(**await tx.fetchrow(FACT, tenant.id, name))
            await run_handlers_once(tx, [(message, handler) for handler in table[name]])
    return message.id


async def delivered(services: Services, tenant: Tenant, about: UUID) -> dict[str, EmailMessage]:
    async with services.database.tenant(tenant.id) as tx:
        rows = await tx.fetch("SELECT id, recipient FROM mails WHERE about = $1", about)
    async with smtp_server.serving() as smtp:
        postman = Mailer(smtp.url, "tickets@house.example", wiring.attachment_makers(services))
        await postman.deliver(services.database, tenant.id, {"mail_ids": [str(row["id"]) for row in rows]})
    assert len(smtp.mails) == len(rows)
    return {str(mail["To"]): mail for mail in smtp.mails}


def files(mail: EmailMessage) -> dict[str | None, Any]:
    return {part.get_filename(): part.get_content() for part in mail.iter_attachments()}


@pytest.mark.req("BUY-5", "MSG-4")
async def test_a_paid_order_is_confirmed_with_its_tickets_once(
    client: Client, services: Services, tenant: Tenant
) -> None:
    async with open_parts(services, (Providers,)):
        sale = await selling(client.as_(tenant.tokens["owner"]))
        buyer = await guest(client, tenant)
        order = data(await buy(buyer, await begun(buyer, sale, 0, 1)), 201)
        about = await react(services, tenant, "order.paid")
        mails = await delivered(services, tenant, about)
    (mail,) = mails.values()
    body = mail.get_body(("plain",))
    assert body
    text = body.get_content()
    assert order["code"] in text
    assert f"/orders/{order['secret']}" in text.replace("\n", "")
    enclosed = files(mail)
    assert enclosed["tickets.pdf"].startswith(b"%PDF-")
    assert "BEGIN:VEVENT" in str(enclosed["show.ics"])
    page = await client.get(f"/orders/{order['secret']}")
    assert page.status_code == 200
    assert order["tickets"][0]["number"] in page.text
    assert "no-store" in page.headers["cache-control"]


@pytest.mark.req("EV-8", "BUY-5")
async def test_a_letter_about_a_moved_show_has_its_new_date(client: Client, services: Services, tenant: Tenant) -> None:
    async with open_parts(services, (Providers,)):
        staff = client.as_(tenant.tokens["owner"])
        sale = await selling(staff)
        data(await move(staff, {"id": str(sale.event_id)}, "postpone", rescheduled_at=NEW_DATE))
        buyer = await guest(client, tenant)
        data(await buy(buyer, await begun(buyer, sale, 0)), 201)
        (mail,) = (await delivered(services, tenant, await react(services, tenant, "order.paid"))).values()
    body, drawn = mail.get_body(("plain",)), mail.get_body(("html",))
    assert body
    assert drawn
    assert "New date: Friday 1 September 2090, 21:00 (Europe/Brussels)" in body.get_content()
    assert "Old date: Thursday 1 June 2090, 21:00 (Europe/Brussels)" in body.get_content()
    assert "Friday 1 September 2090, 21:00" in drawn.get_content()


@pytest.mark.req("BUY-5")
async def test_a_ticket_that_changes_hands_is_sent_and_both_are_told(
    client: Client, services: Services, tenant: Tenant
) -> None:
    async with open_parts(services, (Providers,)):
        sale = await selling(client.as_(tenant.tokens["owner"]))
        buyer = await guest(client, tenant)
        order = data(await buy(buyer, await begun(buyer, sale, 0)), 201)
        to = {"name": "Grace Guest", "email": "grace@example.org"}
        data(await buyer.post(f"/api/tickets/{order['tickets'][0]['id']}/transfer", json=to))
        about = await react(services, tenant, "ticket.transferred")
        mails = await delivered(services, tenant, about)
    assert set(mails) == {"grace@example.org", "ada@example.org"}
    assert files(mails["grace@example.org"])["tickets.pdf"].startswith(b"%PDF-")
    assert files(mails["ada@example.org"]) == {}


@pytest.mark.req("BUY-5")
async def test_a_ticket_that_went_on_before_the_letter_left_is_not_in_it(
    client: Client, services: Services, tenant: Tenant
) -> None:
    async with open_parts(services, (Providers,)):
        sale = await selling(client.as_(tenant.tokens["owner"]))
        buyer, second = await guest(client, tenant), client.as_(tenant.tokens["customer"])
        order = data(await buy(buyer, await begun(buyer, sale, 0)), 201)
        path = f"/api/tickets/{order['tickets'][0]['id']}/transfer"
        data(await buyer.post(path, json={"name": "Bea", "email": "Customer@example.org"}))
        first_fact = await react(services, tenant, "ticket.transferred")
        data(await second.post(path, json={"name": "Cleo", "email": "cleo@example.org"}))
        second_fact = await react(services, tenant, "ticket.transferred")
        late = await delivered(services, tenant, first_fact)
        good = await delivered(services, tenant, second_fact)
    assert set(files(late["Customer@example.org"])) == {"tickets.txt", "show.ics"}
    assert "no longer valid" in files(late["Customer@example.org"])["tickets.txt"]
    assert files(good["cleo@example.org"])["tickets.pdf"].startswith(b"%PDF-")


@pytest.mark.req("BUY-5", "AUD-1")
async def test_staff_send_an_orders_tickets_again(client: Client, services: Services, tenant: Tenant) -> None:
    owner, staff = client.as_(tenant.tokens["owner"]), client.as_(tenant.tokens["staff"])
    sale = await selling(owner)
    buyer = await guest(client, tenant)
    order = data(await buy(buyer, await begun(buyer, sale, 0)), 201)
    path = f"/api/orders/{order['id']}/send"
    for _ in range(2):  # as often as somebody asks
        assert (await staff.post(path)).status_code == 202
    async with services.database.tenant(tenant.id) as tx:
        mails = await tx.fetch("SELECT recipient, template, enclosures FROM mails WHERE about IS NULL")
        noted = await tx.fetchval("SELECT count(*) FROM audit_log WHERE action = 'order.sent_again'")
    assert [(mail["recipient"], mail["template"]) for mail in mails] == [("ada@example.org", "order_confirmed")] * 2
    assert noted == 2
    wish, key = {"reason": "Ill."}, {"idempotency-key": "1"}
    data(await owner.post(f"/api/orders/{order['id']}/refunds", json=wish, headers=key), 201)
    assert refused(await staff.post(path)) == (409, "nothing_to_send")
