"""Signing in, one's own tickets, an order's page, and what other sites may frame."""

import re
from datetime import timedelta
from typing import Any

import asyncpg
import msgspec
import pytest

from fullhouse import config
from fullhouse.kit.ids import new_id
from fullhouse.web import content_security
from tests.accounts.helpers import data
from tests.checkout.helpers import begun, bought, buy, selling
from tests.events.helpers import move, show_in
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest
from tests.web.helpers import Seen, seen


@pytest.fixture
def house(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["owner"])


# --- signing in


async def test_the_sign_in_page_knows_where_somebody_comes_from(client: Client, tenant: Tenant) -> None:
    page = await seen(client, "/sign-in", at=tenant.organization.slug)
    assert page.all("input", name="organization") == [
        {"type": "hidden", "name": "organization", "value": tenant.organization.slug}
    ]
    assert tenant.organization.name in page.text
    assert page.all("input", name="password")[0]["autocomplete"] == "current-password"
    assert page.meta("robots") == "noindex"
    nowhere = await seen(client, "/sign-in", at="no-such-house")
    chosen = [a for _, a in nowhere.elements if a.get("name") == "organization"]
    assert len(chosen) == 1
    assert chosen[0].get("value") != "no-such-house"


async def test_who_signs_in_from_a_show_comes_back_to_it(client: Client, house: Client, tenant: Tenant) -> None:
    await show_in(house, "published")
    at = tenant.organization.slug
    for path in (f"/o/{at}", f"/o/{at}/the-tempest"):
        assert f"/sign-in?at={at}&next={path}" in (await seen(client, path)).links()
    assert "/sign-in" in (await seen(client, "/")).links()


async def test_pages_about_oneself_carry_nothing_of_anybody(client: Client, tenant: Tenant) -> None:
    """They are the same for all: the page's script asks with the session."""
    paths = ("/sign-in", "/join", "/my", f"/my/tickets/{new_id()}")
    for path in paths:
        answer = await client.get(path, headers={"cookie": f"fullhouse={tenant.tokens['customer']}"})
        assert answer.status_code == 200
        assert (answer.headers["cache-control"], answer.headers["x-robots-tag"]) == ("private, no-cache", "noindex")
        assert answer.text == (await client.get(path)).text
    page = await seen(client, "/my", at=tenant.organization.slug)
    (place,) = [a for _, a in page.elements if "data-my-tickets" in a]
    assert place["data-house"] == str(tenant.id)


async def test_what_keeps_tickets_stands_at_the_root(client: Client) -> None:
    answer = await client.get("/tickets-sw.js")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.headers["content-security-policy"] == "default-src 'none'; connect-src 'self'"


# --- an order


@pytest.mark.req("BUY-5")
@pytest.mark.parametrize(
    ("language", "words"), [("en", ("row A, seat 4", "Total")), ("af", ("ry A, sitplek 4", "Totaal"))]
)
async def test_an_orders_page_has_its_codes_in_it(
    client: Client, house: Client, tenant: Tenant, language: str, words: tuple[str, str]
) -> None:
    """As pictures in the page itself: it opens where there is no connection, once it was seen."""
    order = await bought(client, tenant, await selling(house), 3)
    answer = await client.get(f"/orders/{order['secret']}", headers={"accept-language": language})
    page = Seen(answer)
    assert len([a for a in page.all("svg") if "aria-hidden" not in a]) == 1  # beside the house's mark
    assert [a for _, a in page.elements if "data-keep" in a]
    assert all(word in page.text for word in words)
    assert answer.headers["cache-control"] == "private, no-store"
    assert order["tickets"][0]["number"] in page.text


async def test_seats_of_one_price_are_one_line_of_the_bill(client: Client, house: Client, tenant: Tenant) -> None:
    order = await bought(client, tenant, await selling(house), 3, 4)
    page = Seen(await client.get(f"/orders/{order['secret']}", headers={"accept-language": "en"}))
    assert "2 × " in page.text


# --- my tickets, by state


