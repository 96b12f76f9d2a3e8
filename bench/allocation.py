"""Best available seats in a stadium, beside a plain scan in Python; the orphan check; and what a hall loses to orphans.

    python bench/allocation.py [rounds per measurement]

Milliseconds are processor time, which on a quiet machine is the time that passes: nothing here waits. Other work still
moves the figures, so trust the ratios.
"""

import random
import statistics
import sys
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numpy as np

from fullhouse.seating.allocation.best_available import Choice, best_available, find_stranded
from fullhouse.seating.allocation.index import BoolArray, Index, build_index
from fullhouse.seating.allocation.orphans import AllocationRules, evaluate
from fullhouse.seating.plans.chart import Chart

SOLD = (0.0, 0.5, 0.9, 0.99)
PARTIES = range(1, 9)
SCAN_ROUNDS = 3  # the plain scan is slow, and steady
RULES = AllocationRules(allow_split=True)  # every rung of the ladder

P = ParamSpec("P")
T = TypeVar("T")


def house(sections: int, rows: int, seats: int, aisle_after: int, *, ring: bool) -> Chart:
    """Sections of straight rows with an aisle, around a pitch or side by side before a stage."""
    section, row, place = (axis.ravel() for axis in np.indices((sections, rows, seats)))
    across, back = (place - seats / 2 + (place >= aisle_after) * 2) * 0.5, row * 0.9
    if ring:
        angle = section / sections * 2 * np.pi
        x = (60 + back) * np.cos(angle) - across * np.sin(angle)
        y = (60 + back) * np.sin(angle) + across * np.cos(angle)
    else:
        x, y = across + (section - (sections - 1) / 2) * (seats + 6) * 0.5, back + 5
    none = np.zeros(len(section), np.int32)
    return Chart(
        zone=none,
        section=section,
        row=section * rows + row,
        run=(section * rows + row) * 2 + (place >= aisle_after),
        x=x,
        y=y,
        category=none,
        price=none,
        companion_of=none - 1,
        focal_x=0.0,
        focal_y=0.0,
    )


def scan(index: Index, free: BoolArray, quantity: int) -> tuple[int, int, int] | None:
    """What one would write first: every block, seat by seat. It does less: no parts, no turns, no sentence."""
    run, seats, summed = index.chart.run.tolist(), free.tolist(), index.summed.tolist()
    count, best = len(seats), None
    for start in range(count - quantity + 1):
        stop = start + quantity
        if run[start] != run[stop - 1] or not all(seats[start:stop]):
            continue
        orphans = 0
        for beside, beyond in ((start - 1, start - 2), (stop, stop + 1)):
            if 0 <= beside < count and seats[beside] and run[beside] == run[start]:
                orphans += not (0 <= beyond < count and seats[beyond] and run[beyond] == run[start])
        score = (orphans, summed[stop] - summed[start], start)
        best = min(best or score, score)
    return best


