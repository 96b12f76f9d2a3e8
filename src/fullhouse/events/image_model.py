"""Cover pictures, as they are stored and shown."""

from datetime import datetime
from uuid import UUID

import msgspec

from fullhouse.kit.errors import Invalid


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


class ImageUnknown(Invalid):
    """There is no such picture in this organisation. Upload it first; one that no show uses is kept for a day."""

    code, title = "image_not_found", "No such picture"
