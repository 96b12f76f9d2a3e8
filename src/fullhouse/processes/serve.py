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
from fullhouse.kit.process import Alarm, die_with
from fullhouse.kit.secrets import Keyring
from fullhouse.kit.telemetry import files as metric_files
from fullhouse.kit.terminal import say, say_what_is_left
from fullhouse.processes.listener import Listener
from fullhouse.processes.supervisor import Backoff, Family

DATABASE, LOGIN = "fullhouse", "fullhouse_server"
READY_WITHIN_S = 60.0


class CannotServe(OperatorError):
    """The server cannot start, or had to stop."""


class Urls:
    """The database URLs: of the serving log-in, and of the owner's."""

    def __init__(self, serving: str, owner: str) -> None:
        self.serving, self.owner = serving, owner


@contextmanager
def database(settings: Config) -> Iterator[tuple[Urls, Cluster | None]]:
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


async def prepare(settings: Config, urls: Urls) -> Demo | None:
    """Applies migrations; on a new embedded database also creates the demo organisation."""
    applied = await migrate_database(urls)
    if applied:
        say(f"database: applied {migrate.in_words(applied)}")
    keyring = Keyring(config.secret_key(settings))
    serving = await Database.open(urls.serving, APP, size=2, bus=Bus(urls.serving, settings.redis_url))
    try:
        found = await log_ins.find(serving, keyring)
        if found is None and settings.embedded:
            return await _fill_demo(settings, urls, serving, keyring)
        return found
    finally:
        await serving.close()


async def _fill_demo(settings: Config, urls: Urls, serving: Database, keyring: Keyring) -> Demo:
    from fullhouse import wiring  # slow to import: the whole application, needed once
    from fullhouse.demo import organisation

    say("creating the demo organisation")
    wiring.connect(settings.public_url)
    return await organisation.fill(serving, urls.owner, keyring, wiring.files(settings), say)


async def migrate_database(urls: Urls, *, again: bool = False) -> list[str]:
    with answering():
        return await migrate.migrate(urls.owner, serving_login=await _login(urls.serving), again=again)


@contextmanager
def answering() -> Iterator[None]:
    """Reports database errors to the operator as `CannotServe`."""
    try:
        yield
    except (OSError, ValueError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        raise CannotServe(
            f"The database is unavailable or misconfigured ({error or type(error).__name__}). Check DATABASE_URL and "
            "DATABASE_OWNER_URL; `fullhouse doctor` shows details."
        ) from error


async def _login(url: str) -> str:
    """The user in a database URL; if it has none, the user that PostgreSQL's defaults give."""
    if user := _user_of(url):
        return user
    connection = await asyncpg.connect(url, timeout=10)
    try:
        return str(await connection.fetchval("SELECT session_user"))
    finally:
        await connection.close(timeout=5)


def _user_of(url: str) -> str | None:
    parts = urlsplit(url)
    named = parse_qs(parts.query).get("user")
    return unquote(parts.username) if parts.username else (named[0] if named else None)


def serve(settings: Config, args: argparse.Namespace) -> int:
    _check_port(settings)
    config.make_home(settings)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # until everything runs, like SIGINT
    if settings.embedded and not (settings.home / "pg" / "data").exists():
        say("creating the database (first start, a few seconds)…")
    with database(settings) as (urls, cluster):
        found = asyncio.run(prepare(settings, urls))
        stop = Alarm()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, stop.set)
        members = ["api"] if settings.processes == 1 else [f"api {n}" for n in range(1, settings.processes + 1)]
        commands = {name: ["api"] for name in members} | ({} if args.no_worker else {"worker": ["worker"]})
        listener = Listener(
            settings.host, settings.port, members
        )  # first: if another `serve` has the port, its metrics are not deleted
        metrics = metric_files.make_folder(settings.home, settings.port)
        try:
            supervisor = Family(commands, _environment(urls, str(metrics)), listener)
            reload = Sources() if args.reload else None
            return _run(settings, supervisor, listener, DatabaseKeeper(cluster), found, stop, reload)
        finally:
            shutil.rmtree(metrics, ignore_errors=True)


class DatabaseKeeper:
    """Restarts the embedded database whenever it has ended, until it runs."""

    def __init__(self, cluster: Cluster | None) -> None:
        self._cluster, self._backoff = cluster, Backoff()
        self._said = ""  # the last message, which is not repeated

    def mend(self) -> None:
        if self._cluster is None or self._cluster.running or not self._backoff.due:
            return
        if not self._said:
            self._say("the database ended; restarting it")
        self._backoff.failed()  # if it ends again at once, the next start waits
        try:
            self._cluster.start()
        except PostgresError as error:
            self._say(f"{error}\n  It is retried every few seconds; meanwhile requests get 503.")
        else:
            self._say("the database runs again")
            self._said = ""

    def _say(self, text: str) -> None:
        if text == self._said:
            say_what_is_left()
        else:
            say(text)
        self._said = text


class Sources:
    """Our source files with their modification times."""

    def __init__(self) -> None:
        self._seen = self._look()

    def changed(self) -> bool:
        before, self._seen = self._seen, self._look()
        return before != self._seen

    def _look(self) -> dict[Path, float]:
        here = Path(__file__).parents[1]
        return {file: file.stat().st_mtime for file in here.rglob("*") if file.suffix in (".py", ".sql")}


def _run(
    settings: Config,
    supervisor: Family,
    listener: Listener,
    database: DatabaseKeeper,
    found: Demo | None,
    stop: Alarm,
    sources: Sources | None,
) -> int:
    supervisor.start()
    deadline = time.monotonic() + READY_WITHIN_S
    opened = False
    try:
        while not stop.wait(0.5 if opened else 0.05):
            database.mend()
            if opened and sources and sources.changed():
                supervisor.stop()
                supervisor.start()
            elif opened:
                supervisor.mend()
            elif _ready(settings):
                _announce(settings, found)
                opened = True
            elif (name := supervisor.ended) or time.monotonic() > deadline:
                raise CannotServe(_why_not_ready(name))
        return 0
    finally:
        if sys.stderr.isatty():
            print(file=sys.stderr)  # after the terminal's ^C
        say("stopping: finishing requests and jobs in progress")
        listener.close()
        supervisor.stop()


def work(settings: Config, args: argparse.Namespace) -> int:
    """A worker: a child of `serve`, or a process of its own."""
    from fullhouse.processes import worker  # slow to import, and `serve` itself does not need it

    if args.parent:
        die_with(args.parent)
        return worker.main()
    with database(settings) as (urls, _):
        os.environ["DATABASE_URL"] = urls.serving
        return worker.main()


def _environment(urls: Urls, metrics: str) -> dict[str, str]:
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


def _ready(settings: Config) -> bool:
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(settings.host, settings.host)  # noqa: S104
    try:
        with urllib.request.urlopen(f"http://{host}:{settings.port}/health/ready", timeout=2):
            return True
    except OSError:
        return False


def _why_not_ready(ended: str | None) -> str:
    if ended:
        return f"The {ended} process ended while starting; its error message is above."
    return f"The server was not ready within {READY_WITHIN_S:.0f} seconds. `fullhouse doctor` may show why."


def _announce(settings: Config, found: Demo | None) -> None:
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
    say("\n".join([*lines, "", "  Press Ctrl-C to stop."]))
