"""How the command line speaks: short lines, on the error stream, so that what a command prints can be piped."""

import sys
from collections.abc import Sequence
from contextlib import suppress


def say(text: str) -> None:
    with suppress(OSError):  # the stream may be a file on a full disk, or nobody reads it any more
        print(f"fullhouse: {text}", file=sys.stderr, flush=True)


def say_what_is_left() -> None:
    """Offers the stream again what it did not take before: Python keeps those lines."""
    with suppress(OSError):
        sys.stderr.flush()


def table(rows: Sequence[tuple[str, ...]]) -> str:
    """Columns as wide as their widest cell; the last runs free."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows)
