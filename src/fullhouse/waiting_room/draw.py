"""The draw that orders a pre-queue: a pure function that anybody can recompute (docs/fair-queue.md).

The place of number n among `tickets` numbers is the rank of SHA-256("{seed}:{tickets}:{n}"), seed in hexadecimal. The
seed's SHA-256 is published before anybody joins, so that the seed cannot be chosen later. The number of participants is
known only when the room opens, so that nobody, not even a person who knows the seed, can tell good numbers while they
are being given out.
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


def draw_places(seed: bytes, tickets: int) -> NDArray[np.int32]:
    """`places[n]` is the place of number n. Numbers begin at 1; index 0 is unused."""
    prefix = hashlib.sha256(f"{seed.hex()}:{tickets}:".encode())
    digests = bytearray()
    for n in range(1, tickets + 1):
        one = prefix.copy()
        one.update(b"%d" % n)
        digests += one.digest()
    keys = np.frombuffer(bytes(digests), dtype=">u8").reshape(tickets, 4)
    order = np.lexsort((keys[:, 3], keys[:, 2], keys[:, 1], keys[:, 0]))
    ranks = np.zeros(tickets + 1, np.int32)
    ranks[order + 1] = np.arange(1, tickets + 1, dtype=np.int32)
    return ranks
