"""Messages of the command line: short lines on standard error, so that a command's output can be piped."""

import sys
from collections.abc import Sequence
from contextlib import suppress


def print_message(text: str) -> None:
    with suppress(OSError):  # the stream may be a file on a full disk, or a closed pipe
        print(f"fullhouse: {text}", file=sys.stderr, flush=True)


def flush_messages() -> None:
    """Retries writing the lines that an earlier write could not deliver: Python buffers them."""
    with suppress(OSError):
        sys.stderr.flush()


def table(rows: Sequence[tuple[str, ...]]) -> str:
    """Columns as wide as their widest cell; the last one has no trailing spaces."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows)
