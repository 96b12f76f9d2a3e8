"""The event service and the search: what they call things, what may be asked of them, and how they order."""

import string
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fullhouse.events.public import actions, reads
from fullhouse.events.public.reads import Filters
from fullhouse.kit.services import Services
from fullhouse.kit.text import fold, to_tsquery
from tests.accounts.helpers import data, refused
from tests.events.helpers import DAY, NEW_DATE, SHOW, draft, make_venue, move, poster, show_in
from tests.fixtures import Client, Tenant

SERVICE = "/event/v1/events"
_ANY_TIME = settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
_TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=50)
_ODD = st.text(st.sampled_from("a'\\\"&|!()<->:*§ %_or"), min_size=1, max_size=30)


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


def _word(tenant: Tenant) -> str:
    """One that no other test uses, of letters only."""
    return "zzq" + tenant.id.hex[-10:].translate(str.maketrans(string.digits, "ghijklmnop"))


def _titles(found: Any) -> list[str]:
    return [show["title"] for show in found]


# --- whatever is typed


@pytest.mark.req("SEARCH-1")
@_ANY_TIME
@given(city=_TEXT | _ODD, typed=_TEXT | _ODD)
async def test_any_text_is_searched_for_and_means_nothing_else(services: Services, city: str, typed: str) -> None:
    filters = actions.to_tsquery(actions.filter_lexemes(city=city))
    async with services.database.without_tenant() as tx:
        if filters:
            assert await tx.fetchval(
                "SELECT array_to_tsvector($1) @@ $2::text::tsquery", [f"§city:{fold(city)}"], filters
            )
            assert not await tx.fetchval("SELECT array_to_tsvector($1) @@ $2::text::tsquery", ["§city:x y"], filters)
        await reads.search(tx, to_tsquery(typed), "english", filters, None, None, None, 5)
    for sort in ("latest", "trending"):
        await reads.feed(services, Filters(None, None, None, None, None, to_tsquery(typed)), sort, None, 5)


@pytest.mark.req("SEARCH-1")
@pytest.mark.parametrize("city", ["a\\", "'\\", "\\'", "§:*", "a' | 'b"])
async def test_a_city_of_odd_letters_is_found(admin: Client, client: Client, tenant: Tenant, city: str) -> None:
    word = _word(tenant)
    venue = await make_venue(admin, city=city)
    await show_in(admin, "published", venue_id=venue["id"], name=word)
    for path, asked in (("/api/search", city), (SERVICE, city)):
        assert _titles(data(await client.get(path, params={"q": word, "city": asked}))) == [word]
        assert data(await client.get(path, params={"q": word, "city": "b"})) == []


@pytest.mark.req("SEARCH-1", "FEED-3")
async def test_the_last_word_may_be_unfinished(admin: Client, client: Client, tenant: Tenant) -> None:
    word = _word(tenant)
    title = f"L'{word} rock'n'roll live.example.org"
    await show_in(admin, "published", name=title)
    good = (word, word[:9], word.upper(), f"l'{word}", f"“{word}", f"rock {word[:10]}", f"{word} rock'n'r",
            f'"{word} rock"', f"{word} -opera", f"opera or {word}", f"{word} live.exam")  # fmt: skip
    bad = (f"{word[:9]} rock", f"{word} -rock", f"-{word}", f"{word} opera", "!!", word[1:], f'"{word[:9]}"')
    for path in ("/api/search", SERVICE):
        for q in good:
            assert _titles(data(await client.get(path, params={"q": q}))) == [title], (path, q)
        for q in bad:
            assert title not in _titles(data(await client.get(path, params={"q": q, "limit": 50}))), (path, q)


@pytest.mark.req("SEARCH-1")
def test_typed_words_as_a_query() -> None:
    assert to_tsquery("king lear") == "'king' & 'lear':*"
    assert to_tsquery('"king lear" -hamlet') == "'king lear' & !'hamlet'"
    assert to_tsquery("lear or hamlet") == "'lear' | 'hamlet':*"
    assert to_tsquery("or it's -- & a") == "'it s' & 'a'"
    assert to_tsquery("'\\") == ""


# --- filters


