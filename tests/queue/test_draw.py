"""The draw can be done again by anybody, and it favours nobody."""

import hashlib
import math

import numpy as np
import pytest

from fullhouse.waiting_room import draw


def recomputed(seed: str, tickets: int) -> dict[int, int]:
    """As docs/fair-queue.md tells everybody to do it, and without a line of ours."""
    digest = {n: hashlib.sha256(f"{seed}:{tickets}:{n}".encode()).hexdigest() for n in range(1, tickets + 1)}
    return {n: rank for rank, n in enumerate(sorted(digest, key=lambda n: digest[n]), 1)}


@pytest.mark.req("QUEUE-1")
@pytest.mark.parametrize("tickets", [0, 1, 2, 1000])
def test_anybody_gets_the_same_order(tickets: int) -> None:
    seed = bytes(range(32))
    found = draw.draw_places(seed, tickets)
    assert {n: int(found[n]) for n in range(1, tickets + 1)} == recomputed(seed.hex(), tickets)
    assert sorted(found[1:].tolist()) == list(range(1, tickets + 1))


def test_the_hash_is_of_the_seed_itself() -> None:
    seed = draw.new_seed()
    assert len(seed) == 32
    assert seed != draw.new_seed()
    assert draw.hash_of(seed) == hashlib.sha256(seed).digest()


def test_a_good_number_is_known_to_nobody_before_all_are_given_out() -> None:
    """With one ticket more, the whole order is another one."""
    seed = b"s" * 32
    before, after = draw.draw_places(seed, 1000)[1:], draw.draw_places(seed, 1001)[1:1001]
    assert abs(np.corrcoef(before, after)[0, 1]) < 0.2


def test_early_and_late_numbers_have_the_same_luck() -> None:
    """The mean place of each tenth of the numbers is within what chance allows; so is one number's in many draws."""
    tickets = 10_000
    tenths = draw.draw_places(b"one seed among many, 32 bytes...", tickets)[1:].reshape(10, -1).mean(axis=1)
    spread = tickets / math.sqrt(12) / math.sqrt(tickets / 10)
    assert np.all(abs(tenths - tickets / 2) < 4 * spread)
    first = [int(draw.draw_places(i.to_bytes(32), 100)[1]) for i in range(1000)]
    assert abs(sum(first) / 1000 - 50.5) < 4 * 100 / math.sqrt(12) / math.sqrt(1000)
    assert len(set(first)) == 100
