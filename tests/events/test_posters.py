"""An event without a picture is published with a generated poster, wherever a cover would be."""

from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from tests.accounts.helpers import data, refused
from tests.events.helpers import draft, move, poster, show_in
from tests.fixtures import Client, Tenant

pytestmark = pytest.mark.req("EV-2", "FEED-5", "EV-15")
SIZES = {"small": 400, "medium": 800, "large": 1600}


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


async def cover(client: Client, event: Any) -> Any:
    [found] = data(await client.get(f"/event/v1/events/{event['id']}"))["cover_images"]
    return found


@pytest.mark.parametrize("publish", ["/api/events/{}/publish", "/event/v1/events/{}/publish"])
async def test_an_event_is_published_without_a_picture(admin: Client, client: Client, publish: str) -> None:
    event = await draft(admin, cover_image_ids=[])
    assert data(await admin.post(publish.format(event["id"])))["status"] == "published"
    shown = await cover(client, event)
    at = f"/posters/{event['id']}"
    assert shown == {"id": event["id"], "generated": True} | {size: f"{at}/{size}.jpg" for size in SIZES}
    for size, side in SIZES.items():
        answer = await client.get(shown[size])
        assert (answer.status_code, answer.headers["content-type"]) == (200, "image/jpeg")
        assert max(Image.open(BytesIO(answer.content)).size) == side


async def test_a_poster_stays_the_same_and_is_the_events_own(admin: Client, client: Client) -> None:
    first, second = [await show_in(admin, "published", name=name, cover_image_ids=[]) for name in ("A", "B")]
    at = (await cover(client, first))["small"]
    drawn = await client.get(at)
    assert "immutable" in drawn.headers["cache-control"]
    assert (await client.get(at)).content == drawn.content
    assert (await client.get((await cover(client, second))["small"])).content != drawn.content
    known = await client.get(at, headers={"if-none-match": drawn.headers["etag"]})
    assert (known.status_code, known.content) == (304, b"")
    data(await move(admin, first, "cancel"))
    assert (await client.get(at)).content == drawn.content  # who has the address keeps the picture


async def test_a_poster_says_nothing_of_what_is_not_public(admin: Client, client: Client) -> None:
    hidden = await draft(admin, cover_image_ids=[])
    assert refused(await client.get(f"/posters/{hidden['id']}/small.jpg"))[0] == 404
    shown = await show_in(admin, "published", name="Shown")
    assert refused(await client.get(f"/posters/{shown['id']}/huge.jpg"))[0] == 404


async def test_pages_feeds_and_previews_show_the_poster(admin: Client, client: Client, tenant: Tenant) -> None:
    event = await show_in(admin, "published", cover_image_ids=[])
    at, house = await cover(client, event), f"/o/t-{tenant.id.hex}"
    page = (await client.get(f"{house}/{event['slug']}")).text
    assert f'src="{at["medium"]}"' in page
    assert '<meta property="og:image" content="http' in page
    assert page.count(at["large"]) >= 3  # og:image, structured data, srcset
    assert at["small"] in (await client.get(house)).text
    for feed in ("feed.atom", "feed.rss"):
        assert at["large"] in (await client.get(f"{house}/{feed}")).text


async def test_an_uploaded_picture_takes_the_posters_place(admin: Client, client: Client, clock: Any) -> None:
    event = await show_in(admin, "published", cover_image_ids=[])
    assert (await cover(client, event))["generated"]
    uploaded = await poster(admin)
    data(await admin.patch(f"/api/events/{event['id']}", json={"cover_image_ids": [uploaded]}))
    shown = await cover(client, event)
    assert (shown["id"], shown["generated"]) == (uploaded, False)
    await clock(timedelta(days=2))
    assert (await client.get(shown["small"])).status_code == 200
