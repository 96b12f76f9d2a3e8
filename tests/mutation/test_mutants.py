"""The mutation runs' own parts: which faults are found in a text, and what makes a sample."""

import ast
from pathlib import Path

import pytest

import fullhouse.payments
from tests.mutation import domains, python_mutants, sql_mutants
from tests.mutation.catalogue import of_functions, of_policies, shuffled
from tests.mutation.equivalents import EQUIVALENT
from tests.mutation.judge import Faulty
from tests.mutation.mutant import Mutant, apply


def of_python(source: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for edit in python_mutants.mutate(source):
        mutant = apply(source, edit)
        ast.parse(mutant)
        found.setdefault(edit.kind, set()).add(mutant)
    return found


def of_sql(body: str, kind: str) -> set[str]:
    head = "CREATE OR REPLACE FUNCTION app.f(n integer DEFAULT 7)\n LANGUAGE plpgsql\nAS $function$"
    text = f"{head}{body}$function$"
    return {
        apply(text, e).removeprefix(head).removesuffix("$function$") for e in sql_mutants.mutate(text) if e.kind == kind
    }


def test_faults_of_expressions() -> None:
    assert of_python("a = (x) <= (y)") == {"comparison": {"a = (x) < (y)"}}
    assert of_python("a = x not in y") == {"comparison": {"a = x in y"}}
    assert of_python("a = x and not y") == {
        "logic": {"a = x or not y"},
        "condition": {"a = True and not y", "a = x and True"},
        "negation": {"a = x and (y)"},
    }
    assert of_python("a = min(x, 60 * y)") == {
        "neighbour": {"a = max(x, 60 * y)"},
        "constant": {"a = min(x, 61 * y)"},
        "arithmetic": {"a = min(x, 60 // y)"},
    }
    assert of_python("if “x”:\n    raise X()".replace("“x”", "é")) == {
        "negation": {"if (not (é)):\n    raise X()"},
        "refusal": {"if é:\n    pass"},
    }


def test_faults_of_tables() -> None:
    assert of_python("T = {'a': p, 'b': q}")["row"] == {
        "T = { 'b': q}",
        "T = {'a': p, }",
        "T = {'a': q, 'b': q}",
        "T = {'a': p, 'b': p}",
    }
    assert of_python("T = f('a', *(x, y, z))")["row"] == {
        "T = f('a', *( y, z))",
        "T = f('a', *(x,  z))",
        "T = f('a', *(x, y, ))",
    }


def test_annotations_and_texts_are_left_alone() -> None:
    assert of_python('def f(a: int | None, b: Literal[1]) -> dict[str, 2]:\n    """1 < 2"""\n') == {}
    assert of_python("Order = Literal['a', 'b', 'c']") == {}


def test_faults_of_a_functions_words() -> None:
    assert of_sql("a >= b -- c < d\n", "comparison") == {"a > b -- c < d\n"}
    assert of_sql("x => '1 < 2'", "comparison") == set()
    assert of_sql("t + interval '30 minutes' * 2", "constant") == {
        "t + interval '31 minutes' * 2",
        "t + interval '30 minutes' * 3",
    }
    assert of_sql("a IS NULL", "negation") == {"a IS NOT NULL"}
    assert of_sql("a IS NOT NULL", "negation") == {"a IS NULL"}
    assert of_sql("NOT EXISTS (x)", "negation") == {"EXISTS (x)"}
    assert of_sql("SELECT 1 FROM t FOR NO KEY UPDATE OF t SKIP LOCKED;", "lock") == {"SELECT 1 FROM t ;"}


def test_deadlines_are_moved_by_a_minute() -> None:
    assert of_sql("until <= app.clock() AND x", "deadline") == {
        "until <= app.clock() + interval '1 minute' AND x",
        "until <= app.clock() - interval '1 minute' AND x",
    }
    assert of_sql("app.clock() > until", "deadline") == {
        "app.clock() + interval '1 minute' > until",
        "app.clock() - interval '1 minute' > until",
    }
    assert len(of_sql("clock < until", "deadline")) == 2
    assert of_sql("clock = until", "deadline") == set()


def test_faults_of_conditions() -> None:
    assert of_sql("WHERE a = f(b, c) AND d ORDER BY e", "condition") == {
        "WHERE a = f(b, c)  ORDER BY e",
        "WHERE  d ORDER BY e",
    }
    assert of_sql("WHERE a BETWEEN b AND c AND d;", "logic") == {"WHERE a BETWEEN b AND c OR d;"}
    assert of_sql("WHERE t.organization_id = org AND a", "condition") == {"WHERE t.organization_id = org "}
    assert of_sql("(x AND CASE WHEN a THEN b END)", "condition") == {"(x )"}
    assert of_sql("x AND a IS NOT DISTINCT FROM b GROUP BY c", "condition") == {"x  GROUP BY c"}


def test_the_setting_of_the_tenant_is_left_to_the_tests_of_isolation() -> None:
    assert of_sql("PERFORM set_config('app.org', org::text, true);", "constant") == set()
    assert of_sql("PERFORM f('app.org', org::text, true);", "constant") == {"PERFORM f('app.org', org::text, false);"}


def test_faults_of_branches_and_refusals() -> None:
    assert of_sql("IF a > b THEN c; END IF;", "branch") == {"IF false THEN c; END IF;"}
    assert of_sql("CASE WHEN a > b THEN 'no' END", "branch") == {"CASE WHEN false THEN 'no' END"}
    assert of_sql("CASE a WHEN 'b' THEN 'no' END", "branch") == set()
    assert of_sql("RAISE EXCEPTION 'no' USING ERRCODE = 'P0001';", "refusal") == {"NULL;"}


def test_the_head_of_a_function_stays() -> None:
    assert of_sql("SELECT 1", "constant") == {"SELECT 2"}


@pytest.mark.parametrize("seed", [1, 2])
def test_a_sample_is_the_same_by_its_seed_and_takes_every_target_in_turn(seed: int) -> None:
    mutants = of_policies()
    drawn = shuffled(mutants, seed)
    targets = {mutant.target for mutant in mutants}
    assert drawn == shuffled(mutants, seed) != shuffled(mutants, seed + 1)
    assert sorted(drawn) == sorted(mutants)
    assert {mutant.target for mutant in drawn[: len(targets)]} == targets


def test_a_mutant_is_named_by_its_lines() -> None:
    mutant = Mutant("d", "t", "k", "a\n  b < c\nd", "a\n  b <= c\nd")
    assert mutant.changed == "- b < c\n+ b <= c"


def test_a_module_is_found_with_its_fault() -> None:
    name = "fullhouse.payments.policy"
    spec = Faulty(name, "PAUSE_MAX_S = 7").find_spec(name, fullhouse.payments.__path__)
    assert spec is not None
    assert spec.loader is not None
    assert Faulty(name, "").find_spec("fullhouse.payments.model", None) is None


def test_every_policy_of_the_sale_is_judged_by_its_own_tests() -> None:
    for domain in domains.DOMAINS.values():
        for path in (*domain.tests, *domain.races, *domain.slow):
            assert Path(path).exists(), path


def test_equivalents_of_files_are_still_mutants() -> None:
    """A line that changed is looked at again."""
    known = {(mutant.target, mutant.changed) for mutant in of_policies()}
    assert {key for key in EQUIVALENT if key[0].endswith(".py")} <= known
    assert all(len(reason) > 20 for reason in EQUIVALENT.values())


async def test_equivalents_of_functions_are_still_mutants(owner_url: str) -> None:
    known = {(mutant.target, mutant.changed) for mutant in await of_functions(owner_url)}
    assert {key for key in EQUIVALENT if not key[0].endswith(".py")} <= known


def test_every_function_is_judged_or_decides_nothing() -> None:
    functions = Path(fullhouse.payments.__file__).parents[1] / "db" / "functions"
    written = {path.stem for path in functions.glob("*/*.sql")}
    judged = [name for domain in domains.DOMAINS.values() for name in domain.functions]
    assert len(judged) == len(set(judged))
    assert written == {*judged, *domains.NO_DECISION}
    assert not {*judged} & {*domains.NO_DECISION}


def test_every_policy_is_judged_or_is_not_of_the_sale() -> None:
    source = Path(fullhouse.payments.__file__).parents[1]
    written = {str(path.relative_to(source)) for path in source.rglob("*policy.py")}
    judged = [policy for domain in domains.DOMAINS.values() for policy in domain.policies]
    assert len(judged) == len(set(judged))
    assert written == {*(path for path in judged if path.endswith("policy.py")), *domains.OTHER_POLICIES}
