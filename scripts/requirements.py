"""Keeps docs/requirements.md true: which tests prove which requirement.

    python scripts/requirements.py           says what is out of date, and exits 1 if anything is
    python scripts/requirements.py --write   fills in the columns `tests` and `state`

A test names what it proves by `@pytest.mark.req("HOLD-3", "HOLD-5")`, on itself, its class or its module.
"""

import ast
import difflib
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
LEDGER = ROOT / "docs" / "requirements.md"
ROW = re.compile(r"\| (?P<id>[A-Z]+-\d+) \| (?P<what>[^|]*) \| [^|]* \| [^|]* \|")

Proofs = Mapping[str, Counter[str]]  # id -> test file -> how many of its tests name the id


def main(arguments: list[str]) -> int:
    proofs = collect(sorted((ROOT / "tests").rglob("test_*.py")))
    before = LEDGER.read_text()
    if strangers := unknown(before, proofs):
        print("\n".join(strangers))
        return 1
    after = filled_in(before, proofs)
    if "--write" in arguments:
        LEDGER.write_text(after)
    elif after != before:
        print("\n".join(changed(before, after)))
        print("docs/requirements.md is out of date: run `make requirements`.")
        return 1
    return 0


def collect(files: Iterable[Path]) -> Proofs:
    proofs: dict[str, Counter[str]] = {}
    for file in files:
        name = file.relative_to(ROOT).as_posix()
        for requirement in named(ast.parse(file.read_text(), name)):
            proofs.setdefault(requirement, Counter())[name] += 1
    return proofs


def named(node: ast.Module | ast.ClassDef, outer: frozenset[str] = frozenset()) -> Iterator[str]:
    """Each id once for every test that names it, by itself or through its class or module."""
    marks = outer | frozenset(ids(_pytestmark(node)))
    for child in node.body:
        match child:
            case ast.ClassDef():
                yield from named(child, marks | frozenset(ids(child.decorator_list)))
            case ast.FunctionDef() | ast.AsyncFunctionDef() if child.name.startswith("test"):
                yield from sorted(marks | frozenset(ids(child.decorator_list)))


def ids(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The arguments of every `pytest.mark.req(...)` in these pieces of code."""
    for call in (inner for node in nodes for inner in ast.walk(node) if isinstance(inner, ast.Call)):
        if ast.unparse(call.func) == "pytest.mark.req":
            for argument in call.args:
                yield str(ast.literal_eval(argument))


def _pytestmark(node: ast.Module | ast.ClassDef) -> list[ast.stmt]:
    return [
        child
        for child in node.body
        if isinstance(child, ast.Assign) and "pytestmark" in map(ast.unparse, child.targets)
    ]


def unknown(ledger: str, proofs: Proofs) -> list[str]:
    known = {row["id"] for row in map(ROW.fullmatch, ledger.splitlines()) if row}
    return [
        f"{file} names {requirement}, which docs/requirements.md does not know."
        for requirement in sorted(proofs.keys() - known)
        for file in proofs[requirement]
    ]


def filled_in(ledger: str, proofs: Proofs) -> str:
    return "".join(_fill(line, proofs) for line in ledger.splitlines(keepends=True))


def _fill(line: str, proofs: Proofs) -> str:
    row = ROW.fullmatch(line.rstrip("\n"))
    if not row:
        return line
    tests = proofs.get(row["id"], Counter())
    files = ", ".join(f"`{file}` ({count})" for file, count in sorted(tests.items())) or "–"
    return f"| {row['id']} | {row['what']} | {files} | {'proven' if tests else 'open'} |\n"


def changed(before: str, after: str) -> list[str]:
    """The lines that differ, old with `-` and new with `+`."""
    difference = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
    return [line for line in difference if re.match(r"[-+]\|", line)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
