"""A picture is kept while any show uses it, and no longer; how much is stored; what is not sent again."""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from fullhouse.events import jobs
from fullhouse.events.images import actions
from fullhouse.events.images.model import Image, ImageQuotaExceeded
from fullhouse.kit.db.database import WORKER, Database
from fullhouse.kit.media import pictures
from fullhouse.kit.media.files import Disk
from fullhouse.kit.services import Services
from tests.accounts.helpers import data, refused
from tests.events.helpers import DAY, draft, make_venue, poster
from tests.fixtures import Client, Tenant
from tests.kit import samples

pytestmark = pytest.mark.req("FEED-5")
Clock = Callable[[timedelta], Any]


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


@pytest.fixture
async def finder(server_url: str) -> AsyncIterator[Database]:
    opened = await Database.open(server_url, WORKER, size=1)
    yield opened
    await opened.close()


async def _is_kept(owner: Any, image_id: str) -> bool:
    return bool(await owner.fetchval("SELECT count(*) FROM images WHERE id = $1", UUID(image_id)))


async def test_a_picture_goes_a_day_after_its_last_show_lets_go_of_it(
    admin: Client, services: Services, owner: Any, finder: Database, clock: Clock
) -> None:
    venue, image_id = await make_venue(admin), await poster(admin)
    first, second = [await draft(admin, venue_id=venue["id"], name=name) for name in ("First", "Second")]
    assert (await admin.delete(f"/api/events/{first['id']}")).status_code == 204
    await clock(3 * DAY)
    await jobs.delete_unused_images(finder, services.database, services.files)
    assert await _is_kept(owner, image_id)  # the second one uses it
    data(await admin.patch(f"/api/events/{second['id']}", json={"cover_image_ids": []}))
    await clock(3 * DAY + timedelta(hours=23))
    await jobs.delete_unused_images(finder, services.database, services.files)
    assert await _is_kept(owner, image_id)
    await clock(4 * DAY + timedelta(hours=1))
    await jobs.delete_unused_images(finder, services.database, services.files)
    assert not await _is_kept(owner, image_id)


async def test_what_a_show_names_is_kept_whatever_its_row_says(
    admin: Client, services: Services, owner: Any, finder: Database, clock: Clock
) -> None:
    image_id = await poster(admin)
    await draft(admin)
    await owner.execute("UPDATE images SET attached_at = NULL WHERE id = $1", UUID(image_id))
    await clock(3 * DAY)
    await jobs.delete_unused_images(finder, services.database, services.files)
    assert await _is_kept(owner, image_id)


async def test_a_picture_that_another_show_takes_meanwhile_stays_attached(
    admin: Client, services: Services, owner: Any, tenant: Tenant
) -> None:
    """One show lets go of it while another, not yet committed, takes it: who comes second sees what the first did."""
    image_id = UUID(await poster(admin))
    event = await draft(admin)
    other = await draft(admin, cover_image_ids=[], name="Other")
    async with services.database.tenant(tenant.id) as tx:
        await actions.attach(tx, [image_id])
        await tx.execute(
            "UPDATE events SET cover_image_ids = ARRAY[$1::uuid] WHERE id = $2", image_id, UUID(other["id"])
        )
        wish = admin.patch(f"/api/events/{event['id']}", json={"cover_image_ids": []})
        dropping = asyncio.ensure_future(wish)
        waiting = (
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        )
        while not await owner.fetchval(waiting):
            assert not dropping.done()
    data(await dropping)
    assert await owner.fetchval("SELECT attached_at IS NOT NULL FROM images WHERE id = $1", image_id)


async def test_an_organisation_stores_only_so_much(services: Services, tenant: Tenant) -> None:
    who = tenant.principal("staff")
    first = await actions.upload(services.database, services.files, who, samples.png(), quota=10_000_000)
    async with services.database.tenant(tenant.id) as tx:
        weight = await tx.fetchval("SELECT sum(bytes)::bigint FROM images WHERE organization_id = $1", tenant.id)
    with pytest.raises(ImageQuotaExceeded):
        await actions.upload(services.database, services.files, who, samples.jpeg(), quota=weight + 10)
    again = await actions.upload(services.database, services.files, who, samples.png(), quota=weight)
    assert again.id == first.id  # what is there already needs no room


async def test_of_uploads_at_once_none_goes_over_the_limit(
    services: Services, tenant: Tenant, owner: Any, tmp_path: Path
) -> None:
    """Each would fit alone, and each has looked before any of them is written."""
    who = tenant.principal("staff")
    sent = [samples.jpeg(quality=quality) for quality in (70, 75, 80, 85, 90)]
    quota = 3 * max([sum(map(len, (await pictures.clean(raw)).files.values())) for raw in sent])
    everybody = asyncio.Barrier(len(sent))

    class Together(Disk):
        async def put(self, name: str, content: bytes) -> None:
            await super().put(name, content)
            if name.endswith("large.jpg"):
                await everybody.wait()

    files = Together(tmp_path)
    uploads = (actions.upload(services.database, files, who, raw, quota=quota) for raw in sent)
    answers = await asyncio.gather(*uploads, return_exceptions=True)
    weights = await owner.fetch("SELECT id, bytes FROM images WHERE organization_id = $1", tenant.id)
    assert {type(answer) for answer in answers} == {Image, ImageQuotaExceeded}
    assert quota * 2 / 3 < sum(row["bytes"] for row in weights) <= quota
    kept = {path.parent.name for path in (tmp_path / str(tenant.id)).rglob("*.jpg")}
    assert kept == {str(row["id"]) for row in weights}  # nothing is left of those that were refused


async def test_what_a_browser_has_is_not_sent_again(admin: Client, client: Client, services: Services) -> None:
    answer = await admin.post("/api/images", content=samples.png(), headers={"content-type": "image/png"})
    url = data(answer, 201)["urls"]["small"]
    tag = (await client.get(url)).headers["etag"]
    for seen in (tag, f"W/{tag}", f'"x", {tag}', "*"):
        same = await client.get(url, headers={"if-none-match": seen})
        assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", tag)
    assert (await client.get(url, headers={"if-none-match": '"x"'})).status_code == 200
    await services.files.delete(url.removeprefix("/images/"))
    assert refused(await client.get(url, headers={"if-none-match": tag}))[0] == 404
