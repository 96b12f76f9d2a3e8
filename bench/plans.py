"""Seating plans of 100,000 seats: read, checked and compiled, beside a plain walk through the JSON; what maps are sent.

    python bench/plans.py [rounds]

The plain walk only parses and counts, so it checks nothing: it is the floor, not a competitor. Trust the ratios.
"""

import gzip
import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from fullhouse.seating.maps.drawing import render_svg
from fullhouse.seating.maps.geometry import encode_geometry, pack_states, to_geometry_json, unpack_states
from fullhouse.seating.plans.chart import build_chart
from fullhouse.seating.plans.checks import check
from fullhouse.seating.plans.decoding import decode_plan
from fullhouse.seating.plans.differences import compare_plans
from fullhouse.seating.plans.generators import Arena, arena
from fullhouse.seating.plans.plan import Plan, encode, walk

STADIUM = Arena(tiers=5, rows_per_tier=30, first_tier_sections=24, floor_width=1_000, floor_height=700)


def naive(text: bytes) -> tuple[int, int]:
    """What a script would do: parse, walk, look for a key that comes twice."""
    seen: set[str] = set()
    double = 0
    for zone in json.loads(text)["zones"]:
        for section in zone.get("sections", ()):
            for row in section["rows"]:
                for seat in row["seats"]:
                    double += seat["key"] in seen
                    seen.add(seat["key"])
    return len(seen), double


def naive_states(states: list[int]) -> bytes:
    return json.dumps([{"seat": i, "state": state} for i, state in enumerate(states)]).encode()


def taken(work: Callable[[], Any], rounds: int) -> float:
    """The median of a few, in milliseconds."""
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        times.append(1_000 * (time.perf_counter() - began))
    return statistics.median(times)


def line(what: str, ms: float, base: float | None = None) -> None:
    print(f"{what:<44}{ms:>9.1f} ms" + (f"   {ms / base:.2f} x" if base else ""))


def importing(text: bytes, plan: Plan, rounds: int) -> None:
    base = taken(lambda: naive(text), rounds)
    steps = {
        "read (decode, typed and limited)": taken(lambda: decode_plan(text), rounds),
        "check (every rule)": taken(lambda: check(plan), rounds),
        "compile (arrays)": taken(lambda: build_chart(plan), rounds),
    }
    line("json.loads and a walk, for comparison", base, base)
    for what, ms in steps.items():
        line(what, ms, base)
    line("import: read, check, compile", sum(steps.values()), base)


def sending(plan: Plan, rounds: int) -> None:
    chart = build_chart(plan)
    states = np.random.default_rng(1).choice(4, len(chart.x), p=[0.5, 0.1, 0.38, 0.02]).astype(np.uint8)
    packed, binary = pack_states(states), encode_geometry(plan, chart)
    plain = json.dumps(to_geometry_json(plan, chart)).encode()
    line("geometry, binary", taken(lambda: encode_geometry(plan, chart), rounds))
    line("states, 2 bits a seat", ms := taken(lambda: pack_states(states), rounds))
    line("states, JSON objects", taken(lambda: naive_states(states.tolist()), rounds), ms)
    line("states, read back", taken(lambda: unpack_states(packed, len(states)), rounds))
    line("difference between two versions", taken(lambda: compare_plans(plan, plan), rounds))
    line("SVG preview", taken(lambda: render_svg(plan), 1))
    for what, data in (
        ("geometry, binary", binary),
        ("geometry, JSON columns", plain),
        ("states, 2 bits", packed),
        ("states, JSON objects", naive_states(states.tolist())),
    ):
        small = len(gzip.compress(data))
        print(f"{what:<44}{len(data):>11,} bytes{small:>11,} gzipped   {8 * small / len(states):.2f} bits a seat")


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    plan = arena(STADIUM)
    text = encode(plan)
    print(f"{sum(1 for _ in walk(plan)):,} seats, {len(text):,} bytes of JSON, median of {rounds}\n")
    importing(text, plan, rounds)
    print()
    sending(plan, rounds)


if __name__ == "__main__":
    main()
