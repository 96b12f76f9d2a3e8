"""Faults in a Python file: in its expressions and in its tables. Annotations and texts are left alone."""

import ast
from collections.abc import Iterator

from tests.mutation.mutant import Edit

COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}
ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "//",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.Mod: "//",
    ast.BitAnd: "|",
    ast.LShift: ">>",
}
NEIGHBOURS = {"min": "max", "max": "min", "any": "all", "all": "any", "floor": "ceil", "ceil": "floor"}


def mutate(source: str) -> list[Edit]:
    """Every fault that is tried, by position."""
    place = _Places(source)
    found = {edit for node in _expressions(ast.parse(source)) for edit in _edits(node, place)}
    return sorted(found, key=lambda edit: (edit.start, edit.end, edit.text))


class _Places:
    """From the parser's lines and bytes to characters."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.lines = source.splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))

    def _at(self, line: int, column: int) -> int:
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def start(self, node: ast.expr | ast.stmt) -> int:
        return self._at(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.stmt) -> int:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._at(node.end_lineno, node.end_col_offset)

    def text(self, node: ast.expr | ast.stmt) -> str:
        return self.source[self.start(node) : self.end(node)]


def _expressions(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes but annotations, base classes, decorators and texts that stand alone."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "bases"):
            continue
        for child in value if isinstance(value, list) else [value]:
            texts = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            alias = isinstance(child, ast.Assign) and isinstance(child.value, ast.Subscript)  # Order = Literal[…]
            if isinstance(child, ast.AST) and not texts and not alias and not isinstance(child, ast.JoinedStr):
                yield from _expressions(child)


def _edits(node: ast.AST, place: _Places) -> Iterator[Edit]:
    match node:
        case ast.Compare():
            yield from _comparison(node, place)
        case ast.BoolOp():
            yield from _logic(node, place)
        case ast.BinOp() if type(node.op) in ARITHMETIC:
            yield _between("arithmetic", node.left, node.right, ARITHMETIC[type(node.op)], place)
        case ast.UnaryOp(op=ast.Not()):
            yield Edit("negation", place.start(node), place.end(node), f"({place.text(node.operand)})")
        case ast.If() | ast.IfExp():
            yield _negated(node.test, place)
        case ast.Constant(value=bool() | int() | float() as value):
            new = not value if isinstance(value, bool) else value + 1
            yield Edit("constant", place.start(node), place.end(node), repr(new))
        case ast.Name() if node.id in NEIGHBOURS:
            yield Edit("neighbour", place.start(node), place.end(node), NEIGHBOURS[node.id])
        case ast.Attribute(value=ast.Name(id="math")) if node.attr in NEIGHBOURS:
            yield Edit("neighbour", place.start(node), place.end(node), f"math.{NEIGHBOURS[node.attr]}")
        case ast.Raise():
            yield Edit("refusal", place.start(node), place.end(node), "pass")
        case ast.Dict():
            yield from _table(node, place)
        case ast.Tuple(ctx=ast.Load()) | ast.Set() | ast.List(ctx=ast.Load()):
            yield from _members(node.elts, place)


def _between(kind: str, left: ast.expr, right: ast.expr, operator: str, place: _Places) -> Edit:
    """The operator between two operands; their own brackets stay."""
    start, end = place.end(left), place.start(right)
    gap = place.source[start:end]
    first = start + len(gap) - len(gap.lstrip(") \n"))
    last = start + len(gap.rstrip("( \n"))
    return Edit(kind, first, last, operator)


def _comparison(node: ast.Compare, place: _Places) -> Iterator[Edit]:
    operands = [node.left, *node.comparators]
    for left, operator, right in zip(operands, node.ops, node.comparators, strict=False):
        yield _between("comparison", left, right, COMPARISONS[type(operator)], place)


def _logic(node: ast.BoolOp, place: _Places) -> Iterator[Edit]:
    other = "or" if isinstance(node.op, ast.And) else "and"
    for left, right in zip(node.values, node.values[1:], strict=False):
        yield _between("logic", left, right, other, place)
    neutral = "True" if isinstance(node.op, ast.And) else "False"
    for value in node.values:
        if not any(isinstance(part, ast.NamedExpr) for part in ast.walk(value)):
            yield Edit("condition", place.start(value), place.end(value), neutral)


def _negated(test: ast.expr, place: _Places) -> Edit:
    return Edit("negation", place.start(test), place.end(test), f"(not ({place.text(test)}))")


def _table(node: ast.Dict, place: _Places) -> Iterator[Edit]:
    """A row is missing, or says what the next one says."""
    rows = list(zip(node.keys, node.values, strict=True))
    for n, (key, value) in enumerate(rows):
        if key is None:
            continue
        yield _without("row", place.start(key), place.end(value), place)
        following = rows[(n + 1) % len(rows)][1]
        if rows[(n + 1) % len(rows)][0] is not None and place.text(following) != place.text(value):
            yield Edit("row", place.start(value), place.end(value), place.text(following))


def _members(members: list[ast.expr], place: _Places) -> Iterator[Edit]:
    if len(members) > 2:
        for member in members:
            yield _without("row", place.start(member), place.end(member), place)


def _without(kind: str, start: int, end: int, place: _Places) -> Edit:
    rest = place.source[end:]
    comma = len(rest) - len(rest.lstrip(" \n")) + 1
    return Edit(kind, start, end + comma if rest.lstrip(" \n").startswith(",") else end, "")