@pytest.mark.req("BUY-5", "TEN-2")
async def test_tickets_by_state(client: Client, house: Client, tenant: Tenant, owner: Any) -> None:
    sale = await selling(house)
    buyer = await guest(client, tenant)
    order = data(await buy(buyer, await begun(buyer, sale, 0, 1, 2)), 201)
    gone, void, kept = (ticket["id"] for ticket in order["tickets"])

    async def ids(group: str, who: Client = buyer) -> set[str]:
        return {ticket["id"] for ticket in data(await who.get("/api/me/tickets", params={"group": group}))}

    assert await ids("upcoming") == {gone, void, kept}
    friend = client.as_(tenant.tokens["customer"])
    to = {"name": "Cara", "email": "customer@example.org"}
    data(await buyer.post(f"/api/tickets/{gone}/transfer", json=to))
    data(await house.post(f"/api/tickets/{void}/cancel", json={"reason": "Ill"}))
    assert (await ids("upcoming"), await ids("transferred"), await ids("refunded")) == ({kept}, {gone}, {void})
    assert (await ids("upcoming", friend), await ids("transferred", friend)) == ({gone}, set())

    (passed_on,) = data(await buyer.get("/api/me/tickets", params={"group": "transferred"}))
    assert (passed_on["qr"], passed_on["code"], passed_on["holder_name"], passed_on["holder_email"]) == (
        None,
        "",
        "",
        "",
    )
    assert passed_on["holder_user_id"] is None

    assert await ids("past") == set()
    await owner.execute("UPDATE events SET status = 'ended' WHERE id::text = $1", str(sale.event_id))
    assert (await ids("past"), await ids("upcoming"), await ids("refunded")) == ({kept}, set(), {void})
    other = await guest(client, tenant)
    assert not await ids("upcoming", other) | await ids("transferred", other)
    assert (await buyer.get("/api/me/tickets", params={"group": "lost"})).status_code == 422


@pytest.mark.req("BUY-5")
async def test_what_comes_first_stands_first_page_by_page(
    client: Client, house: Client, tenant: Tenant, owner: Any
) -> None:
    """Whenever it was bought, and by the date that counts: a show that waits for one is last."""
    nobody_knows, moved, later, sooner = [await selling(house) for _ in range(4)]
    buyer = await guest(client, tenant)
    for sale in (sooner, later, moved, nobody_knows):
        data(await buy(buyer, await begun(buyer, sale, 0, 1)), 201)
    await owner.execute(
        "UPDATE events SET start_at = start_at + interval '1 day', end_at = end_at + interval '1 day' WHERE id = $1",
        later.event_id,
    )
    for sale in (moved, nobody_knows):
        data(await move(house, {"id": str(sale.event_id)}, "postpone"))
    two_days = timedelta(days=2)
    await owner.execute("UPDATE events SET rescheduled_at = start_at + $2 WHERE id = $1", moved.event_id, two_days)
    asked, seen = {"group": "upcoming", "limit": "3"}, []
    for _ in range(3):
        page = (await buyer.get("/api/me/tickets", params=asked)).json()
        seen += [(ticket["event_id"], ticket["seat"]) for ticket in page["data"]]
        asked["cursor"] = page["next_cursor"]
    assert asked["cursor"] is None
    in_order = (sooner, later, moved, nobody_knows)
    assert seen == [(str(sale.event_id), seat) for sale in in_order for seat in ("1", "2")]


@pytest.mark.req("BUY-5")
async def test_tickets_are_mailed_again_to_the_orders_own_address(
    client: Client, house: Client, tenant: Tenant, owner: Any
) -> None:
    sale = await selling(house)
    buyer = await guest(client, tenant)
    order = data(await buy(buyer, await begun(buyer, sale, 0)), 201)
    path = f"/api/orders/{order['id']}/resend"

    async def letters() -> list[str]:
        found = await owner.fetch(
            "SELECT recipient FROM mails WHERE organization_id = $1 AND template = 'order_confirmed'", tenant.id
        )
        return [row["recipient"] for row in found]

    assert (await (await guest(client, tenant)).post(path)).status_code == 404
    assert await letters() == []
    for _ in range(3):
        assert (await buyer.post(path)).status_code == 202
    assert (await buyer.post(path)).status_code == 429
    assert await letters() == ["ada@example.org"] * 3
    data(await house.post(f"/api/tickets/{order['tickets'][0]['id']}/cancel", json={"reason": "Ill"}))
    refused = await buyer.post(path)
    assert (refused.status_code, refused.json()["code"]) == (409, "nothing_to_send")


