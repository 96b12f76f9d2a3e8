"""Response templates: nearly all people who join or poll are waiting, and their responses differ only in a few numbers.

A template is an encoded `Place` with placeholders, so that the response is the same to the byte as one encoded anew. It
is cached with its room (live_room.py).
"""

from datetime import UTC, datetime
from functools import lru_cache

import msgspec

from fullhouse.waiting_room.model import Place, Room

# Values that mark the placeholders: no field of a place ever has them.
_NUMBER = 999_000_000_000_000_000
_TIME, _TOKEN = datetime(1999, 9, 9, 9, 9, 9, tzinfo=UTC), "a token"


def render_template(room: Room, seed_hash: str | None) -> bytes:
    """The template for everybody who waits in this room, in its current state."""
    seq, position, ahead, all_, low, high, until_ms, now_ms, next_s = numbers = range(_NUMBER, _NUMBER + 9)
    place = Place(
        event_id=room.event_id,
        status="waiting",
        room=room.state,
        seq=seq,
        position=position,
        ahead=ahead,
        total=all_,
        eta_low_s=low,
        eta_high_s=high,
        expires_at=_TIME,
        expires_at_unix_ms=until_ms,
        seed_hash=seed_hash,
        server_time_unix_ms=now_ms,
        next_poll_s=next_s,
        token=_TOKEN,
    )
    text = b'{"data":%b}' % msgspec.json.encode(place)
    for marker in (_TIME, _TOKEN):
        text = text.replace(msgspec.json.encode(marker), b"%b")
    for number in numbers:
        text = text.replace(b"%d" % number, b"%b" if number in (low, high) else b"%d")
    return text


def total_waiting(waiting: int, ahead: int) -> int:
    """How many people wait. The person who polls is one of them, even if counted as absent until now."""
    return max(waiting, ahead + 1)


def fill_template(
    slip: bytes,
    seq: int,
    ahead: int,
    waiting: int,
    eta: tuple[int, int] | None,
    until_s: int,
    now_s: float,
    next_s: int,
    token: str | None,
) -> bytes:
    low, high = (b"null", b"null") if eta is None else (b"%d" % eta[0], b"%d" % eta[1])
    own = b"null" if token is None else b'"%b"' % token.encode()
    of = total_waiting(waiting, ahead)
    return slip % (
        seq,
        ahead + 1,
        ahead,
        of,
        low,
        high,
        _encode_time(until_s),
        until_s * 1000,
        int(now_s * 1000),
        next_s,
        own,
    )


@lru_cache(maxsize=4096)  # more than the seconds of half an hour
def _encode_time(seconds: int) -> bytes:
    return msgspec.json.encode(datetime.fromtimestamp(seconds, UTC))