@pytest.mark.req("FEED-3", "SEARCH-1")
async def test_shows_are_found_by_their_time(admin: Client, client: Client, tenant: Tenant) -> None:
    word = _word(tenant)
    venue = await make_venue(admin)
    for day in (1, 2, 3):
        times = {"start_at": f"2090-06-0{day}T19:00:00Z", "end_at": f"2090-06-0{day}T21:00:00Z"}
        await show_in(admin, "published", venue_id=venue["id"], name=f"{word} {day}", **times)
    asked = {
        ("2090-06-02T19:00:00Z", None): [2, 3],  # the first moment belongs to it,
        (None, "2090-06-02T19:00:00Z"): [1],  # the last one does not
        ("2090-06-01T20:00:00Z", "2090-06-03T00:00:00Z"): [2],
        ("2090-06-03T19:00:01Z", None): [],
    }
    for path in (SERVICE, "/api/search"):
        for (since, until), days in asked.items():
            window = {"since": since, "until": until}
            params = {"q": word} | {name: at for name, at in window.items() if at}
            found = sorted(_titles(data(await client.get(path, params=params))))
            assert found == [f"{word} {day}" for day in days], (path, window)


@pytest.mark.req("FEED-3", "SEARCH-1")
async def test_shows_are_found_by_every_state_of_their_sale(
    admin: Client, client: Client, owner: Any, tenant: Tenant
) -> None:
    word = _word(tenant)
    venue = await make_venue(admin, city=word)
    past = (datetime.now().astimezone() - 2 * DAY).isoformat()
    more: dict[str, dict[str, Any]] = {
        "on_sale": {},
        "upcoming": {"sale_start_at": "2090-01-01T00:00:00Z"},
        "closed": {"sale_start_at": past, "sale_end_at": (datetime.now().astimezone() - DAY).isoformat()},
        "sold_out": {},
        "suspended": {},
    }
    shows = {
        state: await show_in(admin, "published", tickets=True, venue_id=venue["id"], name=f"{word} {state}", **said)
        for state, said in more.items()
    }
    await owner.execute("UPDATE public_events SET sold_out = true WHERE event_id::text = $1", shows["sold_out"]["id"])
    data(await move(admin, shows["suspended"], "postpone"))
    for state in more:
        for path, params in ((SERVICE, {"city": word}), (SERVICE, {"q": word}), ("/api/search", {"q": word})):
            found = data(await client.get(path, params=params | {"sale_status": state}))
            assert _titles(found) == [f"{word} {state}"], (path, state)
            assert {show["sale_status"] for show in found} == {state}
        hottest = {"city": word, "sale_status": state, "sort": "trending"}
        assert _titles(data(await client.get(SERVICE, params=hottest))) == [f"{word} {state}"]


# --- without a date


@pytest.mark.req("FEED-2", "EV-7")
async def test_a_show_without_a_date_comes_after_all_that_have_one(
    admin: Client, client: Client, tenant: Tenant
) -> None:
    city = _word(tenant)
    venue = await make_venue(admin, city=city)
    early = {"start_at": "2080-06-01T19:00:00Z", "end_at": "2080-06-01T21:30:00Z"}
    waiting = [await show_in(admin, "published", venue_id=venue["id"], name=f"Waits {n}", **early) for n in (1, 2)]
    for show in waiting:
        data(await move(admin, show, "postpone"))
    await show_in(admin, "published", venue_id=venue["id"], name="Next")
    order = ["Next", "Waits 1", "Waits 2"]
    assert _titles(data(await client.get(SERVICE, params={"city": city}))) == order
    paged, cursor = [], None
    for _ in range(3):
        params: dict[str, Any] = {"city": city, "limit": 1} | ({"cursor": cursor} if cursor else {})
        page = (await client.get(SERVICE, params=params)).json()
        paged += page["data"]
        cursor = page["next_cursor"]
    assert (_titles(paged), cursor) == (order, None)
    assert {show["start_time"] for show in paged[1:]} == {early["start_at"]}  # people read when it was to be
    assert {show["end_time"] for show in paged[1:]} == {early["end_at"]}
    house = await client.get(f"/o/t-{tenant.id.hex}")
    assert house.text.index("Next") < house.text.index("Waits 1")
    calendar = (await client.get(f"/o/t-{tenant.id.hex}/calendar.ics")).text
    assert "9000" not in calendar + house.text
    assert data(await client.get(f"{SERVICE}/{waiting[0]['id']}"))["start_time"] == early["start_at"]
    data(await move(admin, waiting[0], "reschedule", rescheduled_at="2079-01-01T19:00:00Z"))
    assert _titles(data(await client.get(SERVICE, params={"city": city}))) == ["Waits 1", "Next", "Waits 2"]


