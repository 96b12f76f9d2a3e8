"""A show's page as a browser gets it: no stranger's script, nothing hidden in it, nobody else's shows."""

from typing import Any

import msgspec
import pytest

from fullhouse.kit.services import Services
from tests.accounts.helpers import data
from tests.events.helpers import ENTRY, NEW_DATE, move, show_in
from tests.fixtures import PUBLIC_URL, Client, Tenant
from tests.web.helpers import HOSTILE, seen


@pytest.mark.req("FEED-1")
async def test_the_page_of_a_show(client: Client, admin: Client, home: str) -> None:
    event = await show_in(admin, "published", tickets=True)
    page = await seen(client, f"{home}/{event['slug']}")
    assert "Thursday 1 June 209021:00–23:30" in page.text  # on two lines
    assert "Local time in Liège (Europe/Brussels, UTC+2)" in page.text
    assert "Place Xavier-Neujean 7, Liège" in page.text
    assert "On sale until Thursday 1 June 2090, 21:00." in page.text
    assert "An island, a storm, a duke." in page.text
    assert f"/api/events/{event['id']}/calendar.ics" in page.links()
    address = f"{PUBLIC_URL}{home}/{event['slug']}"
    assert page.all("link", rel="canonical") == [{"rel": "canonical", "href": address}]
    assert (page.meta("og:title"), page.meta("og:url")) == ("The Tempest", address)
    assert page.meta("twitter:card") == "summary_large_image"
    image = page.meta("og:image")
    assert image
    assert image.startswith(f"{PUBLIC_URL}/images/")
    assert image.endswith("/large.jpg")
    about = msgspec.json.decode(page.script)
    assert (about["@type"], about["startDate"], about["url"]) == ("Event", "2090-06-01T21:00:00+02:00", address)
    assert about["image"] == [image]


@pytest.mark.req("EV-5")
async def test_the_page_of_a_show_without_tickets_says_so(client: Client, admin: Client, home: str) -> None:
    event = await show_in(admin, "published")
    page = await seen(client, f"{home}/{event['slug']}")
    assert "Tickets are not available yet." in page.text
    assert not [a for _, a in page.elements if "data-box-office" in a]
    assert (await client.get(f"/event/v1/events/{event['id']}")).json()["data"]["sale_status"] == "upcoming"
    data(await admin.post(f"/api/events/{event['id']}/ticket-types", json=ENTRY), 201)
    assert "On sale until" in (await seen(client, f"{home}/{event['slug']}")).text


@pytest.mark.req("FEED-1")
async def test_the_clock_of_a_show_that_is_just_in_a_city_is_not_called_local(
    client: Client, admin: Client, home: str
) -> None:
    times = {"start_time": "2090-06-01T19:00:00Z", "end_time": "2090-06-01T21:30:00Z"}
    wish = {"title": "The Tempest", "description": "An island.", "category": "theatre", "city": "Gent"} | times
    event = data(await admin.post("/event/v1/events", json=wish), 201)
    data(await admin.post(f"/event/v1/events/{event['id']}/publish"))
    page = await seen(client, f"{home}/the-tempest")
    assert "Thursday 1 June 209019:00–21:30UTC" in page.text
    assert "Local time" not in page.text


@pytest.mark.req("FEED-1")
@pytest.mark.parametrize("title", HOSTILE)
async def test_a_title_is_only_a_title(client: Client, admin: Client, home: str, title: str) -> None:
    event = await show_in(admin, "published", tickets=True, name=title, description=title)
    for path in (f"{home}/{event['slug']}", home):
        page = await seen(client, path)
        assert title in page.text
        kinds = [a.get("type") for a in page.all("script")]
        assert kinds == ([None, "module", "module", "application/ld+json"] if path != home else [None])
        assert {a["src"] for a in page.all("script") if "type" not in a} == {"/static/house.js"}
        assert all(
            (a["src"] or "").startswith("/built/assets/") for a in page.all("script") if a.get("type") == "module"
        )
        assert not [a for _, a in page.elements if any(name.startswith("on") or name == "style" for name in a)]
    assert msgspec.json.decode((await seen(client, f"{home}/{event['slug']}")).script)["name"] == title


