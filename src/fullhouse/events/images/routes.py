"""HTTP routes of cover pictures: the upload, and the files."""

from uuid import UUID

from litestar import Response
from litestar import get as get_file
from litestar.params import FromPath

from fullhouse.events.images import actions
from fullhouse.events.images.model import Image, image_file_name, poster_file_name
from fullhouse.events.public import reads as public_reads
from fullhouse.kit.actors import Principal
from fullhouse.kit.cache.limits import Limit, network_of
from fullhouse.kit.errors import NotFound
from fullhouse.kit.http.endpoints import AnyRequest, post
from fullhouse.kit.http.guard import read_request_meta
from fullhouse.kit.media.pictures import BYTES_MAX, MEDIA_TYPES, SIZES
from fullhouse.kit.services import Services

_IMMUTABLE = "public, max-age=31536000, immutable"
DRAWING_LIMIT = Limit(240, 60)  # per network: drawing costs more than sending, and a page may have two dozen
_SIZES = {f"{size}.jpg": size for size in SIZES}


@post("/api/images", "events.update", accepts=MEDIA_TYPES, body_limit=BYTES_MAX, limit=Limit(60, 60))
async def upload_image(services: Services, who: Principal, raw: bytes) -> Image:
    """Upload a picture: JPEG, PNG or WebP, up to 10 MB and 50 megapixels.

    The body is the file itself. It is re-encoded without its metadata, in three sizes. Uploading the same file again
    returns the same id. Put the id into an event's `cover_image_ids`: a picture that no event uses is deleted after a
    day.
    """
    quota = services.quota_bytes
    return await actions.upload(services.database, services.files, who, raw, quota=quota)


@get_file("/images/{organization_id:uuid}/{image_id:uuid}/{size:str}", opt={"public": True}, include_in_schema=False)
async def show_image(
    request: AnyRequest, organization_id: FromPath[UUID], image_id: FromPath[UUID], size: FromPath[str]
) -> Response[bytes]:
    """Serves a file by its path alone, without a database query."""
    services: Services = request.app.state.services
    if size not in _SIZES:
        raise NotFound
    name = image_file_name(organization_id, image_id, _SIZES[size])
    tag = f'"{image_id.hex}-{_SIZES[size]}"'
    headers = {"cache-control": _IMMUTABLE, "etag": tag}
    if _matches_etag(request.headers.get("if-none-match"), tag) and await services.files.exists(name):
        return Response(b"", status_code=304, headers=headers)
    content = await services.files.get(name)
    if content is None:
        raise NotFound
    return Response(content, media_type="image/jpeg", headers=headers)


@get_file("/posters/{event_id:uuid}/{size:str}", opt={"public": True}, include_in_schema=False)
async def show_poster(request: AnyRequest, event_id: FromPath[UUID], size: FromPath[str]) -> Response[bytes]:
    """The generated poster of an event without pictures. It is drawn and stored at the first request after the event
    became public, and never changes.
    """
    services: Services = request.app.state.services
    if size not in _SIZES:
        raise NotFound
    tag = f'"{event_id.hex}-{_SIZES[size]}-poster"'
    headers = {"cache-control": _IMMUTABLE, "etag": tag}
    content = await services.files.get(poster_file_name(event_id, _SIZES[size]))
    if content is None:
        await public_reads.require_public_event(services, event_id)
        await services.limiter.check(f"posters:{network_of(read_request_meta(request).client_ip)}", DRAWING_LIMIT)
        content = (await actions.draw_poster(services.files, event_id))[_SIZES[size]]
    if _matches_etag(request.headers.get("if-none-match"), tag):
        return Response(b"", status_code=304, headers=headers)
    return Response(content, media_type="image/jpeg", headers=headers)


def _matches_etag(if_none_match: str | None, tag: str) -> bool:
    seen = [part.strip().removeprefix("W/") for part in (if_none_match or "").split(",")]
    return tag in seen or seen == ["*"]


handlers = [upload_image, show_image, show_poster]
