"""Cover pictures over HTTP: uploaded, served, used by a show, forgotten; and whatever is sent in their place."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import httpx
import pytest

from fullhouse.events import jobs
from fullhouse.events.images import actions, model
from fullhouse.events.images.model import ImageNotFound
from fullhouse.kit.db.database import WORKER, Database
from fullhouse.kit.errors import Invalid
from fullhouse.kit.ids import new_id
from fullhouse.kit.media import pictures
from fullhouse.kit.media.files import S3
from fullhouse.kit.services import Services
from tests.accounts.helpers import audited, data, make_key, refused
from tests.counts import Counts
from tests.fixtures import Client, Tenant
from tests.kit import bucket, samples
from tests.kit.bucket import Store

pytestmark = pytest.mark.req("FEED-5")
JPEG = samples.jpeg(exif=samples.exif(6))
SIZES = ("small", "medium", "large")


@pytest.fixture
def staff(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["staff"])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "images"


async def send(client: Client, raw: bytes, kind: str = "image/jpeg") -> httpx.Response:
    return await client.post("/api/images", content=raw, headers={"content-type": kind})


def stored(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


# --- the ordinary way


async def test_an_uploaded_picture_is_served_in_three_sizes(staff: Client, client: Client, tenant: Tenant) -> None:
    image = data(await send(staff, JPEG), 201)
    assert (image["width"], image["height"]) == (320, 640)  # turned upright
    base = f"/images/{tenant.id}/{image['id']}"
    assert image["urls"] == {size: f"{base}/{size}.jpg" for size in SIZES}
    for url in image["urls"].values():
        answer = await client.get(url)
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "image/jpeg"
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert answer.headers["content-length"] == str(len(answer.content))
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.content.startswith(b"\xff\xd8")
        assert b"Exif" not in answer.content
    etags = {(await client.get(url)).headers["etag"] for url in image["urls"].values()}
    assert len(etags) == 3


@pytest.mark.parametrize(("raw", "kind"), [(samples.png(), "image/png"), (samples.webp(), "image/webp")])
async def test_png_and_webp_are_taken_too(staff: Client, client: Client, raw: bytes, kind: str) -> None:
    image = data(await send(staff, raw, kind), 201)
    assert (await client.get(image["urls"]["small"])).headers["content-type"] == "image/jpeg"


async def test_the_content_type_is_not_believed(staff: Client) -> None:
    assert data(await send(staff, samples.png(), "image/webp"), 201)["width"] == 640


async def test_the_same_file_again_is_the_same_picture(
    staff: Client, client: Client, tenant: Tenant, other_tenant: Tenant, owner: Any, folder: Path
) -> None:
    first = data(await send(staff, JPEG), 201)
    assert data(await send(client.as_(tenant.tokens["owner"]), JPEG), 201) == first
    assert len(stored(folder)) == 3
    theirs = data(await send(client.as_(other_tenant.tokens["owner"]), JPEG), 201)
    assert theirs["id"] != first["id"]
    assert len(stored(folder)) == 6
    assert len(await audited(owner, tenant, "image.uploaded")) == 1


async def test_the_same_file_many_times_at_once_is_one_picture(
    staff: Client, owner: Any, tenant: Tenant, folder: Path
) -> None:
    answers = await asyncio.gather(*(send(staff, JPEG) for _ in range(6)))
    assert len({data(answer, 201)["id"] for answer in answers}) == 1
    assert await owner.fetchval("SELECT count(*) FROM images WHERE organization_id = $1", tenant.id) == 1
    assert len(stored(folder)) == 3
    assert len(await audited(owner, tenant, "image.uploaded")) == 1


async def test_uploading_again_brings_lost_files_back(staff: Client, client: Client, folder: Path) -> None:
    image = data(await send(staff, JPEG), 201)
    (folder / image["urls"]["medium"].removeprefix("/images/")).unlink()
    assert (await client.get(image["urls"]["medium"])).status_code == 404
    assert data(await send(staff, JPEG), 201) == image
    assert (await client.get(image["urls"]["medium"])).status_code == 200


async def test_the_row_says_what_was_sent_and_by_whom(staff: Client, owner: Any, tenant: Tenant, folder: Path) -> None:
    image = data(await send(staff, JPEG), 201)
    row = await owner.fetchrow("SELECT * FROM images WHERE organization_id = $1", tenant.id)
    assert (str(row["id"]), row["width"], row["height"]) == (image["id"], 320, 640)
    assert row["created_by"] == tenant.people["staff"].id
    assert row["bytes"] == sum((folder / name).stat().st_size for name in stored(folder))
    assert row["attached_at"] is None


async def test_a_key_with_the_scope_may_upload(client: Client, services: Services, tenant: Tenant) -> None:
    key = await make_key(services, tenant, "events:write")
    assert data(await send(client.as_(key.token), JPEG), 201)["id"]
    other = await make_key(services, tenant, "events:read")
    assert refused(await send(client.as_(other.token), JPEG)) == (403, "forbidden")


async def test_the_reference_shows_a_file_as_the_body(client: Client) -> None:
    operation = (await client.get("/api/openapi.json")).json()["paths"]["/api/images"]["post"]
    assert set(operation["requestBody"]["content"]) == set(pictures.MEDIA_TYPES)
    assert {"201", "401", "403", "413", "415", "422"} <= set(operation["responses"])
    assert (await client.get("/api/docs")).status_code == 200


# --- bad input

BAD = {
    "svg": (samples.SVG, "image/svg+xml", 415, "unsupported_media_type"),
    "svg as png": (samples.SVG, "image/png", 415, "image_type_not_allowed"),
    "gif as png": (samples.GIF, "image/png", 415, "image_type_not_allowed"),
    "html as jpeg": (samples.HTML, "image/jpeg", 415, "image_type_not_allowed"),
    "nothing": (b"", "image/jpeg", 415, "image_type_not_allowed"),
    "json": (b'{"url": "http://169.254.169.254/"}', "application/json", 415, "unsupported_media_type"),
    "bomb": (samples.png_of(30_000, 30_000), "image/png", 422, "image_too_many_pixels"),
    "truncated": (JPEG[:-400], "image/jpeg", 422, "image_broken"),
    "damaged": (samples.png_of(500, 500, pixels=b"\0" * 50), "image/png", 422, "image_broken"),
    "11 MB": (JPEG + b"\0" * 11_000_000, "image/jpeg", 413, "body_too_large"),
}


@pytest.mark.parametrize("name", BAD)
async def test_bad_input_has_its_code_and_leaves_nothing(name: str, staff: Client, owner: Any, folder: Path) -> None:
    raw, kind, status, code = BAD[name]
    async with Counts(owner).unchanged():
        assert refused(await send(staff, raw, kind)) == (status, code)
    assert stored(folder) == []


async def test_a_polyglot_comes_out_clean(staff: Client, client: Client) -> None:
    raw = samples.with_segments(JPEG, samples.segment(0xFE, samples.HTML)) + samples.HTML
    image = data(await send(staff, raw), 201)
    for url in image["urls"].values():
        assert b"script" not in (await client.get(url)).content


async def test_other_roles_cannot_upload(client: Client, tenant: Tenant, owner: Any, folder: Path) -> None:
    async with Counts(owner).unchanged(besides="audit_log"):
        for role in ("scanner", "customer"):
            assert refused(await send(client.as_(tenant.tokens[role]), JPEG)) == (403, "forbidden")
        assert refused(await send(client, JPEG)) == (401, "unauthenticated")
    assert stored(folder) == []


async def test_uploads_are_limited(staff: Client) -> None:
    codes = [(await send(staff, samples.SVG, "image/png")).status_code for _ in range(61)]
    assert set(codes[:60]) == {415}
    assert codes[60] == 429


async def test_other_addresses_are_not_found(staff: Client, client: Client, tenant: Tenant, folder: Path) -> None:
    image = data(await send(staff, JPEG), 201)
    (folder / "secret.jpg").write_bytes(b"x")
    for path in (
        f"{tenant.id}/{image['id']}/huge.jpg",
        f"{tenant.id}/{image['id']}/small.png",
        f"{tenant.id}/{image['id']}/small",
        f"{tenant.id}/{image['id']}/..%2f..%2fsecret.jpg",
        f"{tenant.id}/{new_id()}/small.jpg",
        f"{new_id()}/{image['id']}/small.jpg",
        f"{tenant.id}/{image['id']}",
        "x/y/small.jpg",
        "secret.jpg",
    ):
        assert refused(await client.get(f"/images/{path}")) == (404, "not_found")


async def test_a_full_disk_is_503_and_leaves_no_row(
    staff: Client, owner: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("fullhouse.kit.media.files.Disk._write", full)
    async with Counts(owner).unchanged():
        assert refused(await send(staff, JPEG)) == (503, "unavailable")
    assert stored(folder) == []


async def test_no_transaction_is_open_while_a_picture_is_decoded(
    services: Services, tenant: Tenant, owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    decode = pictures.clean

    async def look(raw: bytes) -> pictures.Picture:
        seen.append(
            await owner.fetchval(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                " AND pid <> pg_backend_pid() AND xact_start IS NOT NULL AND state = 'idle in transaction'"
            )
        )
        return await decode(raw)

    monkeypatch.setattr(pictures, "clean", look)
    await actions.upload(services.database, services.files, tenant.principal("staff"), JPEG)
    assert seen == [0]


# --- used by a show


async def upload(services: Services, tenant: Tenant, raw: bytes = JPEG) -> UUID:
    return (await actions.upload(services.database, services.files, tenant.principal("staff"), raw)).id


async def test_pictures_are_attached_once(services: Services, tenant: Tenant, owner: Any) -> None:
    ids = [await upload(services, tenant), await upload(services, tenant, samples.png())]
    for _ in range(2):
        async with services.database.tenant(tenant.id) as tx:
            await actions.attach(tx, ids)
    times = [
        row["attached_at"]
        for row in await owner.fetch("SELECT attached_at FROM images WHERE organization_id = $1", tenant.id)
    ]
    assert len(times) == 2
    assert times[0] == times[1] is not None


async def test_nothing_to_attach_is_fine(services: Services, tenant: Tenant) -> None:
    async with services.database.tenant(tenant.id) as tx:
        await actions.attach(tx, [])


@pytest.mark.req("TEN-2")
async def test_a_foreign_picture_is_like_one_that_never_was(
    services: Services, tenant: Tenant, other_tenant: Tenant, owner: Any
) -> None:
    mine, theirs = await upload(services, tenant), await upload(services, other_tenant)
    said = []
    for wrong in (theirs, new_id()):
        with pytest.raises(ImageNotFound) as unknown:
            async with services.database.tenant(tenant.id) as tx:
                await actions.attach(tx, [mine, wrong])
        said.append(unknown.value.to_problem())
    assert said[0] == said[1]
    assert (said[0]["status"], said[0]["code"]) == (422, "image_not_found")
    assert await owner.fetchval("SELECT count(*) FROM images WHERE attached_at IS NOT NULL AND id = $1", mine) == 0


async def test_a_picture_is_named_once(services: Services, tenant: Tenant) -> None:
    image_id = await upload(services, tenant)
    with pytest.raises(Invalid, match="not valid"):
        async with services.database.tenant(tenant.id) as tx:
            await actions.attach(tx, [image_id, image_id])


async def test_a_show_has_ten_pictures_at_most_by_the_databases_word(owner: Any) -> None:
    check = await owner.fetchval(
        "SELECT string_agg(pg_get_constraintdef(oid), ';') FROM pg_constraint"
        " WHERE conrelid = 'events'::regclass AND contype = 'c'"
    )
    assert "cardinality(cover_image_ids) <= 10" in check


@pytest.mark.parametrize(
    "wrong", [("digest", "x" * 64), ("digest", "ab"), ("width", 0), ("width", 12_001), ("height", -1), ("bytes", 0)]
)
async def test_the_table_refuses_nonsense(services: Services, tenant: Tenant, wrong: tuple[str, Any]) -> None:
    row = {"id": new_id(), "organization_id": tenant.id, "digest": "a" * 64, "width": 1, "height": 1, "bytes": 1}
    row |= dict([wrong])
    places = ", ".join(f"${n + 1}" for n in range(len(row)))
    with pytest.raises(asyncpg.CheckViolationError):
        async with services.database.tenant(tenant.id) as tx:
            await tx.execute(f"INSERT INTO images ({', '.join(row)}) VALUES ({places})", *row.values())


# --- forgotten


@pytest.fixture
async def finder(server_url: str) -> AsyncIterator[Database]:
    opened = await Database.open(server_url, WORKER, size=2)
    yield opened
    await opened.close()


DAY = timedelta(days=1)


async def test_pictures_that_no_show_uses_are_forgotten_after_a_day(
    services: Services, tenant: Tenant, finder: Database, owner: Any, clock: Any, folder: Path
) -> None:
    used, unused = await upload(services, tenant), await upload(services, tenant, samples.png())
    async with services.database.tenant(tenant.id) as tx:
        await actions.attach(tx, [used])
    await jobs.delete_unused_images(finder, services.database, services.files)
    assert len(stored(folder)) == 6
    await clock(DAY + timedelta(seconds=1))
    await jobs.delete_unused_images(finder, services.database, services.files)
    left = await owner.fetch("SELECT id FROM images WHERE organization_id = $1", tenant.id)
    assert [row["id"] for row in left] == [used]
    assert stored(folder) == sorted(f"{tenant.id}/{used}/{size}.jpg" for size in SIZES)
    [row] = await audited(owner, tenant, "image.deleted")
    assert (row["entity_id"], row["actor_type"]) == (unused, "system")


async def test_uploading_again_starts_the_day_anew(
    services: Services, tenant: Tenant, finder: Database, clock: Any
) -> None:
    image_id = await upload(services, tenant)
    await clock(DAY - timedelta(hours=1))
    assert await upload(services, tenant) == image_id
    await clock(DAY + timedelta(hours=1))
    await jobs.delete_unused_images(finder, services.database, services.files)
    async with services.database.tenant(tenant.id) as tx:
        await actions.attach(tx, [image_id])


async def test_a_picture_that_was_attached_meanwhile_stays(services: Services, tenant: Tenant, clock: Any) -> None:
    """The sweeper looks again under the row's lock: what it found a moment ago may be in use by now."""
    image_id = await upload(services, tenant)
    await clock(2 * DAY)
    async with services.database.tenant(tenant.id) as tx:
        await actions.attach(tx, [image_id])
    assert not await actions.delete_if_unused(services.database, services.files, tenant.id, image_id)
    assert await services.files.get(model.image_file_name(tenant.id, image_id, "small"))


async def test_a_store_that_is_away_holds_up_no_other_picture(
    services: Services, tenant: Tenant, finder: Database, owner: Any, clock: Any
) -> None:
    for raw in (JPEG, samples.png()):
        await upload(services, tenant, raw)
    await clock(DAY + timedelta(seconds=1))
    async with bucket.running() as store:
        store.trouble = "fail"
        away = S3(store.bucket())
        await jobs.delete_unused_images(finder, services.database, away)
        await away.close()
    assert await owner.fetchval("SELECT count(*) FROM images WHERE organization_id = $1", tenant.id) == 0


# --- in a bucket


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    async with bucket.running() as opened:
        yield opened


async def test_a_bucket_does_as_well(services: Services, tenant: Tenant, store: Store, owner: Any) -> None:
    files = S3(store.bucket())
    image = await actions.upload(services.database, files, tenant.principal("staff"), JPEG)
    assert sorted(store.objects) == sorted(f"/{bucket.NAME}/{tenant.id}/{image.id}/{size}.jpg" for size in SIZES)
    store.trouble = "fail"
    async with Counts(owner).unchanged():
        with pytest.raises(OSError, match="500"):
            await actions.upload(services.database, files, tenant.principal("staff"), samples.png())
    await files.close()
