"""Whatever is written into the audit has words in the console, in both languages. The export has the codes."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from fullhouse.events.sale.states import Move
from fullhouse.waiting_room import facts as queue_facts

ROOT = Path(__file__).parents[2]
HOUSE = ROOT / "src/fullhouse"
WRITERS = {"audit.write", "audit_difference"}
# Where an action is put together, what it is put together from. A new place is put here, or the test fails.
MADE_OF_MANY = {
    ("kit/db/partial_updates.py", "action"): [],  # those of its callers
    ("events/actions.py", "f'event.{move}'"): [f"event.{move}" for move in Move],
    ("events/platform_routes.py", "f'event.{move}_refused'"): ["event.cancel_refused", "event.postpone_refused"],
    ("waiting_room/actions.py", "name"): [fact.name for fact in queue_facts.QueueFact.__subclasses__() if fact.name],
    ("seating/actions.py", "f'layout.{status}'"): ["layout.active", "layout.archived"],
    ("checkout/actions.py", "f'checkout.{status}'"): ["checkout.left", "checkout.expired", "checkout.cancelled"],
    ("relocations/actions.py", "f'ticket.move_{outcome}'"): ["ticket.move_accepted", "ticket.move_refunded"],
    ("payments/actions.py", "f'payment.{wrong}'"): ["payment.wrong_amount", "payment.wrong_currency"],
    ("payments/actions.py", "f'refund.{action}'"): ["refund.requested", "refund.found"],
    ("tickets/actions.py", "f'ticket.{status}'"): ["ticket.cancelled", "ticket.refunded"],
    ("broker/actions.py", "action"): ["participation.confirmed", "participation.canceled"],
    ("accounts/actions.py", "f'organization.{status}'"): ["organization.active", "organization.suspended"],
}
MADE_BY_STATEMENTS = {
    "hold.": ["hold.cancelled", "hold.expired", "seat_hold_expired"],
    "waitlist.": ["waitlist.offered", "waitlist.taken", "waitlist.lapsed", "waitlist.left", "waitlist.withdrawn"],
}
# An action stands before what it is about: 'ticket.issued', 'ticket', …
IN_STATEMENTS = re.compile(r"'([a-z_]+\.[a-z_]*|seat_reserve[a-z_]*)'(?: \|\| \w+)?(?: END)?,\s*'[a-z_]+',")


def written_by_code() -> Iterator[str]:
    made = dict(MADE_OF_MANY)
    for file in sorted(HOUSE.rglob("*.py")):
        name = file.relative_to(HOUSE).as_posix()
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in WRITERS:
                said = node.args[1]
                for one in (said.body, said.orelse) if isinstance(said, ast.IfExp) else (said,):
                    if isinstance(one, ast.Constant):
                        yield str(one.value)
                    else:
                        yield from MADE_OF_MANY[name, ast.unparse(one)]
                        made.pop((name, ast.unparse(one)), None)
    assert not made, "no longer there"


def written_by_statements() -> Iterator[str]:
    for file in sorted(HOUSE.rglob("*.sql")):
        for story in file.read_text().split("INSERT INTO audit_log")[1:]:
            for action in IN_STATEMENTS.findall(story.partition("INSERT INTO")[0]):
                yield from MADE_BY_STATEMENTS[action] if action.endswith(".") else [action]


def every_action() -> set[str]:
    return {*written_by_code(), *written_by_statements()}


def said_in(language: str) -> set[str]:
    text = (ROOT / f"frontend/src/console/words/{language}audit.ts").read_text()
    return set(re.findall(r"'([a-z_.]+)': '", text.partition("  actions: {")[2].partition("\n  },")[0]))


def helpers_of_the_house() -> set[str]:
    """By what name the house itself does something."""
    code = "".join(file.read_text() for file in HOUSE.rglob("*.py"))
    statements = "".join(file.read_text() for file in HOUSE.rglob("*.sql"))
    return {
        *re.findall(r'type="system", name="([a-z ]+)"', code),
        *re.findall(r"'system', (?:NULL, )?'([a-z ]+)'", statements),
    }


@pytest.mark.parametrize("language", ["", "af/"])
def test_every_helper_of_the_house_has_words(language: str) -> None:
    text = (ROOT / f"frontend/src/console/words/{language}audit.ts").read_text()
    _, _, table = text.partition("  services: {")
    said = {name.strip("'") for name in re.findall(r"('[a-z ]+'|\w+): '", table.partition("\n  }")[0])}
    assert said == helpers_of_the_house()
    assert len(said) > 8


def test_the_house_writes_what_is_looked_for_here() -> None:
    found = every_action()
    assert {"event.publish", "seat_reserved", "seat_reserve_failed", "hold.expired", "seats.unblocked"} <= found
    assert len(found) > 110


@pytest.mark.parametrize("language", ["", "af/"])
def test_every_action_of_the_audit_has_words(language: str) -> None:
    assert said_in(language) == every_action()
