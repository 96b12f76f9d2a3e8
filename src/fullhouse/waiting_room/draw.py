"""The draw that orders a pre-queue: pure, and anybody can do it again (docs/fair-queue.md).

The place of number n among `tickets` numbers is the rank of SHA-256("{seed}:{tickets}:{n}"), seed in hexadecimal. The
seed's own SHA-256 is published before anybody joins, so that it cannot be chosen afterwards; how many numbers there are
is known only when the room opens, so that nobody, not even who knows the seed, can tell a good number while they are
given out.
"""

import hashlib
import os

import numpy as np
from numpy.typing import NDArray

RULE = (
    "place(n) is the rank, from 1, of SHA-256 of the text {seed}:{tickets}:{n} among all n from 1 to tickets, digests"
    " in ascending order; seed in lower-case hexadecimal, numbers in decimal. seed_hash is SHA-256 of the seed's bytes."
)


def new_seed() -> bytes:
    return os.urandom(32)


def hash_of(seed: bytes) -> bytes:
    return hashlib.sha256(seed).digest()


def places(seed: bytes, tickets: int) -> NDArray[np.int32]:
    """`places[n]` for every number n; number 0 is nobody's."""
    prefix = hashlib.sha256(f"{seed.hex()}:{tickets}:".encode())
    digests = bytearray()
    for n in range(1, tickets + 1):
        one = prefix.copy()
        one.update(b"%d" % n)
        digests += one.digest()
    words = np.frombuffer(bytes(digests), dtype=">u8").reshape(tickets, 4)
    order = np.lexsort((words[:, 3], words[:, 2], words[:, 1], words[:, 0]))
    found = np.zeros(tickets + 1, np.int32)
    found[order + 1] = np.arange(1, tickets + 1, dtype=np.int32)
    return found
