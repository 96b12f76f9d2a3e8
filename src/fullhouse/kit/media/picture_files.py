"""Parses a picture file without decoding it, so that the decoder gets pixels and nothing else.

JPEG, PNG and WebP are lists of parts. Parts with pixels are kept; what cameras, editors and attackers add is dropped:
EXIF, XMP, comments, thumbnails, text, a second file at the end. Two kinds of metadata affect what people see, the
orientation and the colour profile. They are read here, with little code and within bounds.
"""

import re
import struct
import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

PARTS_MAX = 4000
"""Most parts of one file, except pixels. Real files have dozens; each costs the decoder time."""

SCANS_MAX = 40
"""Most scans of a progressive JPEG. Encoders make a dozen; each is a pass over the whole picture."""

PROFILE_MAX = 4 * 2**20
_ORIENTATION, _SHORT = 0x0112, 3


class BrokenPicture(Exception):
    """The file does not have the format that its first bytes indicate, or is incomplete."""


class AnimatedPicture(Exception):
    """The file has more than one picture."""


class Parts(NamedTuple):
    kind: str
    width: int
    height: int
    bare: bytes
    """The same picture as a file without metadata."""
    orientation: int
    """1 to 8, as EXIF has it; 1 is upright."""
    profile: bytes | None
    """An ICC profile, unchecked."""


def detect_kind(raw: bytes) -> str | None:
    """The format, by the first bytes; the declared type is ignored."""
    for kind, magic in _MAGIC.items():
        if magic.match(raw):
            return kind
    return None


def parse_parts(raw: bytes) -> Parts:
    """The parts of a file whose format `detect_kind` knows. Raises BrokenPicture or AnimatedPicture."""
    kind = detect_kind(raw)
    if kind is None:
        raise BrokenPicture("not a picture")
    try:
        parts = _READERS[kind](raw)
    except (struct.error, IndexError, zlib.error):
        raise BrokenPicture("it ends too early") from None
    if not (parts.width and parts.height):
        raise BrokenPicture("it has no size")
    return parts


# --- JPEG: markers with a length; after "start of scan" the coded pixels, in which 0xFF is followed by 0 or a restart

_FRAMES = frozenset({0xC0, 0xC1, 0xC2})  # baseline, extended, progressive: what decoders support
_TABLES = frozenset({0xC4, 0xDB, 0xDD})  # Huffman, quantisation, restart interval
_JFIF, _EXIF, _ICC, _ADOBE, _SCAN, _END = 0xE0, 0xE1, 0xE2, 0xEE, 0xDA, 0xD9
_OTHER_FRAMES = frozenset(range(0xC3, 0xD0)) - {0xC4, 0xC8}
_MARKER = re.compile(rb"\xff([^\x00\x01\xff\xd0-\xd7])")


def _parse_jpeg(raw: bytes) -> Parts:
    kept = [b"\xff\xd8"]
    exif, profile = b"", dict[int, bytes]()
    size: tuple[int, int] | None = None
    for marker, body, coded in _segments(raw):
        if marker in _FRAMES:
            if size:
                raise BrokenPicture("it has two frames")
            height, width = struct.unpack_from(">HH", body, 1)
            size = width, height
        elif marker == _EXIF and body.startswith(b"Exif\0\0"):
            exif = exif or body[6:]
        elif marker == _ICC and body.startswith(b"ICC_PROFILE\0"):
            profile[body[12]] = body[14:]
        if marker in _FRAMES or marker in _TABLES or marker in (_SCAN, _JFIF, _ADOBE):
            kept.append(struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body + coded)
    if size is None:
        raise BrokenPicture("it has no frame")
    bare = b"".join((*kept, b"\xff\xd9"))
    return Parts("JPEG", *size, bare, read_orientation(exif), _join_profile(profile))


