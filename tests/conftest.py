"""What every test may ask for: private servers, and a database of the worker's own."""

import gc
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
import structlog

from tests.services.client import ADDRESS, Run, ask

pytest_plugins = ["tests.fixtures"]

RUN = pytest.StashKey[Run]()
PRINTED = 3000  # characters
LEFT = pytest.StashKey[list[str]]()

# Tracebacks as Python writes them: to draw one with all its variables takes a second, and stops everybody else.
structlog.configure(
    processors=[
        *structlog.get_config()["processors"][:-1],
        structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback),
    ]
)


@pytest.fixture(scope="session")
def anyio_backend() -> tuple[str, dict[str, bool]]:
    return "asyncio", {"use_uvloop": True}


@pytest.fixture(scope="session")
def postgres_url() -> str:
    """The superuser's way into the private cluster, for tests that make databases of their own."""
    return ask("postgres")["url"]


@pytest.fixture(scope="session")
def redis_url() -> str:
    """Shared by all tests and never flushed: each takes a prefix of its own."""
    return ask("redis")["url"]


@pytest.fixture(scope="session")
def amqp_url() -> str:
    """Shared by all tests: each takes exchange and queue names of its own."""
    return ask("rabbitmq")["url"]


@pytest.fixture(scope="session")
def _database() -> dict[str, str]:
    return ask("database", f"t_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}")


@pytest.fixture(scope="session")
def owner_url(_database: dict[str, str]) -> str:
    """The superuser on this worker's database, which has all migrations applied."""
    return _database["owner_url"]


@pytest.fixture(scope="session")
def server_url(_database: dict[str, str]) -> str:
    """The log-in of the serving processes on the same database."""
    return _database["server_url"]


@pytest.fixture
def server_home() -> Iterator[Path]:
    """A folder for a server of the test's own. Unlike tmp_path it is short, and PostgreSQL's user can enter it."""
    home = Path(tempfile.mkdtemp(dir=Path(os.environ[ADDRESS]).parent))
    home.chmod(0o755)
    yield home
    shutil.rmtree(home, ignore_errors=True)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Half as many again as there are cores, since tests often wait: at most eight, so that the cluster's connections
    suffice."""
    return min((os.cpu_count() or 2) * 3 // 2, 8)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The long ones first, after the order was drawn: one that begins last would be waited for by all others."""
    items.sort(key=lambda item: not (item.get_closest_marker("soak") or item.get_closest_marker("fault")))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected stays to the end: to look through it for garbage took as long as to find it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000, 20, 50)  # every 700 objects took a tenth of the time
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failure is shown with the end of what was printed: thousands of lines of a log would bury the others. What a
    test that passed has printed is not carried to the process that shows it."""
    report = yield
    report.sections = [] if report.passed else [(title, text[-PRINTED:]) for title, text in report.sections]
    return report


def pytest_sessionstart(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):
        session.config.stash[RUN] = Run()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if run := session.config.stash.get(RUN, None):
        left = session.config.stash[LEFT] = run.stop()
        if left and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for process in config.stash.get(LEFT, []):
        terminalreporter.write_line(f"still running after the tests: {process}", red=True)


def pytest_unconfigure(config: pytest.Config) -> None:
    """The very last line says what was not tested, and why."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if RUN in config.stash and reporter and (skipped := reporter.stats.get("skipped")):
        reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
        listed = "; ".join(f"{count} because {reason}" for reason, count in reasons.most_common())
        reporter.write_line(f"skipped {len(skipped)} tests: {listed}", yellow=True)
