"""The answer to most who join or ask, as a text with blanks: they wait, and only their own numbers are to be filled in.

The text is an encoded place, so that it is the same answer to the byte. A room keeps it for as long as it is true.
"""

from datetime import UTC, datetime
from functools import lru_cache

import msgspec

from fullhouse.waiting_room.model import Place, Room

# What stands for a blank: nothing else in a place looks like it.
_NUMBER = 999_000_000_000_000_000
_TIME, _TOKEN = datetime(1999, 9, 9, 9, 9, 9, tzinfo=UTC), "a token"


def blank(room: Room, seed_hash: str | None) -> bytes:
    """For everybody who waits in this room, as it is now."""
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
    for words in (_TIME, _TOKEN):
        text = text.replace(msgspec.json.encode(words), b"%b")
    for number in numbers:
        text = text.replace(b"%d" % number, b"%b" if number in (low, high) else b"%d")
    return text


def total(waiting: int, ahead: int) -> int:
    """Who waits and is there: the one who asks is, though nobody may have counted them until now."""
    return max(waiting, ahead + 1)


def fill(
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
    of = total(waiting, ahead)
    return slip % (seq, ahead + 1, ahead, of, low, high, _time(until_s), until_s * 1000, int(now_s * 1000), next_s, own)


@lru_cache(maxsize=4096)  # of the last half an hour, each second once
def _time(seconds: int) -> bytes:
    return msgspec.json.encode(datetime.fromtimestamp(seconds, UTC))