@pytest.mark.req("BUY-5")
async def test_whoever_has_the_orders_page_may_have_its_letter_sent_again(
    client: Client, house: Client, tenant: Tenant, owner: Any
) -> None:
    order = await bought(client, tenant, await selling(house), 0)
    page = Seen(await client.get(f"/orders/{order['secret']}"))
    assert [a for _, a in page.elements if "data-resend" in a]

    async def ask(secret: str) -> Any:
        return await client.post("/api/order/resend", headers={"authorization": f"Bearer {secret}"})

    for wrong in ("", "nonsense", order["secret"][:-4] + "AAAA"):
        assert (await ask(wrong)).status_code == 404
    for _ in range(3):
        assert (await ask(order["secret"])).status_code == 202
    assert (await ask(order["secret"])).status_code == 429
    rows = await owner.fetch("SELECT recipient FROM mails WHERE organization_id = $1", tenant.id)
    assert [row["recipient"] for row in rows] == ["ada@example.org"] * 3
    data(await house.post(f"/api/tickets/{order['tickets'][0]['id']}/cancel", json={"reason": "Ill"}))
    refused = await ask(order["secret"])
    assert (refused.status_code, refused.json()["code"]) == (409, "nothing_to_send")


# --- in other sites


async def test_a_show_can_be_framed_by_others_and_nothing_else_can(
    client: Client, house: Client, tenant: Tenant
) -> None:
    event = await show_in(house, "published", tickets=True)
    path = f"{tenant.organization.slug}/{event['slug']}"
    framed = await client.get(f"/embed/{path}")
    assert "frame-ancestors http: https:" in framed.headers["content-security-policy"]
    assert "x-frame-options" not in framed.headers
    page = Seen(framed)
    (office,) = [a for _, a in page.elements if "data-box-office" in a]
    assert "data-embedded" in office
    assert office["data-event"] == event["id"]
    for other in (f"/o/{path}", "/my", "/sign-in", f"/o/{tenant.organization.slug}"):
        assert "frame-ancestors 'none'" in (await client.get(other)).headers["content-security-policy"]
    assert (await client.get(f"/embed/{path}-not")).status_code == 404


def ancestors(answer: Any) -> str:
    rules = dict(rule.split(" ", 1) for rule in answer.headers["content-security-policy"].split("; "))
    assert set(rules) == {name.partition(" ")[0] for name in content_security.DEFAULT.split("; ")}
    return str(rules["frame-ancestors"])


async def test_an_organisation_names_who_may_frame_its_shows(
    client: Client, house: Client, tenant: Tenant, other_tenant: Tenant
) -> None:
    event = await show_in(house, "published")
    path = f"/embed/{tenant.organization.slug}/{event['slug']}"
    first = await client.get(path)
    assert ancestors(first) == "http: https:"
    sites = ["https://WWW.Harbour.example", "http://localhost:8080", "https://*.harbour.example", "https://192.0.2.7"]
    changed = data(await house.patch("/api/org", json={"embed_origins": [*sites, sites[0].lower()]}))
    assert changed["embed_origins"] == [site.lower() for site in sites]
    said = " ".join(changed["embed_origins"])
    assert ancestors(await client.get(path)) == said
    # Whoever has the page in their browser already hears of it, too.
    again = await client.get(path, headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, ancestors(again)) == (304, said)
    assert ancestors(await client.get(f"/o/{path.removeprefix('/embed/')}")) == "'none'"
    others = await show_in(client.as_(other_tenant.tokens["owner"]), "published")
    assert ancestors(await client.get(f"/embed/{other_tenant.organization.slug}/{others['slug']}")) == "http: https:"
    data(await house.patch("/api/org", json={"embed_origins": []}))
    assert ancestors(await client.get(path)) == "http: https:"


