"""A venue's country is one: by its code or its name. What was written before that was checked may stay."""

from typing import Any

import pytest

from fullhouse.events.venues.countries import is_country
from tests.accounts.helpers import data
from tests.events.helpers import HALL, make_venue
from tests.fixtures import Client, Tenant

pytestmark = pytest.mark.req("EV-1")


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("BE", True), ("be", True), ("ZA", True), ("ZZ", True), ("XX", False), ("QQ", False), ("UK", True),
        ("Belgium", True), ("south africa", True), ("Cote d'Ivoire", True), ("Netherlands", True), ("Iran", True),
        ("United Kingdom", True), ("United States of America", True), ("Türkiye", True), ("South Korea", True),
        ("Atlantis", False), ("B", False), ("", False), ("Republic of", False),
    ],
)  # fmt: skip
def test_which_countries_there_are(said: str, known: bool) -> None:
    assert is_country(said) == known


async def test_a_venue_is_in_a_country(admin: Client, owner: Any) -> None:
    refused = await admin.post("/api/venues", json=HALL | {"country": "XX"})
    assert (refused.status_code, refused.json()["fields"][0]["path"]) == (422, "country")
    venue = await make_venue(admin, country="Belgium")
    path = f"/api/venues/{venue['id']}"
    assert (await admin.patch(path, json={"country": "Atlantis"})).status_code == 422
    await owner.execute("UPDATE venues SET country = 'Atlantis' WHERE id::text = $1", venue["id"])
    assert data(await admin.get(path))["country"] == "Atlantis"
    assert data(await admin.patch(path, json={"name": "Under water"}))["country"] == "Atlantis"
    assert data(await admin.patch(path, json={"country": "Greece"}))["country"] == "Greece"


async def test_venues_are_found_by_their_time_zone(admin: Client) -> None:
    here, there = await make_venue(admin), await make_venue(admin, name="Kabuki-za", timezone="Asia/Tokyo")
    for zone, expected in (("Asia/Tokyo", [there["id"]]), ("Europe/Brussels", [here["id"]]), ("Etc/UTC", [])):
        found = data(await admin.get("/api/venues", params={"timezone": zone}))
        assert [venue["id"] for venue in found] == expected
    both = {"timezone": "Asia/Tokyo", "city": "Elsewhere"}
    assert data(await admin.get("/api/venues", params=both)) == []
