"""Both languages say the same things, and everybody gets the one they want."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest

from fullhouse.events.words import WORDS as KINDS
from fullhouse.kit import languages
from fullhouse.kit.languages import Catalogue
from fullhouse.kit.money import Money
from fullhouse.tickets.words import WORDS as TICKETS
from fullhouse.web.words import AF, ALL, EN
from tests.events.helpers import show_in
from tests.fixtures import Client, Tenant
from tests.web.helpers import Seen


@pytest.mark.parametrize("catalogue", [ALL, KINDS, TICKETS], ids=["pages", "shows", "tickets"])
def test_both_languages_have_the_same_keys_and_fill_the_same_places(catalogue: Catalogue) -> None:
    en, af = catalogue.en.texts, catalogue.af.texts
    assert en.keys() == af.keys()
    for key, text in en.items():
        assert text.strip(), key
        assert af[key].strip(), key
        assert set(re.findall(r"{(\w+)}", text)) == set(re.findall(r"{(\w+)}", af[key])), key


def test_money_is_written_as_the_pages_scripts_write_it() -> None:
    assert EN.money(Money(137250, "ZAR")) == "ZAR\u00a01,372.50"
    assert AF.money(Money(137250, "ZAR")) == "R\u00a01\u00a0372,50"
    assert EN.money(Money(2500, "EUR")) == "€25.00"
    assert AF.money(Money(123456789, "EUR")) == "€1\u00a0234\u00a0567,89"
    assert EN.money(Money(-1500, "JPY")) == "-¥1,500"
    assert AF.money(Money(1500, "CHF")) == "CHF\u00a015,00"


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("", None),
        ("af", "af"),
        ("af-ZA, en;q=0.8", "af"),
        ("en-GB,en;q=0.9,af;q=0.95", "en"),
        ("nl-BE, af;q=0.3, en;q=0.2", "af"),
        ("fr, de", None),
        ("af;q=0, en;q=0.1", "en"),
        ("af;q=nonsense", None),
        ("*", None),
    ],
)
def test_what_a_browser_prefers(header: str, expected: str | None) -> None:
    assert languages.preferred_language(header) == expected


def test_of_a_list_that_is_too_long_only_its_beginning_is_read_and_remembered() -> None:
    languages.preferred_language.cache_clear()
    for tail in ("x", "y"):
        headers = {"accept-language": "af" + " " * languages.PREFERENCES_MAX + tail * 60_000}
        assert languages.requested_language(headers.get) == "af"
    assert languages.preferred_language.cache_info().currsize == 1


def test_days_in_both_languages() -> None:
    at = datetime(2090, 6, 1, 21, tzinfo=UTC)
    assert (EN.day(at), EN.short_day(at)) == ("Thursday 1 June 2090", "Thu 1 Jun 2090")
    assert (AF.day(at), AF.short_day(at)) == ("Donderdag 1 Junie 2090", "Do 1 Jun 2090")


def test_a_category_that_nobody_translated_is_said_as_it_is_written() -> None:
    assert (EN.category("opera"), AF.category("theatre")) == ("Opera", "Teater")
    assert AF.category("stand_up") == "Stand up"


async def _page(client: Client, path: str, **headers: str) -> Seen:
    client.cookies.clear()  # a language that was asked for is kept
    answer = await client.get(path, headers=headers)
    assert answer.status_code == 200, answer.text
    return Seen(answer)


async def test_a_page_speaks_the_readers_language_before_the_organisers(client: Client, tenant: Tenant) -> None:
    admin = client.as_(tenant.tokens["admin"])
    event = await show_in(admin, "published")
    paths = [f"/o/{tenant.organization.slug}", f"/o/{tenant.organization.slug}/{event['slug']}"]
    paths.append(f"{paths[1]}/queue")
    says = {
        "en": ("Soonest first", "Add to calendar", "Estimated wait"),
        "af": ("Vroegste eerste", "Voeg by kalender", "Geskatte wagtyd"),
    }
    assert (await admin.patch("/api/org", json={"locale": "af-ZA"})).status_code == 200
    for n, path in enumerate(paths):
        for asked, headers, code in (
            (path, {}, "af"),
            (path, {"accept-language": "en-GB"}, "en"),
            (f"{path}?lang=af", {"accept-language": "en-GB"}, "af"),
            (path, {"accept-language": "af", "cookie": "fullhouse_lang=en"}, "en"),
            (f"{path}?lang=xx", {"accept-language": "en"}, "en"),
        ):
            page = await _page(client, asked, **headers)
            assert page.all("html") == [{"lang": code}], (asked, headers)
            assert says[code][n] in page.text
            assert says["en" if code == "af" else "af"][n] not in page.text


@pytest.mark.parametrize("language", ["en", "af"])
async def test_a_page_loads_its_own_language_and_before_its_program(
    language: str, client: Client, tenant: Tenant
) -> None:
    event = await show_in(client.as_(tenant.tokens["admin"]), "published", tickets=True)
    at = f"{tenant.organization.slug}/{event['slug']}"
    later = f"{language}-later"
    for path, expected, at_leisure in (
        (f"/o/{at}", [language, "store"], [later, "checkout"]),
        (f"/embed/{at}", [language, "store"], [later, "checkout"]),
        ("/my", [language, later, "my"], []),
    ):
        page = await client.get(path, headers={"accept-language": language})
        scripts = re.findall(r'<script type="module" src="/built/assets/([a-z]+(?:-[a-z]+)*)-', page.text)
        assert scripts == expected, path
        told = re.findall(r'data-checkout="([^"]+)"', page.text)
        assert [
            re.sub(r"^/built/assets/([a-z-]+)-.*", r"\1", file) for each in told for file in each.split()
        ] == at_leisure
        for file in (file for each in told for file in each.split()):
            assert (await client.get(file)).status_code == 200


@pytest.mark.parametrize("language", ["en", "af"])
async def test_the_waiting_room_is_small_because_everybody_loads_it_at_once(
    language: str, client: Client, tenant: Tenant
) -> None:
    event = await show_in(client.as_(tenant.tokens["admin"]), "published")
    page = await client.get(f"/o/{tenant.organization.slug}/{event['slug']}/queue?lang={language}")
    files = re.findall(r'(?:href|src)="(/\S+\.(?:css|js))"', page.text)
    assert len(files) == 2
    parts = [page, *[await client.get(file) for file in files]]
    assert sum(len(part.content) for part in parts) < 10_000


async def test_a_wish_that_is_spoken_out_is_kept(client: Client) -> None:
    answer = await client.get("/?lang=af")
    assert answer.headers["set-cookie"].startswith("fullhouse_lang=af; Path=/;")
    assert "accept-language" in answer.headers["vary"]
    assert "set-cookie" not in (await client.get("/")).headers
    assert "set-cookie" not in (await client.get("/?lang=<script>")).headers


async def test_two_languages_are_two_pages(client: Client) -> None:
    client.cookies.clear()
    english = (await client.get("/", headers={"accept-language": "en"})).headers["etag"]
    answer = await client.get("/", headers={"accept-language": "af", "if-none-match": english})
    assert answer.status_code == 200


@pytest.mark.parametrize("path", ["/sign-in", "/join", "/my", "/nothing-of-the-kind"])
async def test_pages_about_oneself_and_dead_links_too(client: Client, path: str) -> None:
    headers: dict[str, Any] = {"accept-language": "af", "accept": "text/html"}
    page = Seen(await client.get(path, headers=headers))
    assert page.all("html") == [{"lang": "af"}]
    assert "My kaartjies" in page.text