NO_ORIGINS = (
    "*", "https:", "https://", "https://*", "https://*.example", "https://*.*.example.org", "https://a.*.example",
    "https://www.*", "//a.example", "a.example", "ftp://a.example", "javascript://a.example", "data:text/html,x",
    "https://a.example/", "https://a.example/shop", "https://a.example?x", "https://a.example#x",
    "https://user@a.example", "https://a.example:", "https://a.example:0", "https://a.example:70000",
    "https://a.example:*", "https://a.example; script-src *", "https://a.example;script-src",
    "https://a.example b.example", "https://a.example,https://b.example", "https://a.example\r\nset-cookie: x=1",
    "https://a.example\nx: y",
    "https://a.example\t", " https://a.example", "https://a.example ", "https://a_b.example", "https://-a.example",
    "https://a..example", "https://.example", "https://é.example", "https://[::1]", "'self'", "'none'", "",
)  # fmt: skip


@pytest.mark.parametrize("site", NO_ORIGINS)
async def test_what_is_no_origin_comes_into_no_header(site: str, house: Client, owner: Any, tenant: Tenant) -> None:
    refused = await house.patch("/api/org", json={"embed_origins": ["https://a.example", site]})
    assert refused.status_code == 422, site
    assert refused.json()["fields"][0]["path"].startswith("embed_origins")
    assert data(await house.get("/api/org"))["embed_origins"] == []


@pytest.mark.parametrize(
    "site", ["https://a.example; script-src *", "https://a.example\r\nx: y", "'self'", 'https://a"b']
)
async def test_nor_does_it_come_into_the_table(site: str, owner: Any, tenant: Tenant) -> None:
    """Whoever writes past the API: the column forbids what could leave its place in the header."""
    with pytest.raises(asyncpg.CheckViolationError):
        await owner.execute(
            "UPDATE organization_settings SET embed_origins = $2 WHERE organization_id = $1", tenant.id, [site]
        )


async def test_there_are_twenty_sites_at_most(house: Client) -> None:
    sites = [f"https://a{n}.example" for n in range(21)]
    assert (await house.patch("/api/org", json={"embed_origins": sites})).status_code == 422
    assert len(data(await house.patch("/api/org", json={"embed_origins": sites[:20]}))["embed_origins"]) == 20


async def test_the_widgets_script_hears_its_own_frame_only(client: Client) -> None:
    answer = await client.get("/widget.js")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert "event.source !== frame.contentWindow || event.origin !== origin" in answer.text


# --- Stripe in the browser


def test_a_page_may_load_stripe_only_where_cards_are_taken() -> None:
    assert "stripe" not in content_security.DEFAULT
    with_cards = dict(rule.split(" ", 1) for rule in content_security.policy(stripe=True).split("; "))
    assert with_cards["script-src"] == "'self' https://js.stripe.com https://*.js.stripe.com"
    assert with_cards["connect-src"] == "'self' https://api.stripe.com"
    assert "https://js.stripe.com" in with_cards["frame-src"]
    assert with_cards["frame-ancestors"] == "'none'"
    assert not re.search(r"unsafe|\*(?!\.)", content_security.policy(stripe=True, framed_by=()))


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"STRIPE_SECRET_KEY": "sk_1", "STRIPE_PUBLISHABLE_KEY": "sk_1"}, "must begin with pk_"),
        ({"STRIPE_PUBLISHABLE_KEY": "pk_1"}, "STRIPE_SECRET_KEY must be set as well"),
    ],
)
def test_half_of_stripe_is_found_at_the_start(keys: dict[str, str], sentence: str) -> None:
    with pytest.raises(config.ConfigError, match=sentence):
        config.load(keys)


def test_the_publishable_key_is_read() -> None:
    keys = config.load({"STRIPE_SECRET_KEY": "sk_1", "STRIPE_PUBLISHABLE_KEY": "pk_1"}).stripe
    assert keys
    assert msgspec.structs.asdict(keys)["publishable_key"] == "pk_1"
