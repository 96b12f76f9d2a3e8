"""Letters, and what goes with them, in the language of the page on which somebody bought, waited or signed in."""

from typing import Any

import pytest

from fullhouse.kit.actors import Actor
from fullhouse.kit.mail import mailbox
from fullhouse.kit.services import Services, open_parts
from fullhouse.mail.model import EventCancelled
from fullhouse.mail.samples import SAMPLES
from fullhouse.payments.providers.actions import Providers
from tests.accounts.helpers import data
from tests.checkout.helpers import BUYER, begun, buy, selling
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest
from tests.messaging.test_handouts import delivered, files, react


async def text_of(services: Services, tenant: Tenant, fact: str) -> tuple[str, dict[str | None, Any]]:
    (letter,) = (await delivered(services, tenant, await react(services, tenant, fact))).values()
    body = letter.get_body(("plain",))
    assert body
    return body.get_content(), files(letter)


@pytest.mark.req("BUY-5")
async def test_who_buys_in_afrikaans_gets_afrikaans_and_so_do_all_later_letters(
    client: Client, services: Services, tenant: Tenant
) -> None:
    async with open_parts(services, (Providers,)):
        sale = await selling(client.as_(tenant.tokens["owner"]))
        buyer = await guest(client, tenant)
        buyer.headers["accept-language"] = "af-ZA, en;q=0.5"
        order = data(await buy(buyer, await begun(buyer, sale, 0)), 201)
        text, enclosed = await text_of(services, tenant, "order.paid")
        assert "Dankie vir jou bestelling. Jou kaartjies is by hierdie e-pos aangeheg." in text
        assert "ry A, sitplek 1" in text
        assert "X-WR-CALNAME:Jou kaartjies" in str(enclosed["show.ics"])
        assert enclosed["tickets.pdf"].startswith(b"%PDF-")
        async with services.database.tenant(tenant.id) as tx:
            show = SAMPLES["event_cancelled"]
            assert isinstance(show, EventCancelled)
            await mailbox.enqueue_email(tx, "ADA@example.org", show)
            [subject] = await tx.fetch("SELECT subject FROM mails WHERE recipient = 'ADA@example.org'")
    assert subject["subject"] == "Gekanselleer: The Tempest"
    pdf = await buyer.get(f"/api/tickets/{order['tickets'][0]['id']}.pdf")
    assert b"/Lang (af)" in pdf.content or b"Lang(af)" in pdf.content.replace(b" ", b"")


async def test_a_choice_on_the_pages_counts_before_what_a_browser_prefers(
    client: Client, services: Services, tenant: Tenant
) -> None:
    async with open_parts(services, (Providers,)):
        sale = await selling(client.as_(tenant.tokens["owner"]))
        buyer = await guest(client, tenant)
        buyer.headers.update({"accept-language": "en-GB", "cookie": "fullhouse_lang=af"})
        data(await buy(buyer, await begun(buyer, sale, 0)), 201)
        assert "Dankie vir jou bestelling." in (await text_of(services, tenant, "order.paid"))[0]


async def test_of_whom_nobody_knows_what_they_read_is_written_to_as_the_house_speaks(
    client: Client, services: Services, tenant: Tenant
) -> None:
    async with open_parts(services, (Providers,)):
        owner = client.as_(tenant.tokens["owner"])
        data(await owner.patch("/api/org", json={"locale": "af"}))
        sale = await selling(owner)
        buyer = await guest(client, tenant)
        data(await buy(buyer, await begun(buyer, sale, 0)), 201)
        assert "Dankie vir jou bestelling." in (await text_of(services, tenant, "order.paid"))[0]


async def test_a_link_to_sign_in_is_in_the_language_of_whoever_asks_and_changes_nobodys(
    client: Client, services: Services, tenant: Tenant
) -> None:
    async with services.database.tenant(tenant.id, Actor(type="user", language="en")) as tx:
        await mailbox.record_language(tx, "ada@example.org")
    wish = {"organization": tenant.organization.slug, "email": "ada@example.org"}
    assert (await client.post("/api/auth/magic-link", json=wish, headers={"accept-language": "af"})).status_code == 202
    async with services.database.tenant(tenant.id) as tx:
        [row] = await tx.fetch("SELECT subject FROM mails WHERE recipient = 'ada@example.org'")
        assert await mailbox.find_languages(tx, ["Ada@example.org"]) == {"ada@example.org": "en"}
    assert row["subject"].startswith("Meld aan by ")


@pytest.mark.parametrize(
    ("who", "known", "reads"),
    [
        ("guest", "en", "en"),  # anybody may type this address
        ("guest", None, "af"),
        ("customer", "en", "en"),  # signed in, but with another address
        ("herself", "en", "af"),
        ("owner", "en", "en"),
        ("owner", None, None),  # whoever sells for somebody says nothing about what they read
    ],
)
async def test_only_who_is_at_an_address_changes_its_language(
    client: Client, services: Services, tenant: Tenant, owner: Any, who: str, known: str | None, reads: str | None
) -> None:
    sale = await selling(client.as_(tenant.tokens["owner"]))
    if known:
        async with services.database.tenant(tenant.id, Actor(type="user", language=known)) as tx:
            await mailbox.record_language(tx, BUYER["email"])
    if who == "herself":
        await owner.execute(
            "UPDATE users SET email = $1 WHERE id = $2", BUYER["email"].upper(), tenant.principal("customer").id
        )
    role = "customer" if who == "herself" else who
    buyer = await guest(client, tenant) if who == "guest" else client.as_(tenant.tokens[role])
    buyer.headers["accept-language"] = "af"
    data(await buy(buyer, await begun(buyer, sale, 0)), 201)
    async with services.database.tenant(tenant.id) as tx:
        assert (await mailbox.find_languages(tx, [BUYER["email"]])).get(BUYER["email"]) == reads


@pytest.mark.parametrize(("language", "sure"), [("en", True), ("af", False)])
async def test_what_changes_nothing_waits_for_nobody(
    services: Services, tenant: Tenant, language: str, sure: bool
) -> None:
    async with services.database.tenant(tenant.id, Actor(type="user", language="en")) as tx:
        await mailbox.record_language(tx, "ada@example.org")
    async with (
        services.database.tenant(tenant.id) as first,
        services.database.tenant(tenant.id, Actor(type="user", language=language)) as second,
    ):
        await first.execute("SELECT FROM mail_readers WHERE email = 'ada@example.org' FOR UPDATE")
        await second.execute("SET LOCAL lock_timeout = '100ms'")
        await mailbox.record_language(second, "ada@example.org", sure=sure)
