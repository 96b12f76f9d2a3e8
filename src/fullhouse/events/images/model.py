"""Cover pictures, as they are stored and shown."""

from datetime import datetime
from uuid import UUID

import msgspec

from fullhouse.kit.errors import Conflict, Invalid
from fullhouse.kit.media.pictures import SIZES


class StoredImage(msgspec.Struct, frozen=True):
    id: UUID
    digest: str
    width: int
    height: int
    bytes: int
    created_by: UUID | None
    attached_at: datetime | None
    created_at: datetime


class Image(msgspec.Struct, frozen=True):
    """An uploaded picture. Width and height are the original's; `urls` has a JPEG for each size."""

    id: UUID
    width: int
    height: int
    urls: dict[str, str]


def file_name(organization_id: UUID, image_id: UUID, size: str) -> str:
    return f"{organization_id}/{image_id}/{size}.jpg"


def urls(organization_id: UUID, image_id: UUID) -> dict[str, str]:
    """Where each size is served. A picture never changes, so neither does what is behind these."""
    return {size: f"/images/{file_name(organization_id, image_id, size)}" for size in SIZES}


def poster_name(event_id: UUID, size: str) -> str:
    return f"posters/{event_id}/{size}.jpg"


def poster_urls(event_id: UUID) -> dict[str, str]:
    """Where the poster is served that stands in for the pictures of an event that has none."""
    return {size: f"/{poster_name(event_id, size)}" for size in SIZES}


class ImageUnknown(Invalid):
    """There is no such picture in this organisation. Upload it first; one that no show uses is kept for a day."""

    code, title = "image_not_found", "No such picture"


class PicturesFull(Conflict):
    """The organisation's pictures weigh as much as they may. Take some off their shows: they go after a day."""

    code, title = "pictures_full", "No room for more pictures"
