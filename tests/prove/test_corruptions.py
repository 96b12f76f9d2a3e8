"""Each sentence of `fullhouse prove` is said of a database that is broken so, and by no other check than those that
must.
"""

import ast
import re
from pathlib import Path
from typing import Any

import pytest

from fullhouse import prove
from tests.prove.corruptions import CORRUPTIONS, Corruption
from tests.prove.sample import Sample

pytestmark = pytest.mark.req("AUD-1", "PROVE-1")
FOLDER = Path(prove.__file__).parent


async def broken(owner: Any, sql: str, *names: str) -> dict[str, list[str]]:
    """What a proof finds after somebody did this, or these checks of it; which is then taken back."""
    undo = owner.transaction()
    await undo.start()
    try:
        await owner.execute("SET LOCAL session_replication_role = replica")
        await owner.execute(sql)
        await owner.execute("SET LOCAL session_replication_role = origin; SET LOCAL ROLE fullhouse_auditor")
        asked = [check for check in prove.CHECKS if not names or check.name in names]
        found = {check.name: await check.find(owner) for check in asked}
    finally:
        await undo.rollback()
    return {name: said for name, said in found.items() if said}


async def test_nothing_is_seen_where_nothing_is_broken(sample: Sample, owner: Any) -> None:
    assert await broken(owner, "SELECT") == {}


@pytest.mark.parametrize("corruption", CORRUPTIONS, ids=lambda c: c.says[:60])
async def test_it_is_seen(corruption: Corruption, sample: Sample, owner: Any) -> None:
    found = await broken(owner, corruption.sql)
    pattern = re.escape(corruption.says).replace("%s", ".*")
    assert any(re.fullmatch(pattern, said) for said in found.get(corruption.check, [])), found
    assert found.keys() == {corruption.check, *corruption.also}, found


def test_every_sentence_has_its_corruption() -> None:
    assert sentences() == {corruption.says for corruption in CORRUPTIONS}
    assert {corruption.check for corruption in CORRUPTIONS} == {check.name for check in prove.CHECKS}


def test_every_overlap_has_its_reason() -> None:
    """And no check speaks only beside another: each has a corruption that it alone sees."""
    names = {check.name for check in prove.CHECKS}
    for corruption in CORRUPTIONS:
        assert corruption.also.keys() <= names - {corruption.check}
        assert all(len(reason) > 20 for reason in corruption.also.values())
    assert {corruption.check for corruption in CORRUPTIONS if not corruption.also} == names


def sentences() -> set[str]:
    """What the statements and the modules beside them can say, with %s for what is put in. Each `format` of a statement
    is a sentence, and so is each list of f-strings that a function returns.
    """
    texts = "\n".join(path.read_text() for path in FOLDER.rglob("*.sql"))
    found = {said.replace("''", "'") for said in re.findall(r"\bformat\('((?:[^']|'')*)'", texts)}
    for name in ("catalogue", "parents"):
        for node in ast.walk(ast.parse((FOLDER / f"{name}.py").read_text())):
            match node:
                case ast.Return(value=ast.ListComp(elt=ast.JoinedStr() as said)):
                    found.add(pattern_of(said))
                case ast.Return(value=ast.List(elts=[ast.JoinedStr() as said])):
                    found.add(pattern_of(said))
    return found


def pattern_of(said: ast.JoinedStr) -> str:
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "%s" for part in said.values)
