"""Faults in the text of a database's function, found by its words."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from tests.mutation.mutant import Edit

_TOKEN = re.compile(
    r"(?P<comment>--[^\n]*|/\*.*?\*/)|(?P<text>'(?:[^']|'')*')|(?P<name>\"[^\"]+\"|\$\w*\$)|(?P<number>\d+(?:\.\d+)?)"
    r"|(?P<word>[A-Za-z_]\w*)|(?P<operator><=|>=|<>|!=|=>|:=|::|->>|->|\|\||@>|<@|&&|[-+*/%<>=])|(?P<mark>[(),;.\[\]])",
    re.DOTALL,
)
SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "=": "<>", "<>": "=", "!=": "=", "+": "-", "-": "+"}
ORDERS = frozenset(("<", "<=", ">", ">="))
WORDS = {
    "AND": "OR",
    "OR": "AND",
    "TRUE": "false",
    "FALSE": "true",
    "LEAST": "greatest",
    "GREATEST": "least",
}
# A condition ends where one of these follows at the same depth.
_ENDS = {
    *("AND", "OR", "THEN", "GROUP", "ORDER", "LIMIT", "FOR", "RETURNING", "UNION", "WHEN", "ELSE", "END", "ON", "JOIN"),
    *("LEFT", "CROSS", "WINDOW", "HAVING", "WHERE", "LOOP", "FROM", "SELECT", "INTO", "SET", "USING", "EXCEPT"),
    *("OFFSET", "AS", "INNER", "DO"),
}
_LOCK = re.compile(
    r"\bFOR\s+(?:NO KEY UPDATE|UPDATE|SHARE|KEY SHARE)(?:\s+OF\s+\w+(?:\s*,\s*\w+)*)?(?:\s+SKIP LOCKED)?"
)
_PAUSE = re.compile(r"\d+")


class Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        return self.text.upper() if self.kind == "word" else ""


def tokens(text: str) -> list[Token]:
    return [
        Token(found.lastgroup or "", found[0], found.start(), found.end())
        for found in _TOKEN.finditer(text)
        if found.lastgroup != "comment"
    ]


def mutate(definition: str) -> list[Edit]:
    """Every fault that is tried in the body; the head stays."""
    head = _body_start(definition)
    read = [token for token in tokens(definition) if token.start >= head]
    found: set[Edit] = set()
    for n, token in enumerate(read):
        found.update(_of_token(read, n, token))
    found.update(
        Edit("lock", match.start(), match.end(), "")
        for match in _LOCK.finditer(definition, head)
        if not _is_commented(definition, match.start())
    )
    return sorted(found, key=lambda edit: (edit.start, edit.end, edit.text))


def _body_start(definition: str) -> int:
    found = re.search(r"\n(?:AS \$|RETURN\b|BEGIN ATOMIC)", definition)
    return found.end() if found else len(definition)


def _is_commented(text: str, at: int) -> bool:
    return "--" in text[text.rfind("\n", 0, at) + 1 : at]


def _of_token(read: list[Token], n: int, token: Token) -> Iterator[Edit]:
    match token.kind:
        case "operator" if token.text in ORDERS and (at := _clock_beside(read, n)) is not None:
            yield Edit("comparison", token.start, token.end, SWAPS[token.text])
            yield Edit("deadline", at, at, " + interval '1 minute'")
            yield Edit("deadline", at, at, " - interval '1 minute'")
        case "operator" if token.text in SWAPS:
            yield Edit(
                "comparison" if token.text not in "+-" else "arithmetic", token.start, token.end, SWAPS[token.text]
            )
        case "number":
            yield Edit("constant", token.start, token.end, str(int(float(token.text)) + 1))
        case "text" if read[n - 1].word == "INTERVAL":
            yield Edit(
                "constant", token.start, token.end, _PAUSE.sub(lambda m: str(int(m[0]) + 1), token.text, count=1)
            )
        case "word":
            yield from _of_word(read, n, token)


def _clock_beside(read: list[Token], n: int) -> int | None:
    """Where the time ends that is compared: the clock before or behind an operator, as a variable or as it is asked."""
    if read[n - 1].text == "clock":
        return read[n - 1].end
    if [token.text for token in read[n - 4 : n]][1:] == ["clock", "(", ")"]:
        return read[n - 1].end
    following = [token.text for token in read[n + 1 : n + 6]]
    if following[:1] == ["clock"]:
        return read[n + 1].end
    return read[n + 5].end if following == ["app", ".", "clock", "(", ")"] else None


def _of_word(read: list[Token], n: int, token: Token) -> Iterator[Edit]:
    if token.word in ("AND", "OR") and not _is_between(read, n):
        yield Edit("logic", token.start, token.end, WORDS[token.word])
        last = _end(read, n + 1)
        if not _is_tenant(read[n + 1 : last + 1]):
            yield Edit("condition", token.start, read[last].end, "")
    elif token.word in ("TRUE", "FALSE", "LEAST", "GREATEST") and not _is_of_the_transaction(read, n):
        yield Edit("constant", token.start, token.end, WORDS[token.word])
    elif token.word in ("WHERE", "ON", "FILTER") and n + 1 < len(read):
        yield from _first_condition(read, n)
    elif token.word in ("IF", "ELSIF", "WHEN") and read[n - 1].word not in ("END", "NOT"):
        then = next((m for m in range(n, len(read)) if read[m].word in ("THEN", "EXISTS") or read[m].text == ";"), n)
        if read[then].word == "THEN" and then > n + 2:  # CASE x WHEN 'a' compares, and is no condition
            yield Edit("branch", read[n + 1].start, read[then - 1].end, "false")
    elif token.word == "RAISE":
        stop = next(m for m in range(n, len(read)) if read[m].text == ";")
        yield Edit("refusal", token.start, read[stop - 1].end, "NULL")
    elif token.word == "NOT" and read[n + 1].word != "MATERIALIZED":
        yield Edit("negation", token.start, read[n + 1].start, "")
    elif token.word == "IS" and read[n + 1].word in ("NULL", "DISTINCT"):
        yield Edit("negation", token.end, token.end, " NOT")


def _first_condition(read: list[Token], n: int) -> Iterator[Edit]:
    """`WHERE a AND b` loses a."""
    last = _end(read, n + 1)
    if last + 1 < len(read) and read[last + 1].word == "AND" and not _is_tenant(read[n + 1 : last + 1]):
        yield Edit("condition", read[n + 1].start, read[last + 1].end, "")


def _is_tenant(condition: list[Token]) -> bool:
    """The organisation's condition repeats the row-level policy for the index; tests of isolation judge the policy."""
    return len(condition) <= 7 and any(token.text == "organization_id" for token in condition)