@pytest.mark.req("FEED-1")
async def test_a_postponed_show_says_so_and_then_its_new_date(client: Client, admin: Client, home: str) -> None:
    event = await show_in(admin, "published")
    path = f"{home}/{event['slug']}"
    await move(admin, event, "postpone")
    page = await seen(client, path)
    assert "This event is postponed" in page.text
    assert "There is no new date yet. It was originally planned for Thursday 1 June 2090, 21:00." in page.text
    assert "Ticket sales are paused until there is a new date." in page.text
    assert msgspec.json.decode(page.script)["eventStatus"].endswith("/EventPostponed")
    assert "Postponed" in (await seen(client, home)).text

    await move(admin, event, "reschedule", rescheduled_at=NEW_DATE)
    page = await seen(client, path)
    assert "New date: Friday 1 September 2090, 21:00" in page.text
    assert "It was originally planned for Thursday 1 June 2090, 21:00." in page.text
    about = msgspec.json.decode(page.script)
    assert about["eventStatus"].endswith("/EventRescheduled")
    assert (about["startDate"], about["previousStartDate"]) == (
        "2090-09-01T21:00:00+02:00",
        "2090-06-01T21:00:00+02:00",
    )


PUBLIC_IN = {"published": True, "live": True, "postponed": True}


@pytest.mark.req("FEED-1", "EV-5")
@pytest.mark.parametrize("status", ["draft", "published", "live", "ended", "cancelled", "postponed", "archived"])
async def test_what_is_not_public_has_no_page(client: Client, admin: Client, home: str, status: str) -> None:
    event = await show_in(admin, status)
    expected = 200 if PUBLIC_IN.get(status) else 404
    page = await client.get(f"{home}/{event['slug']}")
    ics = await client.get(f"/api/events/{event['id']}/calendar.ics")
    assert (page.status_code, ics.status_code) == (expected, expected)
    assert (event["slug"] in (await client.get(home)).text) == (expected == 200)
    if expected == 404:
        assert "Page not found" in page.text
        assert page.text.count('href="/my"') == 2  # there, what became of it is said to who has tickets
        assert event["name"] not in page.text
        assert ics.json()["code"] == "event_not_found"


@pytest.mark.req("TEN-2", "FEED-1")
async def test_a_show_is_found_at_its_own_house_only(
    client: Client, admin: Client, tenant: Tenant, other_tenant: Tenant, owner: Any
) -> None:
    event = await show_in(admin, "published")
    elsewhere = f"/o/{other_tenant.organization.slug}"
    assert (await client.get(f"{elsewhere}/{event['slug']}")).status_code == 404
    assert event["slug"] not in (await client.get(elsewhere)).text
    here = f"/o/{tenant.organization.slug}"
    await owner.execute("UPDATE organizations SET status = 'suspended' WHERE id = $1", tenant.id)
    for path in (here, f"{here}/{event['slug']}", f"{here}/calendar.ics", f"{here}/feed.atom"):
        assert (await client.get(path)).status_code == 404


async def test_a_look_at_the_page_counts(lane: Any, client: Client, admin: Client, home: str, owner: Any) -> None:
    from fullhouse.events.public.view_counter import ViewCounter

    event = await show_in(admin, "published")
    await client.get(f"{home}/{event['slug']}")
    services: Services = lane.wide.state.services
    await services.part(ViewCounter).write()
    assert await owner.fetchval("SELECT views FROM event_stats WHERE event_id::text = $1", event["id"]) == 1


async def test_another_order_leaves_no_show_out(client: Client, admin: Client, home: str) -> None:
    """So there is nothing else to show; a search leaves some out, and says so."""
    await show_in(admin, "published")
    assert "Show everything" not in (await client.get(f"{home}?sort=trending")).text
    assert "Show everything" in (await client.get(f"{home}?sort=trending&q=tempest")).text
