"""What the house says of a field has words in Afrikaans wherever one of the console's forms may show it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from fullhouse.kit.http import patterns

ROOT = Path(__file__).parents[2]
PRODUCT = ROOT / "src/fullhouse"
DOMAINS = ("events", "tickets", "seating", "checkout", "refunds", "relocations", "reports", "waitlist")
# What is wrong with a plan is said by many small functions: there, every sentence may be one.
PLANS = PRODUCT / "seating/plans"
OF_PLANS = {PLANS / name for name in ("checks.py", "decoding.py", "pretix/importer.py", "config/converter.py")}
# What no form of the console can meet: it is said to buyers, or to programs.
OF_OTHERS = frozenset(
    [
        "Enter a city or a venue_id.",
        "Enter a city or a venue_id, not both.",
        "This code is not valid for the event.",
        "These tickets are not of this order: 7.",
        "Enter the email address for the offer.",
        "This event has a layout: choose a zone instead.",
        "Ticket types with a promo code have no waitlist.",
        "This header is required.",
        "Between 1 and 255 characters.",
        "The hold is for 7; the quantities of its items add up to 7.",
        "One purchase has at most 7 tickets.",
        "One of 7.",
        "Choose at most 7 days by the 7.",
        "The document is not valid JSON.",  # a refusal as a whole, which has its own words
        "The document is nested too deeply.",
    ]
)
# What stands for a value in a sentence, where not any will do.
SAMPLES = {
    "kind": "percent",
    "whose": "this group",
    "drawing": "An area without a text",
    "'mistakes' if more > 1 else 'mistake'": "mistakes",
}
COUNTED = re.compile(r"_many\(.*, '([\w ]+)'\)")  # so many of something


def sentence(node: ast.AST) -> str | None:
    """A text as it may be said; None for what is no text."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = (
            sample(ast.unparse(part.value)) if isinstance(part, ast.FormattedValue) else sentence(part)
            for part in node.values
        )
        return "".join(part or "" for part in parts)
    return None


def sample(value: str) -> str:
    return f"7 {counted[1]}s" if (counted := COUNTED.fullmatch(value)) else SAMPLES.get(value, "7")


def said_in(tree: ast.AST) -> Iterator[str]:
    """What is said of fields. Where it is not said on the spot, every sentence of the function may be it."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        calls = [
            node
            for node in ast.walk(function)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "FieldError"
        ]
        told = [sentence(call.args[1]) for call in calls]
        yield from (text for text in told if text is not None)
        if None in told:
            about = ast.get_docstring(function, clean=False)
            texts = {sentence(node) for node in ast.walk(function)} - {about}
            yield from (text for text in texts if text and re.fullmatch(r"[A-Z\d].* .*\.", text))


def every_sentence(tree: ast.AST) -> Iterator[str]:
    """Texts that read like sentences, without those that explain the code."""
    documented = (node for node in ast.walk(tree) if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef))
    about = {ast.get_docstring(node, clean=False) for node in documented}
    texts = {sentence(node) for node in ast.walk(tree)} - about
    yield from (text for text in texts if text and re.fullmatch(r"[A-Z\d“…].* .*\.", text))


def of_domains() -> set[str]:
    files = [file for domain in DOMAINS for file in (PRODUCT / domain).rglob("*.py")]
    trees = [(file in OF_PLANS, ast.parse(file.read_text())) for file in files]
    return {text for is_plan, tree in trees for text in (every_sentence if is_plan else said_in)(tree)}


def forms() -> list[re.Pattern[str]]:
    """The forms that have words of their own: without the last, which is for all others."""
    text = (ROOT / "frontend/src/console/words/af/problems.ts").read_text().partition("mistakes: ")[2]
    *known, _ = re.findall(r"^  \[/(.*)/s?, ['’]", text, re.MULTILINE)
    return [re.compile(form) for form in known]


def test_staff_have_words_for_what_is_wrong_with_a_field() -> None:
    found, known = of_domains(), forms()
    assert {"In the future.", "Not after the start.", "At least one zone must stay enabled."} <= found
    assert {"A row needs at least one seat.", "There is no price category “7”.", "… and 7 more mistakes."} <= found
    assert len(found) > 100
    without = {text for text in found if not any(form.search(text) for form in known)}
    assert without == OF_OTHERS


def test_staff_have_words_for_how_a_text_must_look() -> None:
    known = forms()
    texts = {*patterns.MESSAGES.values(), patterns.DEFAULT_MESSAGE}
    assert {text for text in texts if not any(form.search(text) for form in known)} == set()
