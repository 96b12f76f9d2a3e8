"""The command: `python -m tests.mutation`. Ends with 1 if fewer are killed than should be."""

import argparse
import asyncio
import random
import sys
import time

from tests.mutation.catalogue import of_functions, of_policies, shuffled
from tests.mutation.domains import DOMAINS
from tests.mutation.equivalents import EQUIVALENT
from tests.mutation.mutant import Mutant
from tests.mutation.runner import Runner
from tests.services.client import Run, ask

GOAL = 0.95


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--seed", type=int, help="of the sample; printed by each run")
    parser.add_argument("--minutes", type=float, default=30, help="begin no mutant after so long")
    parser.add_argument("--full", action="store_true", help="every mutant, however long it takes")
    parser.add_argument("--count", type=int, help="at most so many")
    parser.add_argument("--lanes", type=int, default=2, help="so many at once")
    parser.add_argument("--domain", choices=DOMAINS, action="append")
    parser.add_argument("--only", default="", help="targets whose name has this in it")
    parser.add_argument("--kind", default="", help="mutants of this kind")
    parser.add_argument("--change", default="", help="mutants whose changed lines have this in them")
    parser.add_argument("--tests", nargs="+", help="judge by these alone: to look for what other tests miss")
    parser.add_argument("--list", action="store_true", help="show them, and judge none")
    return parser.parse_args()


async def chosen(wish: argparse.Namespace) -> list[Mutant]:
    every = of_policies() + await of_functions(ask("database", "mutation_source")["owner_url"])
    return [
        mutant
        for mutant in every
        if (not wish.domain or mutant.domain in wish.domain)
        and wish.only in mutant.target
        and wish.kind in mutant.kind
        and wish.change in mutant.changed
        and (mutant.target, mutant.changed) not in EQUIVALENT
    ]


async def run(wish: argparse.Namespace) -> bool:
    seed = random.randrange(10**6) if wish.seed is None else wish.seed
    mutants = shuffled(await chosen(wish), seed)
    print(f"{len(mutants)} mutants, seed {seed}")
    if wish.list:
        for mutant in mutants:
            print(f"{mutant.target}, {mutant.kind}\n{mutant.changed}")
        return True
    until = None if wish.full else time.monotonic() + 60 * wish.minutes
    runner = Runner(mutants[: wish.count], until, wish.lanes, wish.tests)
    await runner.run()
    return summed_up(runner)


def summed_up(runner: Runner) -> bool:
    judged = [(mutant, verdict) for mutant, verdict in runner.judged if verdict.outcome != "unfit"]
    survived = [mutant for mutant, verdict in judged if verdict.outcome == "survived"]
    for name in dict.fromkeys(mutant.domain for mutant, _ in judged):
        of = [verdict.outcome for mutant, verdict in judged if mutant.domain == name]
        print(f"{name}: {len(of)} judged, {of.count('survived')} survived, {of.count('timeout')} without an end")
    for mutant in survived:
        print(f"\nsurvived ({mutant.kind}):\n{mutant.diff}")
    killed = len(judged) - len(survived)
    share = killed / len(judged) if judged else 0
    print(f"\n{killed} of {len(judged)} killed: {share:.1%}; {GOAL:.0%} is the goal")
    return share >= GOAL


def main() -> int:
    servers = Run()
    try:
        return 0 if asyncio.run(run(arguments())) else 1
    finally:
        for left in servers.stop():
            print(f"still running: {left}")


if __name__ == "__main__":
    sys.exit(main())
