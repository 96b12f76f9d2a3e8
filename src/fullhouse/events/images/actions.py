"""The actions of cover pictures. Decoding and storing files is slow, so an upload opens its own transactions."""

import hashlib
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from fullhouse.events import store
from fullhouse.events.images import poster_art
from fullhouse.events.images.model import (
    Image,
    ImageNotFound,
    ImageQuotaExceeded,
    StoredImage,
    image_file_name,
    image_urls,
    poster_file_name,
)
from fullhouse.kit.actors import Principal
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Database, Tx
from fullhouse.kit.errors import FieldError, Invalid
from fullhouse.kit.ids import new_id
from fullhouse.kit.media import pictures
from fullhouse.kit.media.files import Files
from fullhouse.kit.services import QUOTA_BYTES

UNUSED_FOR = timedelta(days=1)
"""How long a picture that no event uses is kept."""


async def upload(database: Database, files: Files, who: Principal, raw: bytes, *, quota: int = QUOTA_BYTES) -> Image:
    """The same bytes give the same picture. Files are stored before the row, so that no row names a missing file.

    `quota` limits the total bytes of an organisation's pictures. It is checked before the files are stored, and again,
    under a lock, when the row is written.
    """
    digest = hashlib.sha256(raw).hexdigest()
    async with database.tenant(who.organization_id, who.actor) as tx:
        known = await store.renew_image(tx, digest)
        used = 0 if known else await store.sum_image_bytes(tx) or 0
    if known and await _is_stored(files, who.organization_id, known.id):
        return _to_view(who.organization_id, known)
    picture = await pictures.clean(raw)
    if not known:
        _check_quota(used + _size_in_bytes(picture), quota)
    image_id = known.id if known else new_id()
    for size, content in picture.files.items():
        await files.put(image_file_name(who.organization_id, image_id, size), content)
    try:
        async with database.tenant(who.organization_id, who.actor) as tx:
            await store.lock_image_quota(tx)
            image = await _insert(tx, image_id, digest, picture)
            if known is None and image.id == image_id:
                _check_quota(await store.sum_image_bytes(tx) or 0, quota)
                await _audit_upload(tx, image)
    except ImageQuotaExceeded:  # a concurrent upload used up the quota
        await remove_files(files, who.organization_id, image_id)
        raise
    if image.id != image_id:  # a concurrent upload of the same bytes was faster
        await remove_files(files, who.organization_id, image_id)
    return _to_view(who.organization_id, image)


async def add_in_transaction(tx: Tx, files: Files, raw: bytes) -> Image:
    """An upload inside the caller's transaction, without a quota: for the demo data."""
    assert tx.organization_id
    picture, image_id = await pictures.clean(raw), new_id()
    for size, content in picture.files.items():
        await files.put(image_file_name(tx.organization_id, image_id, size), content)
    image = await _insert(tx, image_id, hashlib.sha256(raw).hexdigest(), picture)
    if image.id == image_id:
        await _audit_upload(tx, image)
    return _to_view(tx.organization_id, image)


async def draw_poster(files: Files, event_id: UUID) -> dict[str, bytes]:
    """Draws the generated poster of an event from its id, and stores each size."""
    picture = await pictures.clean_drawn(lambda: poster_art.draw_poster(str(event_id)))
    for size, content in picture.files.items():
        await files.put(poster_file_name(event_id, size), content)
    return picture.files


async def attach(tx: Tx, image_ids: Sequence[UUID]) -> None:
    """Marks pictures as used by an event, so that they are kept. All must be the organisation's own."""
    if len(set(image_ids)) < len(image_ids):
        raise Invalid(fields=[FieldError("cover_image_ids", "List each picture only once.")])
    if image_ids and await store.attach_images(tx, list(image_ids)) < len(image_ids):
        raise ImageNotFound(fields=[FieldError("cover_image_ids", "Not a picture of this organisation.")])


async def detach(tx: Tx, image_ids: Sequence[UUID], *, besides: Sequence[UUID] = ()) -> None:
    """An event uses these no more. Those that no other event uses are kept for a day, like new uploads."""
    dropped = [image_id for image_id in image_ids if image_id not in besides]
    if dropped:
        await store.lock_images(tx, dropped)
        await store.detach_images(tx, dropped)


async def delete_if_unused(database: Database, files: Files, organization_id: UUID, image_id: UUID) -> bool:
    """Deletes a picture that no event has used for a day. The row first: a crash then leaves only a file behind."""
    async with database.tenant(organization_id) as tx:
        deleted = await store.delete_unused_image(tx, image_id=image_id, age=UNUSED_FOR)
        if deleted:
            await audit.write(tx, "image.deleted", "image", image_id, reason="not used by any show")
    if deleted:
        await remove_files(files, organization_id, image_id)
    return bool(deleted)


async def remove_files(files: Files, organization_id: UUID, image_id: UUID) -> None:
    for size in pictures.SIZES:
        await files.delete(image_file_name(organization_id, image_id, size))


async def _is_stored(files: Files, organization_id: UUID, image_id: UUID) -> bool:
    """After a restore, rows may lack their files: uploading the same bytes again stores them."""
    for size in pictures.SIZES:
        if not await files.exists(image_file_name(organization_id, image_id, size)):
            return False
    return True


async def _insert(tx: Tx, image_id: UUID, digest: str, picture: pictures.Picture) -> StoredImage:
    image = await store.insert_image(
        tx,
        id=image_id,
        digest=digest,
        width=picture.width,
        height=picture.height,
        bytes=_size_in_bytes(picture),
        created_by=tx.actor.id,
    )
    assert image
    return image


async def _audit_upload(tx: Tx, image: StoredImage) -> None:
    after = {"width": image.width, "height": image.height}
    await audit.write(tx, "image.uploaded", "image", image.id, after=after)


def _check_quota(weight: int, quota: int) -> None:
    if weight > quota:
        raise ImageQuotaExceeded(
            f"With this picture, {weight:,} bytes would be used; the limit is {quota:,}.", bytes=weight, most=quota
        )


def _size_in_bytes(picture: pictures.Picture) -> int:
    return sum(map(len, picture.files.values()))


def _to_view(organization_id: UUID, image: StoredImage) -> Image:
    return Image(image.id, image.width, image.height, image_urls(organization_id, image.id))
