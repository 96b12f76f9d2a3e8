"""How the command line speaks: short lines, on the error stream, so that what a command prints can be piped."""

import sys
from collections.abc import Sequence


def say(text: str) -> None:
    print(f"fullhouse: {text}", file=sys.stderr, flush=True)


def table(rows: Sequence[tuple[str, ...]]) -> str:
    """Columns as wide as their widest cell; the last runs free."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows)