def _is_of_the_transaction(read: list[Token], n: int) -> bool:
    """`set_config('app.org', org::text, true)`: tests/kit/test_isolation.py reads it in every function."""
    return [token.text for token in read[max(0, n - 8) : n][:3]] == ["set_config", "(", "'app.org'"]


def _end(read: list[Token], first: int) -> int:
    """The last word of the condition that begins at `first`."""
    depth = cases = 0
    for n in range(first, len(read)):
        token = read[n]
        if depth == 0 and cases == 0 and n > first and not _is_between(read, n):
            closes = token.text in (")", ",", ";", "]") or token.text.startswith("$")
            if closes or (token.word in _ENDS and not _is_inner(read, n)):
                return n - 1
        depth += (token.text in "([") - (token.text in ")]")
        cases += (token.word == "CASE") - (token.word == "END")
    return len(read) - 1


def _is_inner(read: list[Token], n: int) -> bool:
    return read[n].word == "FROM" and read[n - 1].word == "DISTINCT"


def _is_between(read: list[Token], n: int) -> bool:
    """Whether this AND belongs to a BETWEEN."""
    if read[n].word != "AND":
        return False
    depth = 0
    for token in reversed(read[max(0, n - 12) : n]):
        depth += (token.text in ")]") - (token.text in "([")
        if depth < 0 or (
            depth == 0 and (token.word in ("AND", "OR", "WHERE", "THEN", "WHEN", "IF") or token.text == ";")
        ):
            return False
        if depth == 0 and token.word == "BETWEEN":
            return True
    return False
