"""All mutants of the sale, and a sample of them."""

import random
from itertools import zip_longest
from pathlib import Path

import asyncpg

from tests.mutation import python_mutants, sql_mutants
from tests.mutation.domains import DOMAINS
from tests.mutation.mutant import Mutant, apply

SOURCE = Path(__file__).parents[2] / "src"
DEFINITIONS = """
SELECT p.proname, p.oid::regprocedure::text AS target, pg_get_functiondef(p.oid) AS text
FROM pg_proc p WHERE p.pronamespace = 'app'::regnamespace AND p.proname = ANY ($1) ORDER BY 2
"""


def of_policies() -> list[Mutant]:
    found = []
    for name, domain in DOMAINS.items():
        for policy in domain.policies:
            target = f"fullhouse/{policy}"
            text = (SOURCE / target).read_text()
            edits = python_mutants.mutate(text)
            found += [Mutant(name, target, edit.kind, text, apply(text, edit)) for edit in edits]
    return [mutant for mutant in found if _compiles(mutant.after)]


def _compiles(text: str) -> bool:
    try:
        compile(text, "mutant", "exec")
    except SyntaxError:
        return False
    return True


async def of_functions(url: str) -> list[Mutant]:
    found = []
    connection = await asyncpg.connect(url)
    try:
        for name, domain in DOMAINS.items():
            rows = await connection.fetch(DEFINITIONS, list(domain.functions))
            if missing := set(domain.functions) - {row["proname"] for row in rows}:
                raise LookupError(f"no such functions: {', '.join(sorted(missing))}")
            for row in rows:
                edits = sql_mutants.mutate(row["text"])
                found += [Mutant(name, row["target"], e.kind, row["text"], apply(row["text"], e)) for e in edits]
    finally:
        await connection.close()
    return found


def shuffled(mutants: list[Mutant], seed: int) -> list[Mutant]:
    """In an order that is fair to every target: one of each in turn, so that a run may end anywhere."""
    dice = random.Random(seed)
    targets: dict[str, list[Mutant]] = {}
    for mutant in mutants:
        targets.setdefault(mutant.target, []).append(mutant)
    groups = list(targets.values())
    for group in groups:
        dice.shuffle(group)
    dice.shuffle(groups)
    return [mutant for turn in zip_longest(*groups) for mutant in turn if mutant is not None]
