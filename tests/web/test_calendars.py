"""A show and a house as calendars, which say when something has changed and are silent when nothing has."""

from typing import Any

import pytest

from tests.events.helpers import show_in
from tests.events.listed import moment, parsed
from tests.fixtures import PUBLIC_URL, Client
from tests.web.helpers import in_city


@pytest.mark.req("FEED-1")
async def test_a_calendar_of_a_show_and_of_a_house(client: Client, admin: Client, home: str, owner: Any) -> None:
    event = await show_in(admin, "published")
    await in_city(admin, "Gent", name="Another", venue={"slug": "gent"})
    answer = await client.get(f"/api/events/{event['id']}/calendar.ics")
    assert answer.headers["content-type"] == "text/calendar; charset=utf-8"
    assert answer.headers["content-disposition"] == f'attachment; filename="{event["slug"]}.ics"'
    assert answer.headers["cache-control"] == "no-cache"
    first = parsed(answer.content).one("VEVENT")
    assert (first["UID"], first["SUMMARY"]) == (event["id"], "The Tempest")
    assert first["URL"] == f"{PUBLIC_URL}{home}/{event['slug']}"

    await admin.patch(f"/api/events/{event['id']}", json={"name": "The Storm"})
    second = parsed((await client.get(f"/api/events/{event['id']}/calendar.ics")).content).one("VEVENT")
    assert (second["UID"], second["SUMMARY"]) == (event["id"], "The Storm")
    assert int(second["SEQUENCE"]) > int(first["SEQUENCE"])

    whole = parsed((await client.get(f"{home}/calendar.ics")).content)
    assert whole["NAME"] == "Test House"
    assert {e["SUMMARY"] for e in whole.all("VEVENT")} == {"The Storm", "Another"}
    assert moment(whole, whole.all("VEVENT")[0], "DTSTART").isoformat() == "2090-06-01T19:00:00+00:00"
    await owner.execute(
        "UPDATE public_events SET start_at = '2020-01-01', end_at = '2020-01-02' WHERE event_id::text = $1", event["id"]
    )
    gone = parsed((await client.get(f"{home}/calendar.ics")).content)
    assert {e["SUMMARY"] for e in gone.all("VEVENT")} == {"Another"}


async def test_a_change_that_changes_nothing_is_no_news(admin: Client, owner: Any) -> None:
    event = await show_in(admin, "published")
    news = "SELECT changed_at FROM public_events WHERE event_id::text = $1"
    before = await owner.fetchval(news, event["id"])
    await owner.execute("UPDATE public_events SET title = title WHERE event_id::text = $1", event["id"])
    assert await owner.fetchval(news, event["id"]) == before
    await owner.execute("UPDATE public_events SET title = 'New' WHERE event_id::text = $1", event["id"])
    assert await owner.fetchval(news, event["id"]) > before
