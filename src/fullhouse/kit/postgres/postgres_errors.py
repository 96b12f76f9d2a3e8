"""Errors of the embedded database: sentences that tell the operator what to do."""

import errno
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fullhouse.kit.errors import OperatorError

FREE_BYTES_MIN = 64 << 20  # a new data folder takes 40 MB; recovery needs some WAL segments of 16 MB


class PostgresError(OperatorError):
    """The embedded database cannot be started."""


def disk_full(folder: Path) -> PostgresError:
    return PostgresError(
        f"The disk of {folder} is full: free at least {FREE_BYTES_MIN >> 20} MB there and start again. "
        "Nothing that was confirmed is lost."
    )


def check_free_space(folder: Path) -> None:
    if shutil.disk_usage(folder).free < FREE_BYTES_MIN:
        raise disk_full(folder)


def explain_failure(program: str, output: str, log: Path) -> PostgresError:
    """Why a PostgreSQL program failed, from its output."""
    # On a full disk even the output may be missing.
    if "No space left on device" in output or shutil.disk_usage(log.parent).free < 1 << 20:
        return disk_full(log.parent)
    reasons = re.findall(r"(?:FATAL|PANIC|error): +(.+)", output) or [output.strip() or "it printed nothing"]
    return PostgresError(f"{program} failed: {reasons[0]}. Read {log} for details, correct the cause and start again.")


@contextmanager
def explain_os_errors(home: Path) -> Iterator[None]:
    """Turns an OSError into a sentence about the state folder."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise disk_full(home) from error
        raise PostgresError(
            f"The state folder {home} cannot be used ({error.strerror}: {error.filename or home}): "
            "start as the user it belongs to, or choose another folder with FULLHOUSE_HOME."
        ) from error
