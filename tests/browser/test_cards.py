"""Where cards are taken by Stripe: its fields in our page, from its own address and no other. What stands in for it
here asks for all that the real one does: a script, a frame, and a call."""

import re
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
from playwright.async_api import Route, expect

from fullhouse.config import Config
from fullhouse.kit.http.server import Server
from fullhouse.processes import app as application
from tests.accounts.helpers import data
from tests.browser import counter
from tests.browser.chromium import Visit, Visitor
from tests.checkout.helpers import Sale
from tests.fixtures import Client, Tenant
from tests.payments.stripe_fake import StripeFake
from tests.payments.stripe_house import fake, hook, with_stripe
from tests.test_serve import House

__all__ = ["fake", "with_stripe"]  # the fixtures
KEY = "pk_test_for_everybody"
FIELDS = '<!doctype html><html lang="en"><title>Card</title><label>Card number <input></label></html>'
STAND_IN = """
window.Stripe = (key) => ({
  elements: (options) => ({
    create: () => ({
      mount(place) {
        const frame = document.createElement('iframe');
        frame.title = 'Secure payment input frame';
        frame.src = 'https://js.stripe.com/v3/fields.html#' + key + '/' + options.amount + '/' + options.currency;
        place.append(frame);
        this.frame = frame;
      },
      unmount() { this.frame.remove(); },
      on() {},
    }),
    submit: async () => ({}),
  }),
  confirmPayment: async ({ clientSecret, confirmParams }) => {
    const body = JSON.stringify({ clientSecret, ...confirmParams.payment_method_data.billing_details });
    return (await fetch('https://api.stripe.com/v1/confirm', { method: 'POST', body })).json();
  },
});
"""


@pytest.fixture
async def origin(house: House, with_stripe: Config) -> AsyncIterator[str]:
    """A server of its own that knows Stripe; the house's worker does the rest. Its files are the house's, too: pages of
    other tests show them."""
    assert with_stripe.stripe
    keys = msgspec.structs.replace(with_stripe.stripe, publishable_key=KEY)
    app = application.build(msgspec.structs.replace(with_stripe, stripe=keys, home=house.home))
    await app.open()
    server = Server(app.serve)
    await server.listen("127.0.0.1", 0)
    yield f"http://127.0.0.1:{server.port}"
    app.end_streams()
    await server.close(1)
    await app.close()


class Bank:
    """Stripe, as a browser meets it. It declines as often as it is told to."""

    def __init__(self, fake: StripeFake, client: Client) -> None:
        self.fake, self.client = fake, client
        self.declines = 0
        self.buyers: list[dict[str, str]] = []

    async def open(self, visitor: Visitor) -> None:
        visitor.may_reach("https://js.stripe.com/v3/", "https://api.stripe.com/v1/confirm")
        await visitor.context.route("https://js.stripe.com/v3/", self._script)
        await visitor.context.route("https://js.stripe.com/v3/fields.html", self._fields)
        await visitor.context.route("https://api.stripe.com/v1/confirm", self._confirm)

    async def _script(self, route: Route) -> None:
        await route.fulfill(body=STAND_IN, content_type="text/javascript")

    async def _fields(self, route: Route) -> None:
        await route.fulfill(body=FIELDS, content_type="text/html")

    async def _confirm(self, route: Route) -> None:
        asked: dict[str, str] = route.request.post_data_json or {}
        self.buyers.append(asked)
        answer: dict[str, Any] = {"paymentIntent": {"status": "succeeded"}}
        if self.declines:
            self.declines -= 1
            answer = {"error": {"code": "card_declined", "message": "Your card was declined."}}
        else:
            self.fake.pay(asked["clientSecret"].removesuffix("_secret"))
            assert (await hook(self.client, self.fake.events[-1])).status_code < 300
        await route.fulfill(json=answer, headers={"access-control-allow-origin": "*"})


@pytest.fixture
def bank(fake: StripeFake, client: Client) -> Bank:
    return Bank(fake, client)


async def _at_the_fields(visit: Visit, tenant: Tenant, bank: Bank) -> Visitor:
    visitor = await counter.at_the_map(visit, tenant)
    assert not [address for address in visitor.addresses if "stripe" in address], "before anybody pays"
    await bank.open(visitor)
    await counter.best(visitor.page, 2)
    await counter.to_checkout(visitor.page)
    await counter.fill_in(visitor.page)
    return visitor


@pytest.mark.req("BUY-3")
async def test_a_card_is_declined_and_another_pays(visit: Visit, staff: Client, tenant: Tenant, bank: Bank) -> None:
    sale: Sale = await counter.small_house(staff)
    visitor = await _at_the_fields(visit, tenant, bank)
    page = visitor.page
    fields = page.frame_locator("iframe[title='Secure payment input frame']")
    await expect(fields.get_by_label("Card number")).to_be_visible()
    bank.declines = 1
    await page.get_by_role("button", name=re.compile("^Pay ")).click()
    await expect(page.get_by_role("alert")).to_have_text("Your card was declined. Your tickets are still held for you.")
    await expect(counter.basket(page).get_by_text(re.compile(r"row \w+, seat \d+"))).to_have_count(2)
    assert await visitor.violations() == [], "declined"
    await counter.pay(page)
    (order,) = data(await staff.get(sale.path("orders")))
    assert (order["status"], len(bank.fake.intents)) == ("paid", 1)
    assert [(buyer["name"], buyer["email"]) for buyer in bank.buyers] == [(counter.NAME, counter.EMAIL)] * 2


@pytest.mark.req("BUY-3")
async def test_stripe_is_out_of_reach_and_comes_back(visit: Visit, staff: Client, tenant: Tenant, bank: Bank) -> None:
    await counter.small_house(staff)
    visitor = await counter.at_the_map(visit, tenant)
    visitor.expects("js.stripe.com")
    visitor.may_reach("https://js.stripe.com/")
    page = visitor.page
    await visitor.context.route("https://js.stripe.com/**", lambda route: route.abort())
    await counter.best(page, 1)
    await counter.to_checkout(page)
    await expect(page.get_by_text("Couldn’t load the card form.")).to_be_visible()
    assert await visitor.violations() == [], "without the fields"
    await counter.fill_in(page)
    await bank.open(visitor)
    await page.get_by_role("button", name="Try again").click()
    await expect(page.locator("iframe[title='Secure payment input frame']")).to_be_visible()
    await counter.pay(page)


async def test_nobody_else_is_let_in_beside_stripe(visit: Visit, staff: Client, tenant: Tenant, bank: Bank) -> None:
    await counter.small_house(staff)
    visitor = await _at_the_fields(visit, tenant, bank)
    visitor.expects("Content Security Policy", "content security policy")
    visitor.may_reach("https://stripe.example/")  # it is asked for, and refused before it leaves
    blocked = await visitor.page.evaluate(
        """() => new Promise((done) => {
             const found = [];
             document.addEventListener('securitypolicyviolation', (event) => {
               found.push(event.effectiveDirective);
               if (found.length === 3) done(found.sort());
             });
             const put = (name, src) => document.body.append(Object.assign(document.createElement(name), { src }));
             put('script', 'https://stripe.example/v3/');
             put('iframe', 'https://stripe.example/fields.html');
             fetch('https://js.stripe.com/v3/').catch(() => {}); // a script's address is not one to talk to
           })"""
    )
    assert blocked == ["connect-src", "frame-src", "script-src-elem"]
