"""`fullhouse serve`: one command, one process tree.

    serve ─┬─ postgres    only if no DATABASE_URL is given
           ├─ N × api     on sockets that this process has bound
           └─ worker

Children are in sessions of their own, so that Ctrl-C reaches only this process, which stops them in order: the API
drains, then the worker, then the database. If this process is killed, the kernel signals the children to stop.

After the first start `serve` does not give up: a process that ends is restarted, after pauses that grow up to eight
seconds. Meanwhile requests get 503.
"""

import argparse
import asyncio
import errno
import os
import shutil
import signal
import socket
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import asyncpg

from fullhouse import config
from fullhouse.config import Config
from fullhouse.demo import log_ins
from fullhouse.demo.log_ins import Demo
from fullhouse.kit.db import migrate
from fullhouse.kit.db.database import APP, Database
from fullhouse.kit.errors import OperatorError
from fullhouse.kit.live.bus import Bus
from fullhouse.kit.postgres import Cluster, PostgresError
from fullhouse.kit.process_control import SignalEvent, exit_with_parent
from fullhouse.kit.secrets import Keyring
from fullhouse.kit.telemetry import metric_files
from fullhouse.kit.telemetry.telemetry import use_command_logging
from fullhouse.kit.terminal import flush_messages, print_message
from fullhouse.processes.listener import Listener
from fullhouse.processes.supervisor import Backoff, Supervisor

DATABASE, LOGIN = "fullhouse", "fullhouse_server"
READY_WITHIN_S = 60.0


class CannotServe(OperatorError):
    """The server cannot start, or had to stop."""


class Urls:
    """The database URLs: of the serving log-in, and of the owner's."""

    def __init__(self, serving: str, owner: str) -> None:
        self.serving, self.owner = serving, owner


@contextmanager
def open_database(settings: Config) -> Iterator[tuple[Urls, Cluster | None]]:
    """The configured database; or the embedded one, which the first process starts and the last one stops."""
    if settings.database_url and settings.database_owner_url:
        yield Urls(settings.database_url, settings.database_owner_url), None
        return
    cluster = Cluster(settings.home)
    cluster.start()
    try:
        asyncio.run(_make_database(cluster))
        yield Urls(cluster.url(LOGIN, DATABASE), cluster.url(database=DATABASE)), cluster
    finally:
        cluster.stop()


async def _make_database(cluster: Cluster) -> None:
    connection = await asyncpg.connect(cluster.url(), timeout=10)
    try:
        if not await connection.fetchval("SELECT true FROM pg_database WHERE datname = $1", DATABASE):
            await connection.execute(f"CREATE DATABASE {DATABASE}")
    except (asyncpg.DuplicateDatabaseError, asyncpg.UniqueViolationError):
        pass  # another process was faster
    finally:
        await connection.close(timeout=5)


async def prepare_database(settings: Config, urls: Urls) -> Demo | None:
    """Applies migrations; on a new embedded database also creates the demo organisation."""
    applied = await migrate_database(urls)
    if applied:
        print_message(f"database: applied {migrate.summarise_names(applied)}")
    keyring = Keyring(config.load_secret_key(settings))
    serving = await Database.open(urls.serving, APP, size=2, bus=Bus(urls.serving, settings.redis_url))
    try:
        found = await log_ins.find_demo(serving, keyring)
        if found is None and settings.embedded:
            return await _create_demo(settings, urls, serving, keyring)
        return found
    finally:
        await serving.close()


async def _create_demo(settings: Config, urls: Urls, serving: Database, keyring: Keyring) -> Demo:
    from fullhouse import wiring  # slow to import: the whole application, needed once
    from fullhouse.demo import organisation

    print_message("creating the demo organisation")
    wiring.register_handlers(settings.public_url)
    files = wiring.file_storage(settings)
    with use_command_logging():  # the terminal shows the progress, not a log line for each change
        return await organisation.create_demo(serving, urls.owner, keyring, files, print_message)


async def migrate_database(urls: Urls, *, again: bool = False) -> list[str]:
    with reporting_database_errors():
        return await migrate.migrate(urls.owner, serving_login=await _find_login(urls.serving), again=again)


@contextmanager
def reporting_database_errors() -> Iterator[None]:
    """Reports database errors to the operator as `CannotServe`."""
    try:
        yield
    except (OSError, ValueError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        raise CannotServe(
            f"The database is unavailable or misconfigured ({error or type(error).__name__}). Check DATABASE_URL and "
            "DATABASE_OWNER_URL; `fullhouse doctor` shows details."
        ) from error


async def _find_login(url: str) -> str:
    """The user in a database URL; if it has none, the user that PostgreSQL's defaults give."""
    if user := _parse_user(url):
        return user
    connection = await asyncpg.connect(url, timeout=10)
    try:
        return str(await connection.fetchval("SELECT session_user"))
    finally:
        await connection.close(timeout=5)


def _parse_user(url: str) -> str | None:
    parts = urlsplit(url)
    named = parse_qs(parts.query).get("user")
    return unquote(parts.username) if parts.username else (named[0] if named else None)


def serve(settings: Config, args: argparse.Namespace) -> int:
    _check_port(settings)
    config.make_home(settings)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # until everything runs, like SIGINT
    if settings.embedded and not (settings.home / "pg" / "data").exists():
        print_message("creating the database (first start, a few seconds)…")
    with open_database(settings) as (urls, cluster):
        found = asyncio.run(prepare_database(settings, urls))
        stop = SignalEvent()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, stop.set)
        members = ["api"] if settings.processes == 1 else [f"api {n}" for n in range(1, settings.processes + 1)]
        commands = {name: ["api"] for name in members} | ({} if args.no_worker else {"worker": ["worker"]})
        listener = Listener(
            settings.host, settings.port, members
        )  # first: if another `serve` has the port, its metrics are not deleted
        metrics = metric_files.make_folder(settings.home, settings.port)
        try:
            supervisor = Supervisor(commands, _child_environment(urls, str(metrics)), listener)
            reload = SourceFiles() if args.reload else None
            return _run(settings, supervisor, listener, DatabaseSupervisor(cluster), found, stop, reload)
        finally:
            shutil.rmtree(metrics, ignore_errors=True)


