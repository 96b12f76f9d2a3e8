"""The operating-system account of the server. PostgreSQL refuses root, so root runs it as an unprivileged account.

Files are opened and folders chowned without following links: the account may have put links into its own
folders, and root must not follow them elsewhere.
"""

import os
import pwd
import shutil
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fullhouse.kit.postgres.postgres_errors import PostgresError

DEDICATED = "fullhouse"
UNPRIVILEGED_NAMES = (DEDICATED, "postgres", "nobody")


@dataclass(frozen=True)
class Account:
    name: str
    uid: int
    gid: int

    @property
    def drops_privileges(self) -> bool:
        """Whether a process must drop privileges to become this account."""
        return self.uid != os.geteuid()

    def credentials(self) -> dict[str, Any]:
        """The arguments of `subprocess` that make a child run as this account."""
        return {"user": self.uid, "group": self.gid, "extra_groups": []} if self.drops_privileges else {}

    def make_folder(self, path: Path) -> None:
        """Makes the folder, or chowns it: owned by the account, and closed to all others."""
        with suppress(FileExistsError):
            path.mkdir(mode=0o700)
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            if self.drops_privileges:
                os.fchown(fd, self.uid, self.gid)
            os.fchmod(fd, 0o700)
        finally:
            os.close(fd)

    def open(self, path: Path, flags: int) -> int:
        """A descriptor of the account's file, which is created if it is missing."""
        try:
            fd = os.open(path, flags | os.O_NOFOLLOW | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return os.open(path, flags | os.O_NOFOLLOW)
        if self.drops_privileges:
            os.fchown(fd, self.uid, self.gid)
        return fd

    def write(self, path: Path, text: str) -> None:
        """Replaces the file atomically, unless its content is the same already."""
        with suppress(FileNotFoundError):
            if path.read_text() == text:
                return
        draft = path.with_name(path.name + ".new")
        draft.unlink(missing_ok=True)
        with os.fdopen(self.open(draft, os.O_WRONLY), "w") as file:
            file.write(text)
        draft.replace(path)

    def chown_tree(self, folder: Path) -> None:
        """Chowns a folder and all in it to the account: one restored from a copy, or left by an earlier account."""
        if not self.drops_privileges or folder.stat().st_uid == self.uid:
            return
        for parent, _, files in os.walk(folder, topdown=False):  # the folder itself last: a broken run is repeated
            for path in (*(os.path.join(parent, file) for file in files), parent):
                os.chown(path, self.uid, self.gid, follow_symlinks=False)

    def can_enter(self, folder: Path) -> bool:
        """Tried as the account: file modes alone would miss access control lists."""
        command = ["/bin/sh", "-c", 'cd "$0"', str(folder)]
        return subprocess.run(command, cwd="/", capture_output=True, **self.credentials()).returncode == 0  # noqa: S603


def find_service_account() -> Account:
    """The account of this process, or for root the first unprivileged one that exists or can be made."""
    if os.geteuid() != 0:
        try:
            return _to_account(pwd.getpwuid(os.geteuid()))
        except KeyError:
            raise PostgresError(
                f"PostgreSQL cannot run as user id {os.geteuid()}, which has no name on this machine: "
                "add an entry to /etc/passwd, or set DATABASE_URL to a server elsewhere."
            ) from None
    for name in UNPRIVILEGED_NAMES:
        with suppress(KeyError):
            return _to_account(pwd.getpwnam(name))
        if name == DEDICATED and _make_dedicated():
            return _to_account(pwd.getpwnam(name))
    raise PostgresError(
        f"PostgreSQL does not run as root: make a system user named {DEDICATED}, start fullhouse as an ordinary "
        "user, or set DATABASE_URL to a server elsewhere."
    )


def caller_name() -> str:
    return pwd.getpwuid(os.geteuid()).pw_name


def _to_account(entry: pwd.struct_passwd) -> Account:
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)


def _make_dedicated() -> bool:
    useradd, nologin = shutil.which("useradd"), shutil.which("nologin") or "/bin/false"
    if useradd is None:
        return False
    options = ["--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent", "--shell", nologin]
    subprocess.run([useradd, *options, DEDICATED], capture_output=True)  # noqa: S603
    # Not the exit status: a concurrent start may have created it first.
    return any(entry.pw_name == DEDICATED for entry in pwd.getpwall())
