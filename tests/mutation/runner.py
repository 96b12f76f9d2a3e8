"""Gives the mutants to judges, and learns which tests kill: those come first."""

import asyncio
import os
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

import asyncpg
import msgspec

from tests.mutation.domains import DOMAINS
from tests.mutation.judge import Task, Verdict
from tests.mutation.mutant import Mutant
from tests.services.client import ask

LEARNED = Path(".mutation/learned.json")  # how long tests take, and what they have killed, from run to run
BASELINE_S = 1800
WITHIN = 3  # times what all tests take without a fault; and half a minute


class Learned(msgspec.Struct):
    durations: dict[str, dict[str, float]]
    kills: dict[str, dict[str, int]]


class Runner:
    def __init__(self, mutants: list[Mutant], until: float | None, lanes: int, tests: list[str] | None = None) -> None:
        self.waiting = mutants[::-1]
        self.all = len(mutants)
        self.until, self.lanes, self.tests = until, lanes, tests
        self.judged: list[tuple[Mutant, Verdict]] = []
        self.kills: dict[str, Counter[str]] = defaultdict(Counter)  # by target and by domain
        self.durations: dict[str, dict[str, float]] = {}
        self._recall()
        self.numbers = iter(range(10**6))

    def _recall(self) -> None:
        if LEARNED.exists():
            learned = msgspec.json.decode(LEARNED.read_bytes(), type=Learned)
            self.durations = learned.durations
            self.kills.update({name: Counter(kills) for name, kills in learned.kills.items()})

    def _remember(self) -> None:
        LEARNED.parent.mkdir(exist_ok=True)
        LEARNED.write_bytes(msgspec.json.encode(Learned(self.durations, dict(self.kills))))

    async def run(self) -> None:
        await asyncio.gather(*(self._lane() for _ in range(self.lanes)))

    async def _lane(self) -> None:
        judge = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.mutation.judge"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=2**24,
            env={**os.environ, "FULLHOUSE_SOAK": ""},
        )
        while self.waiting and (self.until is None or time.monotonic() < self.until):
            mutant = self.waiting.pop()
            await self._measure(judge, mutant)
            verdict = await self._ask(judge, self._task(mutant))
            self._note(mutant, verdict)
        assert judge.stdin
        judge.stdin.close()
        await judge.wait()

    async def _measure(self, judge: asyncio.subprocess.Process, mutant: Mutant) -> None:
        """The domain's tests without a fault: they must pass, and how long each takes orders them."""
        key = key_of(mutant)
        if key in self.durations or self.tests:
            return
        self.durations[key] = {}
        task = Task(self._name(), tests_of(mutant), [], BASELINE_S, everything=True)
        verdict = await self._ask(judge, task)
        print(f"{key}: {len(verdict.durations)} tests without a fault in {verdict.seconds:.0f} s", flush=True)
        if verdict.outcome != "survived":
            raise AssertionError(f"tests fail without a fault: {verdict.by}\n{verdict.said}")
        self.durations[key] = verdict.durations
        self._remember()

    async def _ask(self, judge: asyncio.subprocess.Process, task: Task) -> Verdict:
        assert judge.stdin
        assert judge.stdout
        judge.stdin.write(msgspec.json.encode(task) + b"\n")
        answer = await judge.stdout.readline()
        await drop_databases(task.name)
        return msgspec.json.decode(answer, type=Verdict)

    def _task(self, mutant: Mutant) -> Task:
        durations = self.durations.get(key_of(mutant), {})
        near, far = self.kills[mutant.target], self.kills[mutant.domain]
        first = sorted(durations, key=lambda test: (-near[test], -far[test], durations[test]))
        timeout_s = WITHIN * sum(durations.values()) + 30 if durations else BASELINE_S
        is_file = mutant.target.endswith(".py")
        module = mutant.target.removesuffix(".py").replace("/", ".") if is_file else None
        return Task(self._name(), self.tests or tests_of(mutant), first, timeout_s, module, mutant.after)

    def _name(self) -> str:
        return f"mutant{next(self.numbers)}"

    def _note(self, mutant: Mutant, verdict: Verdict) -> None:
        self.judged.append((mutant, verdict))
        if verdict.outcome == "killed":
            self.kills[mutant.target][verdict.by] += 1
            self.kills[mutant.domain][verdict.by] += 1
            self._remember()
        changed = mutant.changed.replace("\n", " | ")[:150]
        said = f"{len(self.judged)}/{self.all} {verdict.outcome} {verdict.seconds:.0f} s {mutant.target} {changed}"
        print(said, verdict.by or verdict.said[:100], sep="  ", flush=True)
        if verdict.outcome == "survived":
            print(mutant.diff, flush=True)


def is_lock(mutant: Mutant) -> bool:
    return mutant.kind == "lock"


def tests_of(mutant: Mutant) -> list[str]:
    domain = DOMAINS[mutant.domain]
    tests = [*domain.tests, *(domain.races if is_lock(mutant) else ())]
    return [*tests, *(f"--deselect={test}" for test in domain.slow)]


def key_of(mutant: Mutant) -> str:
    return f"{mutant.domain}{' with races' if is_lock(mutant) else ''}"


async def drop_databases(name: str) -> None:
    connection = await asyncpg.connect(ask("postgres")["url"])
    try:
        for row in await connection.fetch("SELECT datname FROM pg_database WHERE datname LIKE '%\\_' || $1", name):
            await connection.execute(f'DROP DATABASE "{row["datname"]}" WITH (FORCE)')
    finally:
        await connection.close()
