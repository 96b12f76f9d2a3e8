"""The virtual queue of one event in memory: positions, and how many people are ahead. Without I/O, and compact: six
bytes and a bit for each person.

An entry's status only moves forward (waiting, admitted, ended), so messages may arrive twice, late or in any order: of
two statuses of a number the later stage wins. That also allows to load the queue from the database in chunks while it
changes.

Polls read plain integers and memoryviews. Calls of numpy release the GIL: under load, getting it back would cost more
than all the rest of a poll.
"""

from collections.abc import Collection
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

UNKNOWN, WAITING, ADMITTED, EXPIRED, LEFT, DONE = range(6)
STATUS = ("waiting", "waiting", "admitted", "expired", "left", "done")
_BLOCK_BITS = 10
_BLOCK = 1 << _BLOCK_BITS


class VirtualQueue:
    def __init__(self) -> None:
        self._places: NDArray[np.int32] | None = None  # by drawn number; a later number is its own place
        self._drawn = 0
        self.codes = np.zeros(_BLOCK, np.uint8)  # by number
        self.seen = np.zeros(_BLOCK, np.uint32)  # by number: the last heartbeat, in seconds
        self.absent = np.zeros(_BLOCK, np.uint8)  # by number: 1 if absent: waiting, but without heartbeats
        self.until_ms: dict[int, int] = {}  # of admitted people: when the slot ends
        self.buyers: set[int] = set()  # people who wait and can still buy something while the event is sold out
        self._marked: set[int] = set()  # numbers marked since loading began: a loaded chunk may be older
        self._waiting_bits = [0]  # by block of places: a bit for each place where a present person waits
        self._counts_before: list[int] | None = (
            None  # by block: how many wait in all blocks before it; computed on demand
        )
        self.last = 0
        self._refresh_views()

    @property
    def waiting(self) -> int:
        return self._prefix_counts()[-1]

    @property
    def admitted(self) -> int:
        return len(self.until_ms)

    def count(self, code: int) -> int:
        return int(np.count_nonzero(self.codes == code))

    def code(self, seq: int) -> int:
        return self._code[seq] if seq <= self.last else UNKNOWN

    def seen_s(self, seq: int) -> int:
        return self._seen[seq] if seq <= self.last else 0

    def place(self, seq: int) -> int:
        return self._place[seq] if seq <= self._drawn else seq

    def ahead(self, seq: int) -> int:
        """How many present people wait before this number."""
        block, bit = divmod(self.place(seq), _BLOCK)
        if block >= len(self._waiting_bits):
            return self.waiting
        return self._prefix_counts()[block] + (self._waiting_bits[block] & ((1 << bit) - 1)).bit_count()

    def find_waiting(self, seq: int) -> tuple[int, int] | None:
        """If this number waits: how many are ahead of it, and its last heartbeat. In as few steps as possible."""
        if seq > self.last or self._code[seq] != WAITING:
            return None
        place = self._place[seq] if seq <= self._drawn else seq
        block, bits = place >> _BLOCK_BITS, (1 << (place & (_BLOCK - 1))) - 1
        before = self._counts_before or self._prefix_counts()
        return before[block] + (self._waiting_bits[block] & bits).bit_count(), self._seen[seq]

    def apply_draw(self, places: NDArray[np.int32]) -> None:
        """Applies the draw: its participants have places now."""
        self._places, self._drawn = places, len(places) - 1
        self._grow(self._drawn)
        self._refresh_views()
        self._recount()

    def begin_loading(self) -> None:
        self._marked.clear()

    def mark_buyers(self, seqs: Collection[int], *, buys: bool) -> None:
        """They can, or can no longer, buy something although the event is sold out."""
        self._marked.update(seqs)
        (self.buyers.update if buys else self.buyers.difference_update)(seqs)

    def ahead_of_buyer(self, seq: int) -> int:
        """While the event is sold out: how many buyers wait before this number."""
        place = self.place(seq)
        return sum(self.place(each) < place for each in self._list_waiting_buyers())

    @property
    def waiting_buyers(self) -> int:
        return len(self._list_waiting_buyers())

    def _list_waiting_buyers(self) -> list[int]:
        return [each for each in self.buyers if self.code(each) == WAITING and not self._absent[each]]

    def load(
        self,
        seqs: list[int],
        codes: list[int],
        seen: list[int],
        away: list[bool] | None = None,
        buyers: list[int] | None = None,
    ) -> None:
        """Loads a chunk from the database."""
        at, statuses = np.array(seqs, np.int64), np.array(codes, np.uint8)
        self.last = max(self.last, int(at.max()))
        self._grow(self.last)
        here = range(int(at.min()), int(at.max()) + 1)
        self.buyers = {each for each in self.buyers if each not in here or each in self._marked}
        self.buyers |= set(buyers or ()) - self._marked
        self.seen[at] = np.maximum(self.seen[at], np.array(seen, np.uint32))
        self.codes[at] = np.maximum(self.codes[at], statuses)
        self.absent[at] = np.array(away, np.uint8) if away else 0
        self._recount()
        for seq in [seq for seq in self.until_ms if self._code[seq] > ADMITTED]:
            del self.until_ms[seq]

    def join(self, first: int, last: int, now_s: int) -> None:
        self.last = max(self.last, last)
        self._grow(last)
        for seq in range(first, last + 1):
            if self._code[seq] == UNKNOWN:
                self._code[seq] = WAITING
                if not self._absent[seq]:
                    self._toggle_waiting(self.place(seq))
            self._seen[seq] = max(self._seen[seq], now_s)

    def set_absent(self, seq: int, *, away: bool) -> None:
        """Marks a person as absent (no heartbeats) or as present again."""
        if seq > self.last or bool(self._absent[seq]) == away:
            return
        self._absent[seq] = away
        if self._code[seq] == WAITING:
            self._toggle_waiting(self.place(seq))

    def admit(self, seq: int, until_ms: int) -> None:
        if self.advance(seq, ADMITTED):
            self.until_ms[seq] = max(until_ms, self.until_ms.get(seq, 0))

    def advance(self, seq: int, code: int) -> bool:
        """Moves an entry forward, never back. Whether its status is `code` now."""
        self.last = max(self.last, seq)
        self._grow(seq)
        was = self._code[seq]
        if code > was:
            self._code[seq] = code
            if was == WAITING and not self._absent[seq]:
                self._toggle_waiting(self.place(seq))
            self.buyers.discard(seq)
            if code > ADMITTED:
                self.until_ms.pop(seq, None)
        return self._code[seq] == code

    def _toggle_waiting(self, place: int) -> None:
        self._waiting_bits[place >> _BLOCK_BITS] ^= 1 << (place & (_BLOCK - 1))
        self._counts_before = None

    def _prefix_counts(self) -> list[int]:
        if self._counts_before is None:
            self._counts_before = list(accumulate(map(int.bit_count, self._waiting_bits), initial=0))
        return self._counts_before

    def _recount(self) -> None:
        """Recomputes all bits from the arrays by number."""
        places = np.flatnonzero((self.codes == WAITING) & (self.absent == 0))
        if self._places is not None:
            drawn = places <= self._drawn
            places[drawn] = self._places[places[drawn]]
        here = np.zeros(len(self.codes), np.bool_)
        here[places] = True
        packed = np.packbits(here, bitorder="little").tobytes()
        size = _BLOCK // 8
        self._waiting_bits = [int.from_bytes(packed[at : at + size], "little") for at in range(0, len(packed), size)]
        self._counts_before = None

    def _grow(self, seq: int) -> None:
        if seq < len(self.codes):
            return
        size = -(-max(seq + 1, 2 * len(self.codes)) // _BLOCK) * _BLOCK
        self.codes, self.seen, self.absent = (_enlarge(each, size) for each in (self.codes, self.seen, self.absent))
        self._waiting_bits += [0] * (size // _BLOCK - len(self._waiting_bits))
        self._counts_before = None
        self._refresh_views()

    def _refresh_views(self) -> None:
        self._code, self._seen = memoryview(self.codes.data), memoryview(self.seen.data)
        self._absent = memoryview(self.absent.data)
        self._place: Any = () if self._places is None else self._places.data


def _enlarge(array: Any, size: int) -> Any:
    longer = np.zeros(size, array.dtype)
    longer[: len(array)] = array
    return longer
