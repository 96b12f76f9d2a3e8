"""Picture files for tests: good ones made by the library, bad ones made by hand."""

import struct
import zlib
from io import BytesIO
from typing import Any

from PIL import Image

RED, GREEN, BLUE, YELLOW = (200, 30, 30), (30, 160, 60), (30, 60, 200), (230, 200, 40)
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
GIF = bytes.fromhex("47494638396101000100800000000000ffffff2c00000000010001000002024401003b")
HTML = b"<!doctype html><script>alert(1)</script>"


def quarters(width: int = 640, height: int = 320) -> Image.Image:
    """Red, green, blue and yellow, from the top left by rows: whichever way it is turned, it shows."""
    image = Image.new("RGB", (width, height), RED)
    image.paste(GREEN, (width // 2, 0, width, height // 2))
    image.paste(BLUE, (0, height // 2, width // 2, height))
    image.paste(YELLOW, (width // 2, height // 2, width, height))
    return image


def saved(image: Image.Image, kind: str, **more: Any) -> bytes:
    out = BytesIO()
    image.save(out, kind, **more)
    return out.getvalue()


def jpeg(**more: Any) -> bytes:
    return saved(quarters(), "JPEG", **more)


def png(**more: Any) -> bytes:
    return saved(quarters(), "PNG", **more)


def webp(**more: Any) -> bytes:
    return saved(quarters(), "WEBP", lossless=True, **more)


def chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png_of(width: int, height: int, *chunks: bytes, pixels: bytes | None = None) -> bytes:
    """A PNG that says it has this size, and hardly has any pixels."""
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0))
    data = chunk(b"IDAT", zlib.compress(b"\0" * 4096) if pixels is None else pixels)
    return b"\x89PNG\r\n\x1a\n" + head + b"".join(chunks) + data + chunk(b"IEND", b"")


def segment(marker: int, body: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body


def with_segments(raw: bytes, *segments: bytes) -> bytes:
    """A JPEG with more segments right at its beginning."""
    return raw[:2] + b"".join(segments) + raw[2:]


def exif(orientation: int = 1) -> bytes:
    """With a place on earth in it, as phones write it."""
    found = Image.Exif()
    found[0x0112] = orientation
    found[0x010F] = "Camera of Mallory"
    found.get_ifd(0x8825).update({1: "N", 2: (51.0, 3.0, 12.5), 3: "E", 4: (3.0, 43.0, 30.0)})
    return found.tobytes()
