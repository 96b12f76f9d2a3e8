"""One small fault: which text it changes, and how."""

import difflib
from typing import NamedTuple


class Mutant(NamedTuple):
    domain: str
    target: str  # a file below src, or a function of the database with its arguments
    kind: str
    before: str  # the whole text
    after: str

    @property
    def changed(self) -> str:
        """The lines that differ, without where they stand: it names the mutant in the table of equivalents."""
        lines = difflib.unified_diff(self.before.splitlines(), self.after.splitlines(), n=0, lineterm="")
        return "\n".join(f"{line[0]} {line[1:].strip()}" for line in list(lines)[2:] if line[0] in "-+")

    @property
    def diff(self) -> str:
        lines = difflib.unified_diff(
            self.before.splitlines(), self.after.splitlines(), self.target, self.kind, n=2, lineterm=""
        )
        return "\n".join(lines)


class Edit(NamedTuple):
    """Characters of a text from `start` to `end` become `text`."""

    kind: str
    start: int
    end: int
    text: str


def apply(text: str, edit: Edit) -> str:
    return text[: edit.start] + edit.text + text[edit.end :]
