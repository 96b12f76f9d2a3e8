"""Configuration of the server: its settings, who may log in, and where its socket is."""

import hashlib
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

SUPERUSER = "fullhouse"
LOGINS = (SUPERUSER, "fullhouse_server")  # the second serves requests; migrations create it
PORT = 5432  # only names the socket in its private folder: no network port is used

SETTINGS: Mapping[str, str] = {
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "max_connections": "100",
    "shared_buffers": "256MB",
    "wal_buffers": "16MB",
    "wal_compression": "off",  # on costs 15 % of the write throughput
    # Large and long, so that no checkpoint falls into the middle of a sale.
    "max_wal_size": "4GB",
    "min_wal_size": "512MB",
    "checkpoint_timeout": "15min",
    # New tables have no statistics and look small to the planner: analyse soon, not a minute into the first sale.
    "autovacuum_naptime": "10s",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
}

SOCKET_PATH_BYTES_MAX = 103  # macOS; Linux has four more


def socket_folder(folder: Path) -> Path:
    """Beside the data, unless the path is too long for a socket or has characters that separate hosts in a list."""
    beside = folder / "run"
    path = os.fsencode(beside / f".s.PGSQL.{PORT}")
    if len(path) <= SOCKET_PATH_BYTES_MAX and re.fullmatch(rb"[\w/.+ -]+", path):
        return beside
    digest = hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]
    # Not $TMPDIR: every process must find the same folder, and the server's account must be able to enter it.
    return Path(f"/tmp/fullhouse-{digest}")  # noqa: S108


def options(settings: Mapping[str, str], sockets: Path) -> list[str]:
    """The settings as arguments of the server."""
    ours = {
        "listen_addresses": "",
        "port": str(PORT),
        "unix_socket_directories": str(sockets),
        "unix_socket_permissions": "0700",
    }
    return [f"--{name}={value}" for name, value in {**SETTINGS, **settings, **ours}.items()]


def initdb_options(major: int) -> list[str]:
    """A data folder that sorts and compares the same on every machine."""
    locale = ["--locale=C.UTF-8"]
    if major >= 17:
        locale = ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    auth = ["--auth-local=peer", "--auth-host=reject"]
    return [f"--username={SUPERUSER}", "--encoding=UTF8", "--data-checksums", "--no-instructions", *auth, *locale]


def pg_hba() -> str:
    return f"local all {','.join(LOGINS)} peer map=fullhouse\n"


def pg_ident(os_names: Iterable[str]) -> str:
    """No passwords: the kernel says who is at the other end of the socket."""
    return "".join(f'fullhouse "{name}" {login}\n' for name in sorted(os_names) for login in LOGINS)
