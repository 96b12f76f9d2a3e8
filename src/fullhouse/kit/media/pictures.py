"""Uploaded pictures: checked, decoded, and encoded as clean JPEG files in three sizes.

The results have only the pixels of the uploaded file: upright, in sRGB, on white where it was transparent, without
EXIF, XMP, profile, comment or text. An upload may be hostile: it is parsed before any decoder sees it
(kit/media/picture_files.py), its size is checked before pixels are decoded, and at most two threads decode.
"""

import asyncio
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from io import BytesIO
from typing import NamedTuple

from PIL import Image, ImageCms, ImageFile, PngImagePlugin

from fullhouse.kit.errors import Invalid, TooLarge, Unavailable, UnsupportedMedia
from fullhouse.kit.media import picture_files
from fullhouse.kit.media.picture_files import Parts

MEDIA_TYPES = ("image/jpeg", "image/png", "image/webp")
BYTES_MAX = 10_000_000
PIXELS_MAX = 50_000_000
SIDE_MAX = 12_000
SIZES: Mapping[str, int] = {"small": 400, "medium": 800, "large": 1600}
"""The longer side of each, in pixels. Nothing is enlarged."""

AT_ONCE, WAITING_MAX = 2, 16
_BIG_PIXELS = 16_000_000  # larger ones one at a time: a decoder needs up to 16 bytes for a pixel
_QUALITY = 85
_TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}

# The library's own limits, in addition to ours.
Image.MAX_IMAGE_PIXELS = PIXELS_MAX
ImageFile.LOAD_TRUNCATED_IMAGES = False
PngImagePlugin.MAX_TEXT_CHUNK = PngImagePlugin.MAX_TEXT_MEMORY = 2**16

_threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="pictures")
_one_big = threading.Lock()
_waiting = 0


class ImageTypeNotAllowed(UnsupportedMedia):
    """Only JPEG, PNG and WebP pictures are accepted, and no animations. The file's content counts, not its name."""

    code, title = "image_type_not_allowed", "Send a JPEG, PNG or WebP picture"


class ImageTooLarge(TooLarge):
    """The file is larger than 10 MB."""

    code, title = "image_too_large", "The picture's file is too large"


class ImageTooManyPixels(Invalid):
    """The picture has more than 50 megapixels, or a side of more than 12,000."""

    code, title = "image_too_many_pixels", "The picture has too many pixels"


class ImageBroken(Invalid):
    """The file is damaged or incomplete: it cannot be decoded."""

    code, title = "image_broken", "The picture cannot be read"


class Picture(NamedTuple):
    """A picture that is safe to publish. Width and height are the original's, upright."""

    width: int
    height: int
    files: dict[str, bytes]
    """A JPEG for each of SIZES."""


async def clean(raw: bytes) -> Picture:
    """Checks and encodes in a thread, without blocking the event loop. Refuses if too many wait."""
    return await clean_drawn(lambda: raw)


async def clean_drawn(draw: Callable[[], bytes]) -> Picture:
    """Like `clean`, of a picture that `draw` renders in the thread first."""
    global _waiting
    if _waiting >= WAITING_MAX:
        raise Unavailable("Too many pictures are being processed. Try again in a few seconds.", retry_after_s=5)
    _waiting += 1
    try:
        return await asyncio.get_running_loop().run_in_executor(_threads, lambda: clean_now(draw()))
    finally:
        _waiting -= 1


def clean_now(raw: bytes) -> Picture:
    """Like `clean`, in the calling thread."""
    return _encode_sizes(inspect(raw))


def inspect(raw: bytes) -> Parts:
    """Refuses what can be refused without decoding: other formats, too many bytes or pixels, incomplete files."""
    if len(raw) > BYTES_MAX:
        raise ImageTooLarge(f"The file has more than {BYTES_MAX:,} bytes. Send a smaller one.", most=BYTES_MAX)
    if picture_files.detect_kind(raw) is None:
        raise ImageTypeNotAllowed
    try:
        parts = picture_files.parse_parts(raw)
    except picture_files.AnimatedPicture:
        raise ImageTypeNotAllowed("Animations are not accepted. Send a still picture.") from None
    except picture_files.BrokenPicture as broken:
        raise ImageBroken(f"The picture cannot be read: {broken}.") from None
    if parts.width * parts.height > PIXELS_MAX or max(parts.width, parts.height) > SIDE_MAX:
        raise ImageTooManyPixels(
            f"{parts.width} × {parts.height} pixels are too many. Send a smaller picture.",
            width=parts.width,
            height=parts.height,
        )
    return parts


def _encode_sizes(parts: Parts) -> Picture:
    with _one_big if parts.width * parts.height > _BIG_PIXELS else nullcontext():
        try:
            image = _rotate(_decode(parts), parts.orientation)
            image = _to_srgb(_flatten(image), parts.profile)
        except Exception as error:  # decoders raise exceptions of any kind
            raise ImageBroken("The picture cannot be read: it is damaged.") from error
        upright = (parts.height, parts.width) if parts.orientation >= 5 else (parts.width, parts.height)
        return Picture(*upright, {name: _encode_jpeg(image, side) for name, side in SIZES.items()})


def _decode(parts: Parts) -> Image.Image:
    """Decoded to at most the largest size. A JPEG is never decoded to more than twice that."""
    largest = max(SIZES.values())
    image: Image.Image = Image.open(BytesIO(parts.bare), formats=(parts.kind,))
    if image.size != (parts.width, parts.height):
        raise picture_files.BrokenPicture("it has two sizes")
    image.draft(None, (largest, largest))
    if image.mode.startswith("I;16"):  # 16-bit grey
        image = image.point(lambda value: value / 256).convert("L")
    elif image.mode in ("1", "P", "PA"):
        image = image.convert("RGBA" if "transparency" in image.info else "RGB")
    elif "transparency" in image.info:  # one colour is declared transparent
        image = image.convert("LA" if image.mode == "L" else "RGBA")
    image.thumbnail((largest, largest), Image.Resampling.LANCZOS)
    return image


def _rotate(image: Image.Image, orientation: int) -> Image.Image:
    return image.transpose(_TURNS[orientation]) if orientation in _TURNS else image


def _flatten(image: Image.Image) -> Image.Image:
    """With white where it was transparent."""
    if image.mode not in ("RGBA", "LA"):
        return image
    ground = Image.new(image.mode.removesuffix("A"), image.size, "white")
    ground.paste(image.getchannel("L") if image.mode == "LA" else image.convert("RGB"), mask=image.getchannel("A"))
    return ground


def _to_srgb(image: Image.Image, profile: bytes | None) -> Image.Image:
    """A profile that is invalid, or does not fit this picture, is ignored, as in browsers."""
    if profile:
        with suppress(OSError, ValueError, TypeError, ImageCms.PyCMSError):
            given = ImageCms.ImageCmsProfile(BytesIO(profile))
            converted = ImageCms.profileToProfile(image, given, ImageCms.createProfile("sRGB"), outputMode="RGB")
            if converted is not None:
                return converted
    return image.convert("RGB")


def _encode_jpeg(image: Image.Image, side: int) -> bytes:
    # On a new canvas: the library's metadata of the uploaded file is not copied.
    fresh = Image.new("RGB", image.size)
    fresh.paste(image)
    fresh.thumbnail((side, side), Image.Resampling.LANCZOS)
    out = BytesIO()
    fresh.save(out, "JPEG", quality=_QUALITY, optimize=True, progressive=True)
    return out.getvalue()