# --- the words of the event service


@pytest.mark.req("FEED-1")
async def test_what_the_service_answers_may_be_insisted_on(admin: Client) -> None:
    wish = {"title": "A", "description": "b", "category": "x", "city": "Gent"}
    times = {"start_time": SHOW["start_at"], "end_time": SHOW["end_at"]}
    made = await admin.post(SERVICE, json=wish | times)
    event = data(made, 201)
    assert made.headers["etag"] == '"1"'
    assert data(await admin.get(made.headers["location"]))["id"] == event["id"]
    path = f"{SERVICE}/{event['id']}"
    changed = await admin.patch(path, json={"cover_image_ids": [await poster(admin)]}, headers={"if-match": '"1"'})
    assert changed.headers["etag"] == '"2"'
    for version, verb in ((2, "publish"), (3, "unpublish"), (4, "cancel")):
        stale = await admin.post(f"{path}/{verb}", headers={"if-match": '"1"'})
        assert refused(stale) == (412, "stale_version")
        answer = await admin.post(f"{path}/{verb}", headers={"if-match": f'"{version}"'})
        assert (answer.status_code, answer.headers["etag"]) == (200, f'"{version + 1}"')


@pytest.mark.req("FEED-1", "EV-9")
async def test_a_show_is_moved_to_a_city_or_a_venue(admin: Client) -> None:
    event, there = await draft(admin), await make_venue(admin, name="There", city="Namur")
    path = f"{SERVICE}/{event['id']}"
    assert data(await admin.patch(path, json={"city": "Gent"}))["city"] == "Gent"
    assert data(await admin.patch(path, json={"venue_id": there["id"]}))["city"] == "Namur"
    assert refused(await admin.patch(path, json={"venue_id": there["id"], "city": "Gent"})) == (422, "invalid")
    data(await move(admin, event, "publish"))
    assert refused(await admin.patch(path, json={"city": "Gent"})) == (409, "venue_change_needs_reason")
    assert data(await admin.patch(path, json={"city": "gent", "reason": "storm"}))["city"] == "Gent"


@pytest.mark.req("FEED-1")
async def test_a_show_that_was_put_away_is_called_what_it_was(admin: Client) -> None:
    for status, word in (("ended", "published"), ("cancelled", "canceled"), ("draft", "draft")):
        event = await show_in(admin, status, name=status)
        data(await move(admin, event, "archive"))
        mine = data(await admin.get("/event/v1/me/events"))[0]
        assert (mine["title"], mine["status"]) == (status, word)
        assert (mine["canceled_at"] is not None) == (word == "canceled")


@pytest.mark.req("FEED-1", "EV-4")
@pytest.mark.parametrize(
    ("route", "verb"),
    [
        ("/api/events", "unpublish"),
        *((SERVICE, verb) for verb in ("cancel", "unpublish")),  # it does not postpone
    ],
)
async def test_an_order_that_needs_nothing_said_needs_no_body(admin: Client, route: str, verb: str) -> None:
    event = await show_in(admin, "published")
    assert (await admin.post(f"{route}/{event['id']}/{verb}")).status_code == 200


@pytest.mark.req("EV-4")
async def test_an_order_that_needs_something_said_still_needs_a_body(admin: Client) -> None:
    event = await show_in(admin, "published")
    assert (await admin.post(f"/api/events/{event['id']}/duplicate")).status_code in (400, 422)
    data(await move(admin, event, "postpone"))
    assert (await admin.post(f"/api/events/{event['id']}/reschedule")).status_code in (400, 422)
    assert (await admin.patch(f"/api/events/{event['id']}")).status_code in (400, 422)
    answer = await move(admin, event, "reschedule", rescheduled_at=NEW_DATE)
    assert datetime.fromisoformat(data(answer)["rescheduled_at"]) > datetime.now().astimezone() + timedelta(days=1)
