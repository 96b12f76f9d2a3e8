"""Uploaded pictures: what is bad is refused before it costs anything, what is good comes out clean."""

import asyncio
import struct
import threading
import tracemalloc
import zlib
from contextlib import suppress
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageCms

from fullhouse.kit.errors import Refusal, Unavailable
from fullhouse.kit.media import picture_files, pictures
from tests.fixtures import soaking
from tests.kit import samples
from tests.kit.helpers import until
from tests.kit.samples import BLUE, GREEN, RED, YELLOW

pytestmark = pytest.mark.req("FEED-5")


def opened(content: bytes) -> Image.Image:
    return Image.open(BytesIO(content), formats=("JPEG",))


def large(raw: bytes) -> Image.Image:
    return opened(pictures.clean_now(raw).files["large"])


def near(image: Image.Image, *corners: tuple[int, int, int]) -> bool:
    """The colours of the four quarters, from the top left by rows."""
    width, height = image.size
    spots = [(width * x // 4, height * y // 4) for y in (1, 3) for x in (1, 3)]
    seen: list[Any] = [image.convert("RGB").getpixel(spot) for spot in spots]
    return all(abs(a - b) < 16 for had, want in zip(seen, corners, strict=True) for a, b in zip(had, want, strict=True))


def is_clean(content: bytes) -> bool:
    """A progressive JPEG, whole, of nothing but pixels."""
    image = opened(content)
    image.load()
    segments = {marker for marker, _, _ in picture_files._segments(content)}
    metadata = segments & set(range(0xE1, 0xF0)) | segments & {0xFE}
    rest = picture_files.parse_parts(content).bare
    return image.mode == "RGB" and image.info.get("progressive") == 1 and not metadata and len(rest) == len(content)


# --- good ones


@pytest.mark.parametrize("kind", ["jpeg", "png", "webp"])
def test_a_picture_comes_out_in_three_sizes(kind: str) -> None:
    raw = samples.saved(samples.quarters(3200, 2000), kind.upper())
    picture = pictures.clean_now(raw)
    assert (picture.width, picture.height) == (3200, 2000)
    assert {name: opened(content).size for name, content in picture.files.items()} == {
        "small": (400, 250),
        "medium": (800, 500),
        "large": (1600, 1000),
    }
    for content in picture.files.values():
        assert is_clean(content)
        assert near(opened(content), RED, GREEN, BLUE, YELLOW)


def test_a_small_picture_is_not_enlarged() -> None:
    sizes = [opened(content).size for content in pictures.clean_now(samples.jpeg()).files.values()]
    assert sizes == [(400, 200), (640, 320), (640, 320)]
    assert large(samples.saved(Image.new("RGB", (1, 1), RED), "PNG")).size == (1, 1)
    assert large(samples.saved(Image.new("RGB", (9000, 2), RED), "PNG")).size == (1600, 1)


TURNED = {  # what the four quarters show, for each way in which a camera was held
    1: (RED, GREEN, BLUE, YELLOW),
    2: (GREEN, RED, YELLOW, BLUE),
    3: (YELLOW, BLUE, GREEN, RED),
    4: (BLUE, YELLOW, RED, GREEN),
    5: (RED, BLUE, GREEN, YELLOW),
    6: (BLUE, RED, YELLOW, GREEN),
    7: (YELLOW, GREEN, BLUE, RED),
    8: (GREEN, YELLOW, RED, BLUE),
}


@pytest.mark.parametrize("kind", ["jpeg", "png", "webp"])
@pytest.mark.parametrize("orientation", TURNED)
def test_the_cameras_orientation_is_applied(orientation: int, kind: str) -> None:
    raw = samples.saved(samples.quarters(), kind.upper(), exif=samples.exif(orientation))
    picture = pictures.clean_now(raw)
    image = opened(picture.files["large"])
    assert image.size == (picture.width, picture.height) == ((640, 320) if orientation < 5 else (320, 640))
    assert near(image, *TURNED[orientation])


@pytest.mark.parametrize("order", ["<", ">"])
def test_an_orientation_is_found_in_either_byte_order(order: str) -> None:
    mark = b"II*\0" if order == "<" else b"MM\0*"
    entry = struct.pack(order + "HHIHH", 0x0112, 3, 1, 6, 0)
    exif = mark + struct.pack(order + "IH", 8, 1) + entry + b"\0" * 4
    assert picture_files.read_orientation(exif) == 6
    assert picture_files.read_orientation(exif[:12]) == 1
    assert picture_files.read_orientation(exif.replace(entry, struct.pack(order + "HHIHH", 0x0112, 3, 1, 9, 0))) == 1


@pytest.mark.parametrize("kind", ["jpeg", "png", "webp"])
def test_no_metadata_comes_through(kind: str) -> None:
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    raw = getattr(samples, kind)(exif=samples.exif(), icc_profile=profile)
    if kind == "jpeg":
        packet = b"http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>Mallory</x:xmpmeta>"
        raw = samples.with_segments(raw, samples.segment(0xFE, b"by Mallory"), samples.segment(0xE1, packet))
    if kind == "png":
        raw = raw[:33] + samples.chunk(b"tEXt", b"Author\0Mallory") + raw[33:]
    assert b"Mallory" in raw
    for content in pictures.clean_now(raw).files.values():
        assert is_clean(content)
        assert not any(word in content for word in (b"Mallory", b"Exif", b"ICC_PROFILE", b"xmp", b"acsp"))


def test_a_second_file_at_the_end_or_inside_stays_behind() -> None:
    inside = samples.with_segments(samples.jpeg(), samples.segment(0xFE, samples.HTML))
    for raw in (inside + samples.HTML, samples.png() + samples.HTML, samples.webp() + samples.HTML):
        assert samples.HTML in raw
        for content in pictures.clean_now(raw).files.values():
            assert is_clean(content)
            assert b"<script>" not in content


def test_transparency_becomes_white() -> None:
    image = samples.quarters().convert("RGBA")
    image.paste((0, 0, 0, 0), (0, 0, 320, 160))
    white = (255, 255, 255)
    palette = samples.quarters().quantize(8)
    nothing = palette.getpixel((1, 1))
    for raw in (
        samples.saved(image, "PNG"),
        samples.saved(image, "WEBP", lossless=True),
        samples.saved(image, "WEBP", quality=95),
        samples.saved(palette, "PNG", transparency=nothing),
        samples.saved(samples.quarters(), "PNG", transparency=RED),
    ):
        assert near(large(raw), white, GREEN, BLUE, YELLOW)


def test_every_kind_of_pixel_is_read() -> None:
    grey = Image.linear_gradient("L").resize((256, 128))
    deep = Image.frombytes("I;16", (256, 128), b"".join(struct.pack("<H", x * 257) for x in range(256)) * 128)
    flat = [(x, x, x) for x in (64, 192, 64, 192)]
    across = Image.frombytes("L", (256, 128), bytes(range(256)) * 128)
    for image in (across, across.convert("LA"), deep, across.convert("P"), across.convert("RGB")):
        assert near(large(samples.saved(image, "PNG")), *flat), image.mode
    assert large(samples.saved(grey.convert("1"), "PNG")).size == (256, 128)
    assert near(large(samples.saved(samples.quarters().convert("CMYK"), "JPEG")), RED, GREEN, BLUE, YELLOW)
    assert near(large(samples.saved(across, "JPEG")), *flat)


def test_another_colour_space_becomes_srgb() -> None:
    """A profile with red and green exchanged, made by hand: who ignores it sees other colours."""
    srgb = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    tags = {bytes(srgb[at : at + 4]): at for at in range(132, 132 + 12 * srgb[131], 12)}
    red, green = tags[b"rXYZ"], tags[b"gXYZ"]
    srgb[red : red + 4], srgb[green : green + 4] = b"gXYZ", b"rXYZ"
    other = bytes(srgb)
    exchanged = [(g, r, b) for r, g, b in (RED, GREEN, BLUE, YELLOW)]
    for make in (samples.jpeg, samples.png, samples.webp):
        assert near(large(make(icc_profile=other)), *exchanged)


def test_a_senseless_profile_is_left_aside() -> None:
    lab = ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB")).tobytes()
    for profile in (b"nonsense", lab, b"\0" * 5000):
        for raw in (samples.jpeg(icc_profile=profile), samples.webp(icc_profile=profile)):
            assert near(large(raw), RED, GREEN, BLUE, YELLOW)


# --- bad ones


def code_of(raw: bytes) -> tuple[int, str]:
    with pytest.raises(Refusal) as refused:
        pictures.clean_now(raw)
    return refused.value.status, refused.value.code


@pytest.mark.parametrize(
    "raw",
    [samples.SVG, samples.GIF, samples.HTML, b"plain text", b"", b"\xff\xd8", b"%PDF-1.7", b"BM" + b"\0" * 60,
     b"II*\0" + b"\0" * 60, b"\0\0\0\x1cftypavif" + b"\0" * 60, b"<?xml version='1.0'?>" + samples.SVG],
)  # fmt: skip
def test_other_kinds_are_refused(raw: bytes) -> None:
    assert code_of(raw) == (415, "image_type_not_allowed")


def test_an_animation_is_refused() -> None:
    frames = [samples.quarters(), samples.quarters().rotate(180)]
    assert code_of(samples.saved(frames[0], "WEBP", save_all=True, append_images=frames[1:])) == (
        415,
        "image_type_not_allowed",
    )
    still = samples.saved(frames[0], "PNG", save_all=True, append_images=frames[1:])
    assert near(large(still), RED, GREEN, BLUE, YELLOW)  # every reader of PNG may show the first picture only


def test_too_many_bytes_are_refused_whatever_they_are() -> None:
    assert code_of(samples.jpeg() + b"\0" * pictures.BYTES_MAX) == (413, "image_too_large")


def code_by_header(raw: bytes) -> tuple[int, str]:
    """Refused by the part that decodes nothing."""
    with pytest.raises(Refusal) as refused:
        pictures.inspect(raw)
    return refused.value.status, refused.value.code


BOMBS = {
    "png": samples.png_of(30_000, 30_000),
    "png, long": samples.png_of(12_001, 1),
    "png, 2^31": samples.png_of(2**31 - 1, 2**31 - 1),
    "webp lossless": picture_files._riff(("VP8L", b"\x2f" + struct.pack("<I", 16382 | 16382 << 14) + b"\0" * 8)),
    "webp": picture_files._riff(("VP8 ", b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 16383, 16383) + b"\0" * 8)),
    "jpeg": b"\xff\xd8" + samples.segment(0xC0, struct.pack(">BHHB", 8, 60_000, 60_000, 1) + b"\1\x11\0") + b"\xff\xd9",
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_known_by_its_header(name: str) -> None:
    assert len(BOMBS[name]) < 200
    assert code_by_header(BOMBS[name]) == (422, "image_too_many_pixels")


def test_a_file_with_two_sizes_is_refused() -> None:
    raw = samples.webp()
    canvas = b"\0\0\0\0" + (29_999).to_bytes(3, "little") * 2
    (length,) = struct.unpack_from("<I", raw, 16)
    claims_more = picture_files._riff(("VP8X", canvas), ("VP8L", raw[20 : 20 + length]))
    assert large(claims_more).size == (640, 320)  # the pixels count, not the canvas
    frame = samples.segment(0xC0, struct.pack(">BHHB", 8, 9, 9, 1) + b"\1\x11\0")
    assert code_of(samples.with_segments(samples.jpeg(), frame)) == (422, "image_broken")


@pytest.mark.parametrize("kind", ["jpeg", "png", "webp"])
def test_a_truncated_file_is_refused(kind: str) -> None:
    raw = samples.saved(Image.effect_noise((300, 300), 90).convert("RGB"), kind.upper())
    for left in (16, 40, len(raw) // 3, len(raw) // 2, len(raw) - 20):
        assert code_of(raw[:left]) == (422, "image_broken"), left


def test_pixels_that_are_not_there_are_refused() -> None:
    assert code_of(samples.png_of(500, 500, pixels=b"")) == (422, "image_broken")
    assert code_of(samples.png_of(0, 5)) == (422, "image_broken")
    assert code_of(b"\xff\xd8\xff\xd9\xff") == (422, "image_broken")


def test_a_file_of_very_many_parts_is_refused() -> None:
    many = picture_files.PARTS_MAX + 1
    small = samples.jpeg()
    progressive = samples.jpeg(progressive=True)
    last = progressive.rindex(b"\xff\xda")
    for raw in (
        samples.with_segments(small, samples.segment(0xFE, b"") * many),
        samples.png_of(9, 9, samples.chunk(b"tEXt", b"") * many),
        samples.png_of(9, 9, samples.chunk(b"IDAT", b"") * many),
        picture_files._riff(*[("JUNK", b"")] * many),
        progressive[:-2] + progressive[last:-2] * picture_files.SCANS_MAX + b"\xff\xd9",
    ):
        assert code_by_header(raw) == (422, "image_broken")


def test_a_packed_profile_is_not_unpacked_without_end() -> None:
    bomb = samples.chunk(b"iCCP", b"x\0\0" + zlib.compress(b"\0" * 60_000_000))
    raw = samples.png()
    tracemalloc.start()
    parts = picture_files.parse_parts(raw[:33] + bomb + raw[33:])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert parts.profile is None
    assert peak < 20_000_000
    assert bomb not in parts.bare


def test_decoders_see_no_metadata() -> None:
    """An EXIF block with a list of long values, each the same bytes: some readers copy every one of them."""
    entries = 5000
    block = b"II*\0" + struct.pack("<IH", 8, entries)
    block += b"".join(struct.pack("<HHII", 1 + n, 7, 50_000, 8) for n in range(entries))
    raw = samples.with_segments(samples.jpeg(), samples.segment(0xE1, b"Exif\0\0" + block))
    assert b"Exif" not in picture_files.parse_parts(raw).bare
    assert is_clean(pictures.clean_now(raw).files["small"])


_VALID = [
    samples.saved(samples.quarters(40, 24), "JPEG", exif=samples.exif(6)),
    samples.saved(samples.quarters(40, 24), "JPEG", progressive=True),
    samples.saved(samples.quarters(40, 24), "PNG", exif=samples.exif(6)),
    samples.saved(samples.quarters(40, 24).convert("RGBA"), "WEBP", exif=samples.exif(6)),
    samples.saved(samples.quarters(40, 24), "WEBP", lossless=True),
]
_MAGIC = [b"", b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"RIFF\x40\0\0\0WEBPVP8 ", b"RIFF\x40\0\0\0WEBPVP8X"]
_MANY = settings(max_examples=3000 if soaking() else 150, deadline=None)


def refuses_or_cleans(raw: bytes) -> None:
    """Anything else that is raised fails the test."""
    with suppress(
        pictures.ImageTypeNotAllowed, pictures.ImageTooLarge, pictures.ImageTooManyPixels, pictures.ImageBroken
    ):
        assert all(is_clean(content) for content in pictures.clean_now(raw).files.values())


@pytest.mark.soak
@_MANY
@given(st.sampled_from(_MAGIC), st.binary(max_size=400))
def test_random_bytes_are_refused_or_come_out_clean(magic: bytes, rest: bytes) -> None:
    refuses_or_cleans(magic + rest)


@pytest.mark.soak
@_MANY
@given(st.sampled_from(_VALID), st.data())
def test_mutated_pictures_are_refused_or_come_out_clean(raw: bytes, data: st.DataObject) -> None:
    mutant = bytearray(raw)
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(mutant)))
        piece = data.draw(st.binary(max_size=8))
        mutant[at : at + data.draw(st.integers(0, 12))] = piece
    refuses_or_cleans(bytes(mutant))


# --- at work


async def test_two_are_at_work_and_a_few_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    go, inside, most = threading.Event(), [0], [0]
    lock = threading.Lock()

    def work(parts: picture_files.Parts) -> pictures.Picture:
        with lock:
            inside[0] += 1
            most[0] = max(most[0], inside[0])
        assert go.wait(20)
        with lock:
            inside[0] -= 1
        return pictures.Picture(1, 1, {})

    monkeypatch.setattr(pictures, "_encode_sizes", work)
    raw = samples.jpeg()
    tasks = [asyncio.create_task(pictures.clean(raw)) for _ in range(pictures.WAITING_MAX)]
    try:
        await until(lambda: inside[0] == pictures.AT_ONCE)
        with pytest.raises(Unavailable):
            await pictures.clean(raw)
    finally:
        go.set()
    assert len(await asyncio.gather(*tasks)) == pictures.WAITING_MAX
    assert most[0] == pictures.AT_ONCE
    assert await pictures.clean(raw)


async def test_the_thread_gives_the_same_as_here() -> None:
    raw = samples.jpeg()
    assert await pictures.clean(raw) == pictures.clean_now(raw)
    with pytest.raises(pictures.ImageBroken):
        await pictures.clean(raw[:-300])