class DatabaseSupervisor:
    """Restarts the embedded database whenever it has ended, until it runs."""

    def __init__(self, cluster: Cluster | None) -> None:
        self._cluster, self._backoff = cluster, Backoff()
        self._last_message = ""  # the last message, which is not repeated

    def restart_dead(self) -> None:
        if self._cluster is None or self._cluster.running or not self._backoff.is_due:
            return
        if not self._last_message:
            self._report("the database ended; restarting it")
        self._backoff.record_failure()  # if it ends again at once, the next start waits
        try:
            self._cluster.start()
        except PostgresError as error:
            self._report(f"{error}\n  It is retried every few seconds; meanwhile requests get 503.")
        else:
            self._report("the database runs again")
            self._last_message = ""

    def _report(self, text: str) -> None:
        if text == self._last_message:
            flush_messages()
        else:
            print_message(text)
        self._last_message = text


class SourceFiles:
    """Our source files with their modification times."""

    def __init__(self) -> None:
        self._modified = self._read_times()

    def have_changed(self) -> bool:
        before, self._modified = self._modified, self._read_times()
        return before != self._modified

    def _read_times(self) -> dict[Path, float]:
        here = Path(__file__).parents[1]
        return {file: file.stat().st_mtime for file in here.rglob("*") if file.suffix in (".py", ".sql")}


def _run(
    settings: Config,
    supervisor: Supervisor,
    listener: Listener,
    database: DatabaseSupervisor,
    found: Demo | None,
    stop: SignalEvent,
    sources: SourceFiles | None,
) -> int:
    supervisor.start()
    deadline = time.monotonic() + READY_WITHIN_S
    opened = False
    try:
        while not stop.wait(0.5 if opened else 0.05):
            database.restart_dead()
            if opened and sources and sources.have_changed():
                supervisor.stop()
                supervisor.start()
            elif opened:
                supervisor.restart_dead()
            elif _is_ready(settings):
                _print_addresses(settings, found)
                opened = True
            elif (name := supervisor.ended) or time.monotonic() > deadline:
                raise CannotServe(_explain_not_ready(name))
        return 0
    finally:
        if sys.stderr.isatty():
            print(file=sys.stderr)  # after the terminal's ^C
        print_message("stopping: finishing requests and jobs in progress")
        listener.close()
        supervisor.stop()


def work(settings: Config, args: argparse.Namespace) -> int:
    """A worker: a child of `serve`, or a process of its own."""
    from fullhouse.processes import worker  # slow to import, and `serve` itself does not need it

    if args.parent:
        exit_with_parent(args.parent)
        return worker.main()
    with open_database(settings) as (urls, _):
        os.environ["DATABASE_URL"] = urls.serving
        return worker.main()


def _child_environment(urls: Urls, metrics: str) -> dict[str, str]:
    """The children's environment, without the owner's database URL, which only this process needs."""
    inherited = {name: value for name, value in os.environ.items() if name != "DATABASE_OWNER_URL"}
    return inherited | {
        "DATABASE_URL": urls.serving,
        metric_files.FOLDER: metrics,
    }


def _check_port(settings: Config) -> None:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except PermissionError:
            raise CannotServe(
                f"Port {settings.port} needs root. Choose a port above 1023, e.g. FULLHOUSE_PORT=8000."
            ) from None
        except OSError as error:
            if error.errno == errno.EADDRNOTAVAIL:
                raise CannotServe(f"{settings.host} is not an address of this machine. Set FULLHOUSE_HOST.") from None
            raise CannotServe(
                f"Port {settings.port} on {settings.host} is in use ({error.strerror}). Stop the other program, "
                f"or choose another port: FULLHOUSE_PORT={settings.port + 1} make run"
            ) from None


def _is_ready(settings: Config) -> bool:
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(settings.host, settings.host)  # noqa: S104
    try:
        with urllib.request.urlopen(f"http://{host}:{settings.port}/health/ready", timeout=2):
            return True
    except OSError:
        return False


def _explain_not_ready(ended: str | None) -> str:
    if ended:
        return f"The {ended} process ended while starting; its error message is above."
    return f"The server was not ready within {READY_WITHIN_S:.0f} seconds. `fullhouse doctor` may show why."


def _print_addresses(settings: Config, found: Demo | None) -> None:
    pages = (("storefront", "/"), ("console", "/console"), ("gate scanner", "/scan/"), ("API reference", "/api/docs"))
    lines = [f"ready at {settings.public_url}", ""]
    lines += [f"  {name:<14} {settings.public_url}{path}" for name, path in pages]
    lines += [f"  {'listening on':<14} {settings.host}:{settings.port}", f"  {'state folder':<14} {settings.home}"]
    lines += [f"  {'database':<14} {'embedded, in the state folder' if settings.embedded else 'DATABASE_URL'}"]
    if found:
        lines += ["", f"  Log-ins of the demo organisation {found.organization}:"]
        lines += [f"    {i.role:<14} {i.email:<26} {i.password}" for i in (*found.log_ins, *found.platform_log_ins)]
    if settings.smtp_url is None:
        lines += ["", "  Emails are not sent: SMTP_URL is not set. Owners can read them at /console/mailbox."]
    print_message("\n".join([*lines, "", "  Press Ctrl-C to stop."]))