def _segments(raw: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Each marker, its content, and the coded pixels after it; up to the end of the first picture."""
    at, scans = 2, 0
    for _ in range(PARTS_MAX):
        found = _MARKER.search(raw, at)
        if found is None:
            raise BrokenPicture("it ends too early")
        marker = found[1][0]
        if marker == _END:
            return
        if marker in _OTHER_FRAMES:
            raise BrokenPicture("it has an encoding that few programs can read")
        (length,) = struct.unpack_from(">H", raw, found.end())
        end = found.end() + length
        if length < 2 or end > len(raw):
            raise BrokenPicture("it ends too early")
        body, at = raw[found.end() + 2 : end], end
        if marker == _SCAN:
            scans += 1
            after = _MARKER.search(raw, end)
            if after is None or scans > SCANS_MAX:
                raise BrokenPicture("it ends too early" if after is None else "it has too many scans")
            at = after.start()
        yield marker, body, raw[end:at]
    raise BrokenPicture("it has too many parts")


def _join_profile(pieces: dict[int, bytes]) -> bytes | None:
    """A long profile is split into numbered pieces; one that is longer than any real one is ignored."""
    whole = b"".join(pieces[number] for number in sorted(pieces))
    return whole if 0 < len(whole) <= PROFILE_MAX else None


# --- PNG: length, name, content, checksum

_PNG = b"\x89PNG\r\n\x1a\n"
_PIXELS = frozenset({b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"})


def _parse_png(raw: bytes) -> Parts:
    kept, others = [_PNG], 0
    exif, profile = b"", None
    at, name = len(_PNG), b""
    while name != b"IEND":
        (length,), name = struct.unpack_from(">I", raw, at), raw[at + 4 : at + 8]
        body, end = memoryview(raw)[at + 8 : at + 8 + length], at + 12 + length
        if end > len(raw) or (at == len(_PNG)) != (name == b"IHDR"):
            raise BrokenPicture("it ends too early")
        if name in _PIXELS:
            kept.append(raw[at:end])
        elif name == b"eXIf":
            exif = bytes(body)
        elif name == b"iCCP":
            profile = _inflate_profile(bytes(body))
        others += name != b"IDAT" or length < 64
        if others > PARTS_MAX:
            raise BrokenPicture("it has too many parts")
        at = end
    width, height = struct.unpack_from(">II", raw, 16)
    return Parts("PNG", width, height, b"".join(kept), read_orientation(exif), profile)


def _inflate_profile(body: bytes) -> bytes | None:
    """Decompresses a profile, which follows its name. Stops at a size that no real one has."""
    _, _, packed = body.partition(b"\0")
    try:
        profile = zlib.decompressobj().decompress(packed[1:], PROFILE_MAX + 1)
    except zlib.error:
        return None
    return _join_profile({0: profile})


# --- WebP: RIFF chunks, padded to even lengths


def _parse_webp(raw: bytes) -> Parts:
    chunks = _chunks(raw)
    if "ANIM" in chunks or "ANMF" in chunks:
        raise AnimatedPicture
    if "VP8L" in chunks:
        bits = chunks["VP8L"]
        (packed,) = struct.unpack_from("<I", bits, 1)
        width, height = (packed & 0x3FFF) + 1, (packed >> 14 & 0x3FFF) + 1
        bare = _riff(("VP8L", bits))
    elif "VP8 " in chunks:
        bits = chunks["VP8 "]
        if bits[3:6] != b"\x9d\x01\x2a":
            raise BrokenPicture("it has no first frame")
        width, height = (side & 0x3FFF for side in struct.unpack_from("<HH", bits, 6))
        bare = _riff(("VP8 ", bits))
        if alpha := chunks.get("ALPH"):
            canvas = b"\x10\0\0\0" + _to_uint24(width - 1) + _to_uint24(height - 1)
            bare = _riff(("VP8X", canvas), ("ALPH", alpha), ("VP8 ", bits))
    else:
        raise BrokenPicture("it has no pixels")
    exif = chunks.get("EXIF", b"").removeprefix(b"Exif\0\0")
    return Parts("WEBP", width, height, bare, read_orientation(exif), _join_profile({0: chunks.get("ICCP", b"")}))


def _chunks(raw: bytes) -> dict[str, bytes]:
    """By name; of several with the same name the first, like the decoder."""
    (size,) = struct.unpack_from("<I", raw, 4)
    if size + 8 > len(raw):
        raise BrokenPicture("it ends too early")
    found: dict[str, bytes] = {}
    at, end = 12, size + 8
    for _ in range(PARTS_MAX):
        if at + 8 > end:
            return found
        name, (length,) = raw[at : at + 4].decode("latin-1"), struct.unpack_from("<I", raw, at + 4)
        if at + 8 + length > end:
            raise BrokenPicture("it ends too early")
        found.setdefault(name, raw[at + 8 : at + 8 + length])
        at += 8 + length + length % 2
    raise BrokenPicture("it has too many parts")


def _riff(*chunks: tuple[str, bytes]) -> bytes:
    body = b"WEBP" + b"".join(
        name.encode() + struct.pack("<I", len(content)) + content + b"\0" * (len(content) % 2)
        for name, content in chunks
    )
    return b"RIFF" + struct.pack("<I", len(body)) + body


def _to_uint24(number: int) -> bytes:
    return struct.pack("<I", max(number, 0))[:3]


# --- EXIF: a small TIFF file, of which one number is read


def read_orientation(exif: bytes) -> int:
    """1 to 8; a damaged EXIF is ignored, and the picture stays as it is."""
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(exif[:4])
    if order is None:
        return 1
    try:
        (at,) = struct.unpack_from(order + "I", exif, 4)
        (entries,) = struct.unpack_from(order + "H", exif, at)
        for number in range(min(entries, 512)):
            tag, kind, _, value = struct.unpack_from(order + "HHIH", exif, at + 2 + 12 * number)
            if (tag, kind) == (_ORIENTATION, _SHORT):
                return value if 1 <= value <= 8 else 1
    except struct.error:
        pass
    return 1


_MAGIC = {
    "JPEG": re.compile(rb"\xff\xd8\xff"),
    "PNG": re.compile(re.escape(_PNG)),
    "WEBP": re.compile(rb"RIFF.{4}WEBP", re.DOTALL),
}
_READERS: dict[str, Callable[[bytes], Parts]] = {"JPEG": _parse_jpeg, "PNG": _parse_png, "WEBP": _parse_webp}
