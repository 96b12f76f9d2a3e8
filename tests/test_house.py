"""The rules of the house that a linter cannot know: the floor plan, and the doors between rooms."""

import ast
import re
from pathlib import Path

import pytest

from fullhouse.accounts import policy

SOURCE = Path(__file__).parents[1] / "src" / "fullhouse"
NOT_ROOMS = {"db", "kit", "web", "prove"}
ROOMS = sorted(p.name for p in SOURCE.iterdir() if (p / "__init__.py").exists() and p.name not in NOT_ROOMS)

# The files that a room may have. A second noun gets a file of its own, named for it: those are listed by room.
FLOOR_PLAN = {"__init__", "model", "policy", "store", "queries", "actions", "facts", "routes", "jobs", "words"}
SECOND_NOUNS = {
    "accounts": {"access", "passwords", "signing_in", "sign_in_routes", "platform_routes"}
    | {"audit_reads", "audit_routes"},
    "events": {"venue_actions", "venue_routes", "platform_routes", "cities", "keys", "views"}
    | {"public_reads", "public_model", "public_actions", "public_routes"}
    | {"image_model", "image_actions", "image_routes"}
    | {"calendar", "structured"}
    | {"live_reads", "event_reads", "edits", "states", "channels", "changes", "anomalies", "countries", "poster_art"}
    | {"sale_policy"},
    "seating": {"plan", "plan_checks", "reading", "chart", "geometry", "drawing", "differences"}
    | {"drafts", "generators", "formats", "beside", "config_plan", "config_document", "pretix_plan", "pretix_document"}
    | {"index", "orphans", "orphan_fixes", "splitting", "companions", "allocation", "explaining"}
    | {"relocation", "relocation_actions", "copy_actions"}
    | {"overlay_actions", "overlay_routes", "seat_actions", "policy_actions", "platform_routes"}
    | {"halls", "map_routes", "reads", "live", "stream_routes", "journal"},
    "scanning": {
        "live_model",
        "engine",
        "device_actions",
        "merge_actions",
        "fold_actions",
        "snapshot",
        "snapshot_actions",
    },
    "queue": {"entry_actions", "rooms", "standing", "draw", "line", "pace", "passes", "slips"},
    "tickets": {"pricing", "type_model", "type_actions", "promo_actions", "promo_reads", "type_routes", "live"}
    | {"signing", "key_actions", "papers", "wallet"},
    "messaging": {"catalogue", "consumers", "post"}
    | {"mail_model", "mail_render", "mail_samples", "mail_actions", "mail_routes"}
    | {"notice_store", "notice_actions", "receipt_actions", "handout_actions", "waiting_actions"}
    | {"turn_store", "turn_actions", "turn_jobs"}
    | {"webhook_model", "webhook_policy", "webhook_facts", "webhook_store", "webhook_actions"}
    | {"webhook_delivery_actions", "webhook_routes", "webhook_jobs"},
    "payments": {"play_money", "stripe_money", "provider_actions", "news_actions"}
    | {"ledger_model", "ledger_store", "ledger_actions", "ledger_reads", "ledger_routes"},
    "checkout": {"refund_model", "refund_policy", "refund_store", "refund_actions", "refund_routes", "refund_jobs"}
    | {"sheet_reads", "move_model", "move_store", "move_actions", "move_routes"}
    | {"entry_actions", "order_actions", "order_reads", "order_routes", "sell_actions", "settle_actions", "till"}
    | {"sales_model", "sales_store", "sales_routes", "guest_store", "guest_actions"}
    | {"report_model", "report_policy", "report_store", "report_reads", "report_routes"}
    | {"waitlist_model", "waitlist_store", "waitlist_reads", "waitlist_actions", "waitlist_routes", "waitlist_jobs"},
    "holds": {
        "sale_actions",
        "engine",
        "desk",
        "plain",
        "answers",
        "failures",
        "mirror",
        "mirror_checks",
        "layout_cache",
        "warm",
        "watch",
    }
    | {"measure_reads", "measure_routes", "guest_actions", "capacity_actions", "leaving_actions"}
    | {"companion_reads", "occupancy", "made_facts"},
}
# Readable before anybody is known; written only in the organisation's own transaction.
PUBLIC_TABLES = {"event_directory", "public_events", "public_ranks"}
WRITTEN = sorted(p for p in SOURCE.rglob("*.py") if not p.stem.endswith("queries"))  # the others are generated
DOORS = {"actions", "reads", "model", "facts"}
# What the hot path uses of seating without a detour: its pure parts, and the halls.
PURE = {"events.calendar", "events.policy", "events.words", "tickets.words"}
PURE |= {"tickets.pricing", "tickets.policy", "tickets.papers", "tickets.wallet", "tickets.signing"}
PURE |= {"seating.journal"}  # no input, and no output but the log
HOT = {"allocation", "orphans", "orphan_fixes", "live", "chart", "index", "halls", "policy"}


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_have_one_floor_plan(room: str) -> None:
    files = {p.stem for p in (SOURCE / room).glob("*.py") if not p.stem.endswith("queries")}
    assert files <= FLOOR_PLAN | SECOND_NOUNS.get(room, set())
    assert {p.name for p in (SOURCE / room).iterdir() if p.is_dir()} <= {"__pycache__", "templates"}


@pytest.mark.parametrize("room", ROOMS)
def test_a_rooms_init_is_its_docstring(room: str) -> None:
    tree = ast.parse((SOURCE / room / "__init__.py").read_text())
    assert ast.get_docstring(tree)
    assert len(tree.body) == 1


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_enter_each_other_by_their_doors(room: str) -> None:
    wrong = [
        f"{path.name} imports {module}"
        for path in (SOURCE / room).glob("*.py")
        for module in _imports(path)
        if (match := re.match(r"fullhouse\.(\w+)\.(\w+)", module))
        and match[1] in ROOMS
        and match[1] != room
        and match[2].rpartition("_")[2] not in DOORS
        and not (room == "holds" and match[1] == "seating" and match[2] in HOT)
        and match[0].removeprefix("fullhouse.") not in PURE
    ]
    assert not wrong


def test_kit_knows_no_room() -> None:
    wrong = [
        f"{path.relative_to(SOURCE)} imports {module}"
        for path in (SOURCE / "kit").rglob("*.py")
        for module in _imports(path)
        if module.startswith("fullhouse.") and not module.startswith("fullhouse.kit")
    ]
    assert not wrong


def test_policies_have_no_clock() -> None:
    for path in SOURCE.glob("*/*policy.py"):
        assert not re.search(r"\.now\(|utcnow|time\.time|monotonic", path.read_text()), path


def test_statements_read_the_one_clock() -> None:
    """`now()` in a room's SQL would go past the clock that tests can move."""
    for path in SOURCE.glob("*/*queries.sql"):
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
    assert readers <= {"api.py", "app.py", "cli.py", "serving.py", "worker.py", "kit/postgres/cluster.py"}


@pytest.mark.req("RBAC-1")
def test_every_action_of_the_table_is_used_by_a_route() -> None:
    named = set()
    for path in SOURCE.glob("*/*routes.py"):
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
