"""The private servers answer, and are not the ones of the machine."""

import os
import re
import shutil
import socket
import subprocess
import threading
from pathlib import Path
from urllib.parse import urlsplit

import aio_pika
import asyncpg
import pytest
import redis.asyncio
import redis.exceptions

from fullhouse.kit.db.migrate import load_released_migrations
from tests.browser import chromium
from tests.services import servers
from tests.services.client import ADDRESS, ask
from tests.services.mounts import mount

ROOT = Path(__file__).parents[1]
MOUNTS = re.compile(r"\[\Wmount\W,")


async def test_redis_answers_on_a_private_port(redis_url: str) -> None:
    assert urlsplit(redis_url).port != 6379
    async with redis.asyncio.from_url(redis_url) as client:
        assert await client.ping()


async def test_rabbitmq_takes_a_message_on_a_private_port(amqp_url: str) -> None:
    assert urlsplit(amqp_url).port != 5672
    async with await aio_pika.connect(amqp_url) as connection:
        channel = await connection.channel(publisher_confirms=True)
        queue = await channel.declare_queue(exclusive=True)
        await channel.default_exchange.publish(aio_pika.Message(b"hello"), routing_key=queue.name)
        message = await queue.get()
        assert message.body == b"hello"


async def test_postgres_answers_in_a_private_folder(postgres_url: str) -> None:
    run = Path(os.environ[ADDRESS]).parent
    connection = await asyncpg.connect(postgres_url)
    try:
        data = await connection.fetchval("SHOW data_directory")
        addresses = await connection.fetchval("SHOW listen_addresses")
    finally:
        await connection.close()
    assert Path(data).is_relative_to(run)
    assert addresses == ""


async def test_owner_and_server_meet_in_the_workers_migrated_database(owner_url: str, server_url: str) -> None:
    async def look(url: str) -> tuple[str, str, int]:
        connection = await asyncpg.connect(url)
        try:
            user, database = await connection.fetchval("SELECT (current_user, current_database())")
            await connection.execute("SET ROLE fullhouse_app")  # the log-in has no right of its own
            return user, database, await connection.fetchval("SELECT count(*) FROM app.migrations")
        finally:
            await connection.close()

    (owner, *theirs), (server, *same) = await look(owner_url), await look(server_url)
    assert (owner, server) == ("fullhouse", "fullhouse_server")
    assert theirs == same == [f"t_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}", len(load_released_migrations())]


async def test_a_test_may_kill_a_server_of_its_own(server_home: Path) -> None:
    server = await servers.redis(server_home)
    server.stop()
    with pytest.raises(redis.exceptions.ConnectionError):
        await redis.asyncio.from_url(server.url).ping()


def test_a_question_asked_twice_has_one_answer(postgres_url: str) -> None:
    assert ask("postgres")["url"] == postgres_url


EXCEPT_IN_CI = pytest.mark.parametrize(("ci", "outcome"), [("", servers.Missing), ("true", RuntimeError)])


@EXCEPT_IN_CI
def test_a_program_that_is_not_installed_is_a_reason_to_skip_except_in_ci(
    ci: str, outcome: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", ci)
    with pytest.raises(outcome, match="no-such-server is not installed"):
        servers.program("no-such-server")


@EXCEPT_IN_CI
def test_a_server_that_is_not_installed_is_a_reason_to_skip_except_in_ci(
    ci: str, outcome: type[Exception], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As the keeper answers when it finds no program."""
    monkeypatch.setenv("CI", ci)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "keeper"))
        listener.listen()
        monkeypatch.setenv(ADDRESS, str(tmp_path / "keeper"))

        def answer() -> None:
            line, _ = listener.accept()
            with line:
                line.recv(100)
                line.sendall(b'{"missing": "rabbitmq-server is not installed"}')

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(outcome, match="rabbitmq-server is not installed"):
            ask("rabbitmq")
        thread.join()


@EXCEPT_IN_CI
def test_a_browser_that_is_not_installed_is_a_reason_to_skip_except_in_ci(
    ci: str, outcome: type[Exception], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for tool in ("sh", "id", "dirname"):
        (tmp_path / tool).symlink_to(shutil.which(tool) or "")
    for name, value in {"PATH": str(tmp_path), "CHROMIUM": "", "CI": ci}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(outcome, match="Chromium is not installed"):
        chromium.program()
    ran = subprocess.run(["sh", ROOT / "scripts/browser"], capture_output=True, text=True, check=False)
    assert (ran.returncode != 0) == (ci == "true"), ran.stderr
    assert "not installed: chromium" in ran.stderr


@EXCEPT_IN_CI
def test_a_disk_that_may_not_be_mounted_is_a_reason_to_skip_except_in_ci(
    ci: str, outcome: type[Exception], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CI", ci)
    with pytest.raises(BaseException, match=r"mounting is not permitted: .+") as refused:  # a skip is one, too
        mount("-t", "tmpfs", "tmpfs", tmp_path / "nowhere")
    assert refused.type is outcome
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(BaseException, match="only root can mount a disk") as refused:
        mount("-t", "tmpfs", "tmpfs", tmp_path)
    assert refused.type is outcome


def test_who_mounts_a_disk_asks_for_it_in_one_place() -> None:
    """Elsewhere it would be forgotten that with CI=true nothing is skipped."""
    tests = ROOT / "tests"
    mounting = {str(path.relative_to(tests)) for path in tests.rglob("*.py") if MOUNTS.search(path.read_text())}
    assert mounting == {"services/mounts.py", "faults/disks.py"}  # the other gives a disk its power back


def test_free_ports_are_not_those_of_outgoing_connections() -> None:
    assert all(20_000 <= servers.free_port() < 32_000 for _ in range(20))
