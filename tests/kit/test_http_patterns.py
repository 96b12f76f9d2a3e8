"""Nobody is shown a regular expression: what a field must look like is said in words."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import fullhouse
from fullhouse.kit.http import patterns
from fullhouse.kit.http.decode import parse_complaint

SOURCES = Path(fullhouse.__file__).parent


def used() -> Iterator[tuple[str, str]]:
    """Every pattern that a body or a parameter is held to, and where."""
    for file in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.keyword) and node.arg == "pattern" and isinstance(node.value, ast.Constant):
                yield str(node.value.value), f"{file.relative_to(SOURCES)}:{node.value.lineno}"


def test_every_pattern_is_said_in_words() -> None:
    found = dict(used())
    assert len(found) > 10
    assert {place: pattern for pattern, place in found.items() if patterns.find_message(pattern) is None} == {}


@pytest.mark.parametrize(
    ("complaint", "path", "said"),
    [
        (r"Expected `str` matching regex '\\S' - at `$.name`", "name", "Enter some text; spaces alone are not enough."),
        (r"Expected `str` matching regex '^[A-Z]{3}$(?!\\n)' - at `$.c`", "c", "Three capital letters, such as EUR."),
        (r"Expected `str` matching regex 'x+' - at `$.other`", "other", patterns.DEFAULT_MESSAGE),
        ("Expected `int`, got `str` - at `$.n`", "n", "Expected a whole number, got a text."),
    ],
)  # fmt: skip
def test_what_a_decoder_complains_of_is_a_sentence(complaint: str, path: str, said: str) -> None:
    error = parse_complaint(complaint)
    assert (error.path, error.message) == (path, said)