def timed(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> tuple[float, T]:
    """Milliseconds, and what came of it."""
    begin = time.thread_time()
    done = work(*args, **kwargs)
    return (time.thread_time() - begin) * 1000, done


def p95(took: list[float]) -> float:
    return sorted(took)[min(len(took) - 1, int(len(took) * 0.95))]


def occupied(index: Index, share: float, rng: np.random.Generator) -> BoolArray:
    return rng.random(len(index.chart.run)) >= share


def stadium(rounds: int) -> None:
    began = time.perf_counter()
    index = build_index(house(100, 25, 32, 14, ring=True))
    seats = len(index.chart.run)
    print(f"{seats} seats; index {index.nbytes / 1e6:.1f} MB, made in {(time.perf_counter() - began) * 1000:.0f} ms")
    print("\n  sold  party   p50 ms   p95 ms   rungs        scan ms   scan / p50")
    rng = np.random.default_rng(7)
    for share in SOLD:
        houses = [occupied(index, share, rng) for _ in range(8)]
        for quantity in PARTIES:
            took, rungs = [], set()
            for turn in range(rounds):
                free = houses[turn % len(houses)]
                ms, answer = timed(best_available, index, free, free, quantity, RULES, rotate=turn)
                took.append(ms)
                rungs.add(str(answer.rung) if isinstance(answer, Choice) else "no")
            plain = statistics.median(timed(scan, index, houses[0], quantity)[0] for _ in range(SCAN_ROUNDS))
            half, said = statistics.median(took), ", ".join(sorted(rungs))
            print(f"  {share:4.0%}  {quantity:5}  {half:7.2f}  {p95(took):7.2f}   {said:10}", end="")
            print(f"{plain:9.1f}  {plain / half:9.0f} x")
    patterns(index, rounds)
    checks(index, rounds, rng)


def patterns(index: Index, rounds: int) -> None:
    """The most parts there can be: every second, third, … seat gone."""
    print("\nParties of eight where every n-th seat is gone:")
    for nth in (2, 3, 5, 8):
        free = np.arange(len(index.chart.run)) % nth > 0
        took = [timed(best_available, index, free, free, 8, RULES)[0] for _ in range(rounds)]
        print(f"  n = {nth}   p50 {statistics.median(took):5.2f} ms   p95 {p95(took):5.2f} ms")


def checks(index: Index, rounds: int, rng: np.random.Generator) -> None:
    print("\nOrphan check of a pick that leaves seats alone:")
    picks = (
        ("clean in the run", "..............", [1, 2, 5, 7]),
        ("clean in pieces", "...x..x...x...", [0, 2, 7, 12]),
        ("not clean there", "...xxxxxxxxxxx", [0, 1]),
    )
    for rules in (AllocationRules(scope="run"), AllocationRules(scope="event")):
        for share in SOLD:
            free = occupied(index, share, rng)
            for name, run, pick in picks:
                free[:14] = [letter == "." for letter in run]
                took = [timed(evaluate, index, free, free, pick, rules)[0] for _ in range(rounds)]
                half = statistics.median(took)
                print(f"  scope {rules.scope:5}  {share:4.0%}  {name:16}  p50 {half:6.3f} ms   p95 {p95(took):6.3f} ms")


Chooser = Callable[[Index, BoolArray, int], list[int] | None]


def ours(index: Index, free: BoolArray, quantity: int) -> list[int] | None:
    answer = best_available(index, free, free, quantity, RULES)
    return list(answer.ordinals) if isinstance(answer, Choice) else None


def first_fit(index: Index, free: BoolArray, quantity: int) -> list[int] | None:
    """The first block in the order of the rows; if there is none, the first seats anywhere."""
    run, seats = index.chart.run, np.flatnonzero(free)
    for place in range(len(seats) - quantity + 1):
        last = seats[place + quantity - 1]
        if last - seats[place] == quantity - 1 and run[last] == run[seats[place]]:
            return [int(seat) for seat in seats[place : place + quantity]]
    return [int(seat) for seat in seats[:quantity]] if len(seats) >= quantity else None


def best_view(index: Index, free: BoolArray, quantity: int) -> list[int] | None:
    """The block with the best view, whatever it leaves; if there is none, the first seats anywhere."""
    answer = best_available(index, free, free, quantity, AllocationRules(orphan_run_min=1, adjacency_strict=True))
    seats = np.flatnonzero(free)
    if isinstance(answer, Choice):
        return list(answer.ordinals)
    return [int(seat) for seat in seats[:quantity]] if len(seats) >= quantity else None


def sell_out(index: Index, choose: Chooser, smallest: int, seed: int) -> tuple[float, float, float]:
    """Sell to random parties until one must go home: lone seats at their worst and at the end, parted parties."""
    free, rng = np.ones(len(index.chart.run), np.bool_), random.Random(seed)
    worst = parted = parties = 0
    while (seats := choose(index, free, quantity := rng.randint(smallest, 6))) is not None:
        assert len(seats) == quantity
        assert free[seats].all()
        free[seats] = False
        parties += 1
        parted += seats[-1] - seats[0] != quantity - 1
        worst = max(worst, len(find_stranded(index, free)))
    return worst / len(free), len(find_stranded(index, free)) / len(free), parted / parties


def hall() -> None:
    index = build_index(house(3, 20, 25, 12, ring=False))
    print(f"\nA hall of {len(index.chart.run)} sold until a party must go home (mean of 5 sales):")
    print("  parties  chooser     lone seats at worst   at the end   parties parted")
    for smallest in (1, 2):
        for name, choose in (("ours", ours), ("first fit", first_fit), ("best view", best_view)):
            sales = [sell_out(index, choose, smallest, seed) for seed in range(5)]
            worst, end, parted = (statistics.mean(column) for column in zip(*sales, strict=True))
            print(f"  {smallest}–6      {name:10}  {worst:17.2%}  {end:13.2%}  {parted:13.2%}")


if __name__ == "__main__":
    stadium(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
    hall()
