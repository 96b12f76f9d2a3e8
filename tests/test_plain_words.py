"""What people read is said in the field's words: pages, emails, the command line, the API reference, the documents.

`DIALECT` has words that the code base once used for things which have a name of their own. Log events are dotted keys,
and docs/operations.md lists all of them.
"""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "fullhouse"
DIALECT = {
    "house, for an organisation or an installation": r"\b(?:the|another|this|your|our|whole|each|every|of) houses?\b",
    "show, for an event": r"\b(?:the|a|an|this|your|of|each|every|any|no|another|new|one|all|which|whose|their|its"
    r"|upcoming|past) show\b(?! how\b)|\b(?:the|these|your|all|other|no|some|upcoming|past) shows\b",
    "letter, for an email": r"\b(?:[Tt]he|[Yy]our|[Aa]ll|[Nn]o) letters?\b(?! (?:and|or|code))",
    "line, for a queue": r"\b(?:join|leave) the line\b|\b(?:places?|people) in (?:the )?line\b",
    "give back, for remove or release": r"\b(?:give|gives|gave|given|giving) (?:\w+ ){0,2}back\b",
    "pass on, for transfer": r"\b[Pp]ass(?:ed)? (?:it|them|this|tickets?) on\b",
    "waiting list, for waitlist": r"\b[Ww]aiting lists?\b",
    "E-mail": r"\b[Ee]-mails?\b",
    "place, for seat, ticket or spot": r"\{?\b(?:n|\d+)\}? places\b|\bplaces? (?:are|is) (?:free|left|sold)\b"
    r"|wheelchair place",
    "mend": r"\bmend(?:s|ed|ing)?\b",
    "whoever": r"\b[Ww]hoever\b",
    "verbs and rooms, for actions and domains": r"\bverbs of\b|\broom's own\b|\bits own room\b",
    "consequence and reaction, for handlers": r"\bconsequences in place\b|\breactions?\b",
    "edge and desk, for middleware and sale context": r"\bthe (?:edge|desk|till|postman)\b",
}
LISTS = ("CHANGELOG.md", "GLOSSARY.md")  # of what was called otherwise, and is by others
KEY = re.compile(r"[a-z]\w*(?:\.[a-z]\w*)+")
LOG_METHODS = {"debug", "info", "warning", "error", "exception", "critical"}


def _of_catalogue(path: Path) -> Iterator[str]:
    for plain, template in re.findall(r"'((?:[^'\\\n]|\\.)*)'(?!:)|`((?:[^`\\]|\\.)*)`", path.read_text()):
        if " " in (text := plain or template):
            yield text


def _of_module(path: Path) -> Iterator[str]:
    """String constants with a space, docstrings excepted."""
    tree = ast.parse(path.read_text())
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    firsts = (node.body[0] for node in ast.walk(tree) if isinstance(node, documented) and node.body)
    docs = {id(first.value) for first in firsts if isinstance(first, ast.Expr)}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and " " in node.value
            and id(node) not in docs
        ):
            yield node.value


def _of_template(path: Path) -> Iterator[str]:
    yield re.sub(r"\{%.*?%\}|\{#.*?#\}|<[^>]*>", " ", path.read_text(), flags=re.DOTALL)


def _of_document(path: Path) -> Iterator[str]:
    """The prose of a document: without code and addresses."""
    text = re.sub(r"```.*?```|`[^`]*`|\]\([^)]*\)", " ", path.read_text(), flags=re.DOTALL)
    yield from text.split("\n\n")


def _of_contract(path: Path) -> Iterator[str]:
    def walk(value: object) -> Iterator[str]:
        if isinstance(value, dict):
            for key, inner in value.items():
                if key in ("summary", "description", "title") and isinstance(inner, str):
                    yield inner
                else:
                    yield from walk(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from walk(inner)

    yield from walk(json.loads(path.read_text()))


def _is_english(path: Path) -> bool:
    return not re.search(r"/af/|/af\.|\.af\.|\.test\.|/spoken\.|/index\.", path.as_posix())


READ = {
    **{p: _of_catalogue for p in (ROOT / "frontend/src").glob("**/words/**/*.ts") if _is_english(p)},
    **dict.fromkeys([SOURCE / "web/words/en.py", *(SOURCE / "cli").glob("*.py")], _of_module),
    **dict.fromkeys(SOURCE.rglob("model.py"), _of_module),
    **{p: _of_template for p in SOURCE.rglob("templates/*") if p.suffix in (".html", ".txt")},
    **{p: _of_document for p in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")) if p.name not in LISTS},
    ROOT / "frontend/openapi.json": _of_contract,
}


@pytest.mark.parametrize("path", sorted(READ), ids=lambda p: p.relative_to(ROOT).as_posix())
def test_what_people_read_has_no_dialect(path: Path) -> None:
    found = [
        (word, text[max(0, match.start() - 40) : match.end() + 40])
        for text in READ[path](path)
        for word, pattern in DIALECT.items()
        if (match := re.search(pattern, text))
    ]
    assert found == []


@pytest.mark.parametrize("word", DIALECT)
def test_the_patterns_find_what_they_are_for(word: str) -> None:
    samples = "the house, your shows: the show. The letter for people in the line: give it back, pass it on."
    samples += " E-mail the waiting list."
    samples += " 5 places, mended by whoever; verbs of holds, its own room, reactions, the edge."
    assert re.search(DIALECT[word], samples)


def _log_keys() -> dict[str, set[str]]:
    """First arguments of log calls, by module; and those that are no constant, as source."""
    found: dict[str, set[str]] = {}
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = ast.unparse(node.func)
            method = name.rpartition(".")[2]
            first = node.args[-1] if method == "one_by_one" else node.args[1 if method == "warn_once" else 0]
            is_log = method in LOG_METHODS and name.rpartition(".")[0].rpartition(".")[2] in ("log", "_log")
            if is_log or method in ("warn_once", "one_by_one"):
                keys = [n.value for n in ast.walk(first) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
                for key in keys or [ast.unparse(first)]:
                    found.setdefault(key, set()).add(path.name)
    return found


def test_log_events_are_dotted_keys_that_the_documentation_lists() -> None:
    keys = _log_keys()
    documented = set(re.findall(r"`([a-z]\w*(?:\.[a-z]\w*)+)`", (ROOT / "docs/operations.md").read_text()))
    assert len(keys) > 50
    # `one_by_one` and `warn_once` log the key that they are called with.
    assert {key: where for key, where in keys.items() if not KEY.fullmatch(key)} == {"event": {"loops.py"}}
    assert {key: where for key, where in keys.items() if KEY.fullmatch(key) and key not in documented} == {}
