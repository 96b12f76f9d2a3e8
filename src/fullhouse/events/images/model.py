"""Cover pictures: rows, API structs, URLs and refusals."""

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
    """An uploaded picture. Width and height are those of the original; `urls` has a JPEG for each size."""

    id: UUID
    width: int
    height: int
    urls: dict[str, str]


def image_file_name(organization_id: UUID, image_id: UUID, size: str) -> str:
    return f"{organization_id}/{image_id}/{size}.jpg"


def image_urls(organization_id: UUID, image_id: UUID) -> dict[str, str]:
    """The URL of each size. A picture never changes, so these can be cached for good."""
    return {size: f"/images/{image_file_name(organization_id, image_id, size)}" for size in SIZES}


def poster_file_name(event_id: UUID, size: str) -> str:
    return f"posters/{event_id}/{size}.jpg"


def poster_urls(event_id: UUID) -> dict[str, str]:
    """The URL of each size of the generated poster, for an event without pictures."""
    return {size: f"/{poster_file_name(event_id, size)}" for size in SIZES}


class ImageNotFound(Invalid):
    """There is no such picture in this organisation. Upload it first; one that no event uses is kept for a day."""

    code, title = "image_not_found", "Picture not found"


class ImageQuotaExceeded(Conflict):
    """The organisation's storage for pictures is full. Remove some from events: unused ones are deleted after a day."""

    code, title = "pictures_full", "No storage left for pictures"
