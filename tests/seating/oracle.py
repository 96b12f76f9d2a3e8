"""The rules once more, slowly and plainly: every way to seat a party, tried. Knows nothing of the code it checks."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations

Way = tuple[int, ...]


def chains(seats: Iterable[int], runs: Sequence[int]) -> list[list[int]]:
    """Neighbours together."""
    found: list[list[int]] = []
    for seat in sorted(seats):
        if found and found[-1][-1] == seat - 1 and runs[seat] == runs[seat - 1]:
            found[-1].append(seat)
        else:
            found.append([seat])
    return found


def orphans(in_play: Iterable[int], taken: Iterable[int], runs: Sequence[int], least: int, exempt: bool) -> list[int]:
    before, gone = set(in_play), set(taken)
    long = {seat for chain in chains(before, runs) if len(chain) >= least for seat in chain}
    left = []
    for chain in chains(before - gone, runs):
        at_end = any(
            not 0 <= beside < len(runs) or runs[beside] != runs[chain[0]] for beside in (chain[0] - 1, chain[-1] + 1)
        )
        if len(chain) < least and chain[0] in long and not (exempt and at_end):
            left += chain
    return left


def ways(may: Iterable[int], size: int) -> Iterator[Way]:
    return combinations(sorted(may), size)


def is_near(way: Iterable[int], rows: Sequence[int], sections: Sequence[int], most: int) -> bool:
    """In one section, and no more rows apart than allowed."""
    seats = list(way)
    of_rows = [rows[seat] for seat in seats]
    return len({sections[seat] for seat in seats}) <= 1 and max(of_rows) - min(of_rows) <= most


@cache
def fewest_orphans(
    may: frozenset[int],
    in_play: frozenset[int],
    size: int,
    pieces: int,
    runs: tuple[int, ...],
    least: int,
    exempt: bool,
) -> int:
    """Of all ways in no more pieces."""
    return min(
        len(orphans(in_play, way, runs, least, exempt)) for way in ways(may, size) if len(chains(way, runs)) <= pieces
    )


def shape(way: Way, runs: Sequence[int]) -> tuple[int, int, int]:
    """Fewest pieces, nobody alone if avoidable, even sizes: the smaller, the better."""
    sizes = [len(chain) for chain in chains(way, runs)]
    return len(sizes), sizes.count(1), sum(size**2 for size in sizes)


def best(
    may: Iterable[int], in_play: Iterable[int], size: int, runs: Sequence[int], least: int, exempt: bool
) -> tuple[tuple[int, int, int], int] | None:
    """The best shape that can be had, and the fewest orphans in that shape."""
    options = list(ways(may, size))
    if not options:
        return None
    shapes = [shape(way, runs) for way in options]
    top = min(shapes)
    same = [way for way, its in zip(options, shapes, strict=True) if its == top]
    play = list(in_play)
    return top, min(len(orphans(play, way, runs, least, exempt)) for way in same)
