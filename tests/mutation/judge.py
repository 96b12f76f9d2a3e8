"""Judges mutants, one after the other: reads a task per line, answers a verdict per line.

All libraries are loaded once. Each mutant gets a process forked from this one, which puts the fault in, and runs pytest
until the first test fails. A file's fault is in the module as it is imported, a function's in every database that the
tests ask for; databases are named after the mutant, so that no other sees what a broken function has written.
"""

import asyncio
import contextlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import select
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest

# What the tests import most, beside the product itself: it is loaded anew for each mutant, with the fault in it.
LIBRARIES = (
    *("asyncpg", "httpx", "hypothesis.stateful", "hypothesis.internal.conjecture.engine", "jinja2", "litestar"),
    *(
        "litestar.testing",
        "numpy",
        "opentelemetry.sdk.trace",
        "pgqueuer",
        "PIL.Image",
        "prometheus_client",
        "rapidfuzz",
    ),
    *("redis.asyncio", "aio_pika", "segno", "stripe", "structlog", "typst", "uvloop", "iso3166", "idna", "argon2"),
    *("cryptography.hazmat.primitives.asymmetric.ed25519", "anyio.pytest_plugin"),
)


class Task(msgspec.Struct):
    name: str  # a part of the databases' names
    tests: list[str]
    first: list[str]  # tests by their ids, the most promising ones before the others
    timeout_s: float
    module: str | None = None  # a fault in this one
    text: str | None = None  # the module's, or the function's
    everything: bool = False  # do not stop at the first failure


class Verdict(msgspec.Struct):
    outcome: str  # killed, survived, timeout, unfit
    by: str = ""
    seconds: float = 0
    durations: dict[str, float] = msgspec.field(default_factory=dict)
    said: str = ""


class Report:
    """A plugin: orders the tests, and notes which one fails first."""

    def __init__(self, task: Task) -> None:
        self.order = {name: n for n, name in enumerate(task.first)}
        self.durations: dict[str, float] = {}
        self.failed: list[str] = []
        self.said = ""

    def pytest_configure(self, config: Any) -> None:
        config.workerinput = {"workerid": os.environ["PYTEST_XDIST_WORKER"]}  # the servers are somebody else's

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> Any:
        result = yield
        items.sort(key=lambda item: self.order.get(item.nodeid, len(self.order)))
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.durations[report.nodeid] = self.durations.get(report.nodeid, 0) + report.duration
        if report.failed:
            self.failed.append(report.nodeid)
            self.said = report.longreprtext[-600:]

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)
            self.said = report.longreprtext[-600:]


class Faulty(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds one module with a fault in it."""

    def __init__(self, module: str, text: str) -> None:
        self.module, self.text = module, text

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != self.module:
            return None
        found = importlib.machinery.PathFinder.find_spec(name, path)
        assert found is not None
        return importlib.util.spec_from_loader(name, self, origin=found.origin)

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        module.__file__ = module.__spec__.origin
        exec(compile(self.text, str(module.__file__), "exec"), module.__dict__)


def put_into_databases(definition: str) -> None:
    """Every database that a test asks for has the faulty function before the test sees it."""
    from tests.services import client

    plain, done = client.ask, set[tuple[str, ...]]()

    def ask(*question: str) -> dict[str, str]:
        answer = plain(*question)
        if question[0] == "database" and question not in done:
            done.add(question)
            _aside(_replace(answer["owner_url"], definition))
        return answer

    client.ask = ask


async def _replace(url: str, definition: str) -> None:
    import asyncpg

    connection = await asyncpg.connect(url)
    try:
        await connection.execute(definition)
    finally:
        await connection.close()


def _aside(work: Any) -> None:
    """In a thread of its own: a loop may be running in this one."""
    failed: list[BaseException] = []

    def run() -> None:
        try:
            asyncio.run(work)
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]


def _test(task: Task) -> Verdict:
    """In the forked process."""
    os.environ["PYTEST_XDIST_WORKER"] = task.name
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = tempfile.mkdtemp(dir=Path(os.environ["FULLHOUSE_TEST_KEEPER"]).parent)
    report = Report(task)
    try:
        if task.module and task.text:
            sys.meta_path.insert(0, Faulty(task.module, task.text))
        elif task.text:
            from tests.services.client import ask

            _aside(_replace(ask("database", f"t_{task.name}")["owner_url"], task.text))
            put_into_databases(task.text)
    except Exception as error:
        return Verdict("unfit", said=f"{type(error).__name__}: {error}")
    arguments = [*task.tests, "-m", "not fault", "-p", "no:randomly", "-p", "no:xdist", "-p", "no:cacheprovider"]
    status = pytest.main([*arguments, *([] if task.everything else ["-x"])], plugins=[report])
    if report.failed or status != pytest.ExitCode.OK:
        by = ", ".join(report.failed) or f"pytest ended with {status}"
        return Verdict("killed", by, durations=report.durations, said=report.said)
    return Verdict("survived", durations=report.durations)


def judge(task: Task) -> Verdict:
    begun = time.monotonic()
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        os.close(ours)
        os.setsid()
        with open(os.devnull, "r+b") as nothing:
            for descriptor in (0, 1, 2):
                os.dup2(nothing.fileno(), descriptor)
        verdict = Verdict("killed", "the process of the tests ended")
        try:
            verdict = _test(task)
        finally:
            with open(theirs, "wb") as answer:
                answer.write(msgspec.json.encode(verdict))
            os._exit(0)
    os.close(theirs)
    verdict = _await(ours, task.timeout_s)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    verdict.seconds = time.monotonic() - begun
    return verdict


def _await(answer: int, timeout_s: float) -> Verdict:
    read = b""
    deadline = time.monotonic() + timeout_s
    with open(answer, "rb", buffering=0) as pipe:
        while True:
            if not select.select([pipe], [], [], max(0, deadline - time.monotonic()))[0]:
                return Verdict("timeout", "no end within its time")
            if not (part := pipe.read(65536)):
                break
            read += part
    return msgspec.json.decode(read, type=Verdict) if read else Verdict("killed", "the process of the tests ended")


def main() -> None:
    for library in LIBRARIES:
        importlib.import_module(library)
    for line in sys.stdin:
        print(json.dumps(msgspec.to_builtins(judge(msgspec.json.decode(line, type=Task)))), flush=True)


if __name__ == "__main__":
    main()
