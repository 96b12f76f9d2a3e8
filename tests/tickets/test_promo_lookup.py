"""A promo code is looked up before anything is chosen: what it does, or why it is not valid."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from fullhouse.kit.cache.limits import Limit
from fullhouse.tickets import policy
from fullhouse.tickets.promo_codes import reads
from fullhouse.tickets.types.model import PromoCode, PromoExpired, PromoNotStarted, PromoUnknown
from tests.accounts.helpers import data, refused
from tests.checkout.helpers import Sale, add_promo, add_type, hold, selling_types, start
from tests.events.helpers import draft
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest

pytestmark = pytest.mark.req("TT-1", "BUY-6")
NOW = datetime.now(UTC)
LATER, BEFORE = NOW + timedelta(hours=1), NOW - timedelta(hours=1)


@pytest.fixture
def house(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["owner"])


@pytest.fixture
async def sale(house: Client) -> Sale:
    """With a hidden type beside the one for all."""
    sale = await selling_types(house, 10)
    hidden = await add_type(house, sale.event_id, name="friends", price=100, quantity=4, kind="ga", hidden=True)
    return msgspec.structs.replace(sale, types=sale.types | {"friends": hidden})


async def add(sale: Sale, **said: Any) -> Any:
    wish = {"code": "FRIENDS", "kind": "access", "amount": None, "max_uses": None}
    return await add_promo(sale.staff, sale, **wish | said)


async def look(client: Client, sale: Sale, code: str = "FRIENDS") -> Any:
    return await client.get(sale.path("promo-code"), params={"code": code})


async def test_a_code_says_what_it_shows(client: Client, sale: Sale) -> None:
    """Typed in small letters, by somebody who is not known; of its types only the hidden ones are shown by it."""
    both = [sale.types["entry"], sale.types["friends"]]
    await add(sale, ticket_type_ids=both, valid_until=LATER.isoformat())
    found = data(await look(client, sale, "  friends "))
    assert datetime.fromisoformat(found.pop("valid_until")) == LATER
    assert found == {
        "code": "FRIENDS",
        "kind": "access",
        "basis_points": None,
        "amount": None,
        "left": None,
        "ticket_type_ids": both,
        "shown_type_ids": [sale.types["friends"]],
    }


async def test_a_code_says_what_it_takes_off(client: Client, sale: Sale, owner: Any) -> None:
    await add(sale, code="TENTH", kind="percent", basis_points=1000)
    tenth = data(await look(client, sale, "TENTH"))
    assert (tenth["kind"], tenth["basis_points"], tenth["amount"], tenth["left"]) == ("percent", 1000, None, None)
    assert (tenth["ticket_type_ids"], tenth["shown_type_ids"]) == ([], [])
    fixed = await add(sale, code="FIVER", kind="fixed", amount=500, budget=2000)
    await owner.execute("UPDATE promo_codes SET spent = 1700 WHERE id = $1", fixed["id"])
    fiver = data(await look(client, sale, "FIVER"))
    assert (fiver["amount"], fiver["left"]) == (500, 300)


REFUSED: dict[str, tuple[dict[str, Any], tuple[int, str] | None]] = {
    "switched off": ({"active": False}, (422, "promo_code_unknown")),
    "for later": ({"valid_from": LATER}, (422, "promo_code_not_started")),
    "begun": ({"valid_from": BEFORE}, None),
    "over": ({"valid_until": BEFORE}, (422, "promo_code_expired")),
    "not over": ({"valid_until": LATER}, None),
    "used up": ({"uses": 3, "max_uses": 3}, (409, "promo_code_used_up")),
    "with a use left": ({"uses": 2, "max_uses": 3}, None),
    "without budget": ({"budget": 3, "spent": 3}, (409, "promo_code_used_up")),
}


@pytest.mark.parametrize(("said", "expected"), list(REFUSED.values()), ids=list(REFUSED))
async def test_a_code_that_is_not_valid_is_refused_as_checkout_would(
    client: Client, tenant: Tenant, sale: Sale, owner: Any, said: dict[str, Any], expected: tuple[int, str] | None
) -> None:
    promo = await add(sale, ticket_type_ids=[sale.types["friends"]])
    for column, value in said.items():
        await owner.execute(f"UPDATE promo_codes SET {column} = $2 WHERE id = $1", promo["id"], value)
    buyer = await guest(client, tenant)
    answers = [
        await look(client, sale),
        await start(buyer, sale, await hold(buyer, sale, entry=1), promo_code="FRIENDS"),
    ]
    if expected is None:
        assert [answer.status_code for answer in answers] == [200, 201]
        return
    assert [refused(answer) for answer in answers] == [expected] * 2
    if expected[1] == "promo_code_not_started":
        assert datetime.fromisoformat(answers[0].json()["valid_from"]) == LATER


SECOND = timedelta(seconds=1)


@pytest.mark.parametrize(
    ("said", "now", "refusal"),
    [
        ({"valid_from": NOW}, NOW - SECOND, PromoNotStarted),
        ({"valid_from": NOW}, NOW, None),
        ({"valid_until": NOW}, NOW - SECOND, None),
        ({"valid_until": NOW}, NOW, PromoExpired),
        ({"valid_from": LATER, "active": False}, NOW, PromoUnknown),  # of what is switched off nothing is told
    ],
)
def test_a_code_is_valid_from_its_first_moment_to_before_its_last(
    said: dict[str, Any], now: datetime, refusal: type[Exception] | None
) -> None:
    none: Any = dict.fromkeys(PromoCode.__struct_fields__)
    promo = PromoCode(**none | {"active": True} | said)
    if refusal is None:
        assert policy.check_valid(promo, now) is promo
        return
    with pytest.raises(refusal):
        policy.check_valid(promo, now)


async def test_to_look_takes_no_use(client: Client, sale: Sale) -> None:
    promo = await add(sale, code="ONCE", ticket_type_ids=[sale.types["friends"]], max_uses=1)
    for _ in range(3):
        data(await look(client, sale, "ONCE"))
    (row,) = data(await sale.staff.get(sale.path("promo-codes")))
    assert (row["id"], row["uses"]) == (promo["id"], 0)


async def test_a_code_is_of_one_event_that_the_public_sees(client: Client, house: Client, sale: Sale) -> None:
    await add(sale, ticket_type_ids=[sale.types["friends"]])
    other = await selling_types(house, 1)
    assert refused(await look(client, other)) == (422, "promo_code_unknown")
    assert refused(await look(client, sale, "FRIEND")) == (422, "promo_code_unknown")
    hidden = await draft(house)
    unseen = await client.get(f"/api/events/{hidden['id']}/promo-code", params={"code": "FRIENDS"})
    assert refused(unseen) == (404, "event_not_found")


@pytest.mark.parametrize("query", [{}, {"code": ""}, {"code": "x" * 41}], ids=["none", "empty", "long"])
async def test_what_cannot_be_a_code_is_malformed(client: Client, sale: Sale, query: dict[str, str]) -> None:
    assert refused(await client.get(sale.path("promo-code"), params=query)) == (422, "invalid")


@pytest.mark.parametrize("at", ["promo-code", "offers"])
async def test_who_guesses_is_stopped_before_they_find_one(
    client: Client, sale: Sale, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    """Whoever asks again with a code that is valid is not; and what needs no code is open to all."""
    seconds = {"promo-code": 7200, "offers": 10800}[at]  # each has a window of its own, and no other test has it
    monkeypatch.setattr(reads, "INVALID_CODES_LIMIT", Limit(3, seconds))
    await add(sale, ticket_type_ids=[sale.types["friends"]])

    async def ask(code: str) -> Any:
        return await client.get(sale.path(at), params={"code": code})

    for _ in range(5):
        data(await ask("FRIENDS"))
    assert [refused(await ask(f"GUESS{n}"))[0] for n in range(3)] == [422] * 3
    stopped = await ask("FRIENDS")  # not even that it is one
    assert refused(stopped) == (429, "rate_limited")
    assert int(stopped.headers["retry-after"]) > 0
    assert refused(await ask("GUESS")) == (429, "rate_limited")
    data(await client.get(sale.path("offers")))
