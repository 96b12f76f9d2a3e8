"""The rules of the house that a linter cannot know: the floor plan, and the doors between rooms."""

import ast
import re
from pathlib import Path

import pytest

from fullhouse.accounts import policy

SOURCE = Path(__file__).parents[1] / "src" / "fullhouse"
NOT_DOMAINS = {"cli", "db", "demo", "kit", "processes", "prove", "web"}
DOMAINS = sorted(p.name for p in SOURCE.iterdir() if (p / "__init__.py").exists() and p.name not in NOT_DOMAINS)
FOLDERS = sorted(p.parent for p in SOURCE.rglob("__init__.py") if p.parent != SOURCE)
# The files that every domain has under the same names. A second noun gets a file, and with a second file its folder.
FLOOR_PLAN = {"model", "policy", "store", "queries", "actions", "reads", "facts", "routes", "jobs", "words"}
FILES_MAX = 15
WITH_CODE = {"prove", "postgres", "words"}  # in their __init__.py
ENTRIES = {"cli/main.py", *(f"processes/{name}.py" for name in ("api", "app", "serve", "worker"))}
LARGER = {"holds": 18, "kit/http": 27}  # than they should be, and not to grow
# Readable before anybody is known; written only in the organisation's own transaction.
PUBLIC_TABLES = {"event_directory", "public_events", "public_ranks"}
WRITTEN = sorted(p for p in SOURCE.rglob("*.py") if not p.stem.endswith("queries"))  # the others are generated
DOORS = {"actions", "reads", "model", "facts"}
# What follows from a sale shares its statements and its refusals; webhooks and the broker list the same messages.
CLOSE = {("refunds", "checkout"), ("relocations", "checkout"), ("waitlist", "checkout"), ("mail", "checkout")}
CLOSE |= {("webhooks", "broker")}
# What the hot path uses of seating without a detour: its pure parts, and the halls.
PURE = {"events.public.calendar", "events.policy", "events.words", "tickets.words"}
PURE |= {"tickets.pricing", "tickets.policy", "tickets.documents", "tickets.wallet", "tickets.signing"}
PURE |= {"seating.journal"}  # no input, and no output but the log
PURE |= {"seating.plans.chart", "seating.plans.config.converter"}
HOT = {"orphans", "orphan_fixes", "best_available", "live", "index", "seat_states", "policy"}


def _modules(folder: Path) -> list[str]:
    """Without what is generated."""
    return [p.stem for p in folder.glob("*.py") if p.stem != "__init__" and not p.stem.endswith("queries")]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda p: str(p.relative_to(SOURCE)))
def test_a_folder_has_few_files(folder: Path) -> None:
    assert len(_modules(folder)) <= LARGER.get(str(folder.relative_to(SOURCE)), FILES_MAX)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda p: str(p.relative_to(SOURCE)))
def test_no_prefix_stands_for_a_folder(folder: Path) -> None:
    firsts = [name.partition("_")[0] for name in _modules(folder) if name not in FLOOR_PLAN]
    nouns = {p.name for p in folder.iterdir() if p.is_dir()}
    assert [first for first in set(firsts) if firsts.count(first) > 1 or first in nouns] == []


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda p: str(p.relative_to(SOURCE)))
def test_a_package_says_what_it_is_for(folder: Path) -> None:
    tree = ast.parse((folder / "__init__.py").read_text())
    assert ast.get_docstring(tree)
    assert len(tree.body) == 1 or folder.name in WITH_CODE


@pytest.mark.parametrize("domain", DOMAINS)
def test_domains_enter_each_other_by_their_doors(domain: str) -> None:
    wrong = [
        f"{path.name} imports {module}"
        for path in (SOURCE / domain).rglob("*.py")
        for module in _imports(path)
        if (match := re.match(r"fullhouse\.(\w+)\.([\w.]+)", module))
        and match[1] in DOMAINS
        and match[1] != domain
        and not any(part.rpartition("_")[2] in DOORS for part in match[2].split("."))
        and not (domain == "holds" and match[1] == "seating" and HOT & set(match[2].split(".")))
        and (domain, match[1]) not in CLOSE
        and not any(module.removeprefix("fullhouse.").startswith(pure) for pure in PURE)
    ]
    assert not wrong


def test_modules_do_not_import_each_other() -> None:
    """No cycle: what a module needs is there before it."""
    modules = {
        ".".join(("fullhouse", *p.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__"): p
        for p in SOURCE.rglob("*.py")
    }
    needs = {
        name: {each if each in modules else each.rpartition(".")[0] for each in _imports(path)} & modules.keys()
        for name, path in modules.items()
    }
    left = {name: wanted - {name} for name, wanted in needs.items()}
    while free := {name for name, wanted in left.items() if not wanted & left.keys()}:
        left = {name: wanted for name, wanted in left.items() if name not in free}
    assert left == {}


def test_kit_knows_no_room() -> None:
    wrong = [
        f"{path.relative_to(SOURCE)} imports {module}"
        for path in (SOURCE / "kit").rglob("*.py")
        for module in _imports(path)
        if module.startswith("fullhouse.") and not module.startswith("fullhouse.kit")
    ]
    assert not wrong


def test_policies_have_no_clock() -> None:
    for path in SOURCE.rglob("*policy.py"):
        assert not re.search(r"\.now\(|utcnow|time\.time|monotonic", path.read_text()), path


def test_statements_read_the_one_clock() -> None:
    """`now()` in a room's SQL would go past the clock that tests can move."""
    for path in SOURCE.rglob("*queries.sql"):
        assert not re.search(r"\bnow\(\)|current_timestamp", path.read_text(), re.IGNORECASE), path


def test_tenant_tables_are_protected_in_the_file_that_makes_them() -> None:
    for path in [*(SOURCE / "db/baseline").glob("*.sql"), *(SOURCE / "db/migrations").glob("*.sql")]:
        text = path.read_text()
        for table, body in re.findall(r"CREATE TABLE (\w+) \((.*?)\n\)", text, re.DOTALL):
            if re.search(r"^\s+organization_id\b", body, re.MULTILINE) and table not in PUBLIC_TABLES:
                assert f"CALL app.protect('{table}'" in text, f"{path.name}: {table}"


def test_only_entry_points_read_the_environment() -> None:
    readers = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if re.search(r"os\.environ|os\.getenv|getenv\(", path.read_text())
    }
    # The launcher asks for XDG_DATA_HOME where the data goes by default.
    assert readers <= ENTRIES | {"kit/postgres/cluster.py"}


@pytest.mark.req("RBAC-1")
def test_every_action_of_the_table_is_used_by_a_route() -> None:
    named = set()
    for path in SOURCE.rglob("*routes.py"):
        named |= set(re.findall(r'@(?:get|post|put|patch|delete)\("[^"]+", "([\w.]+)"', path.read_text()))
        named |= set(re.findall(r'\((?:get|post|put|patch|delete), \w+, "([\w.]+)"', path.read_text()))  # of a table
    assert named == policy.ACTIONS


@pytest.mark.parametrize("path", WRITTEN, ids=lambda p: str(p.relative_to(SOURCE)))
def test_a_file_is_one_thought(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 400


def _imports(path: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found
