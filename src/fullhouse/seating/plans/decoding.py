"""Decodes JSON to a plan. A document of the wrong shape is refused with all of its mistakes, not only the first."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import chain, islice
from typing import Any, TypeVar, get_args, get_origin

import msgspec
from msgspec.structs import FieldInfo

from fullhouse.kit.errors import FieldError, Malformed
from fullhouse.kit.http.decode import parse_complaint
from fullhouse.seating.plans.plan import Plan, PlanInvalid

LISTED_MAX = 200

T = TypeVar("T", bound=msgspec.Struct)
R = TypeVar("R")
Unknown = Callable[[str], None]


def decode_plan(document: bytes | dict[str, Any]) -> Plan:
    """Decodes a `fullhouse/1` document. `plans.checks.check` finds mistakes in its content."""
    return decode_as(Plan, document)


def decode_as(kind: type[T], document: bytes | dict[str, Any], unknown: Unknown | None = None) -> T:
    """Decodes a typed document. With `unknown`, unknown fields are reported to it instead of being mistakes."""
    return _refuse_unreadable(lambda: _decode_as(kind, document, unknown))


def decode_json(document: bytes) -> Any:
    """Decodes any JSON, to find out which kind of document it is."""
    return _refuse_unreadable(lambda: msgspec.json.decode(document))


def _refuse_unreadable(read: Callable[[], R]) -> R:
    try:
        return read()
    except msgspec.ValidationError as exc:  # a number too long to decode
        raise to_refusal([parse_complaint(str(exc))]) from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise Malformed("The document is not valid JSON.") from None
    except RecursionError:
        raise Malformed("The document is nested too deeply.") from None


def _decode_as(kind: type[T], document: bytes | dict[str, Any], unknown: Unknown | None) -> T:
    try:
        if isinstance(document, bytes) and not unknown:
            return msgspec.json.decode(document, type=kind)
        plain = msgspec.json.decode(document) if isinstance(document, bytes) else document
        value = msgspec.convert(plain, kind)
    except msgspec.ValidationError as exc:
        plain = msgspec.json.decode(document) if isinstance(document, bytes) else document
        raise to_refusal(cap_mistakes(_find_mistakes(plain, kind, "")) or [parse_complaint(str(exc))]) from None
    if unknown:
        for path in _find_unknown_fields(plain, kind, ""):
            unknown(path)
    return value


def to_refusal(mistakes: Sequence[FieldError]) -> PlanInvalid:
    """The refusal: its detail names the first mistake, its fields all of them."""
    first = mistakes[0]
    where = f"{first.path}: " if first.path else ""
    more = " There are more mistakes." if len(mistakes) > 1 else ""
    return PlanInvalid(f"{where}{first.message}{more}", fields=mistakes)


def cap_mistakes(mistakes: Iterator[FieldError]) -> list[FieldError]:
    """The first mistakes, and how many more there are: a plan may have a hundred thousand."""
    listed = list(islice(mistakes, LISTED_MAX))
    if more := sum(1 for _ in mistakes):
        listed.append(FieldError("", f"… and {more} more {'mistakes' if more > 1 else 'mistake'}."))
    return listed


def _find_mistakes(value: Any, kind: Any, path: str) -> Iterator[FieldError]:
    """All mistakes in a decoded value that should have this type. Descends only into parts that are invalid."""
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as exc:
        complaint = parse_complaint(_GOT.sub("", str(exc)))
    else:
        return
    if struct := _struct(kind, value):
        yield from _find_struct_mistakes(value, struct, path)
    elif (item := _item(kind, value)) and any(
        listed := [list(_find_mistakes(v, item, f"{path}[{i}]")) for i, v in enumerate(value)]
    ):
        yield from chain.from_iterable(listed)
    else:
        inside = "." if path and complaint.path[:1] not in ("", "[") else ""
        yield FieldError(f"{path}{inside}{complaint.path}", complaint.message)


def _find_struct_mistakes(value: dict[str, Any], kind: type[msgspec.Struct], path: str) -> Iterator[FieldError]:
    fields, config = _fields(kind), kind.__struct_config__
    for name, item in value.items():
        where = f"{path}.{name}" if path else str(name)
        if name in fields:
            yield from _find_mistakes(item, fields[name].type, where)
        elif name == config.tag_field:
            if item != config.tag:
                yield FieldError(where, f"Expected “{config.tag}”.")
        elif config.forbid_unknown_fields:
            yield FieldError(where, "This field is not known here.")
    for name, field in fields.items():
        if name not in value and _required(field):
            yield FieldError(f"{path}.{name}" if path else name, "This field is required.")


def _find_unknown_fields(value: Any, kind: Any, path: str) -> Iterator[str]:
    """The unknown fields in a valid document."""
    if struct := _struct(kind, value):
        fields = _fields(struct)
        for name, item in value.items():
            where = f"{path}.{name}" if path else str(name)
            if name not in fields:
                yield where
            elif isinstance(item, dict | list):
                yield from _find_unknown_fields(item, fields[name].type, where)
    elif item := _item(kind, value):
        for index, each in enumerate(value):
            yield from _find_unknown_fields(each, item, f"{path}[{index}]")


# --- types


@cache
def _fields(kind: type[msgspec.Struct]) -> dict[str, FieldInfo]:
    return {field.encode_name: field for field in msgspec.structs.fields(kind)}


def _required(field: FieldInfo) -> bool:
    return field.default is msgspec.NODEFAULT and field.default_factory is msgspec.NODEFAULT


def _struct(kind: Any, value: Any) -> type[msgspec.Struct] | None:
    """The struct type that an object should have."""
    return _parts(kind)[0] if isinstance(value, dict) else None


def _item(kind: Any, value: Any) -> type[msgspec.Struct] | None:
    """The struct type that the items of a list should have."""
    return _parts(kind)[1] if isinstance(value, list) else None


@cache
def _parts(kind: Any) -> tuple[type[msgspec.Struct] | None, type[msgspec.Struct] | None]:
    """The struct and the list-of-structs type that a type allows, through annotations and unions."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return kind, None
    if get_origin(kind) in (tuple, list):
        return None, _parts(get_args(kind)[0])[0]
    inner = [_parts(part) for part in get_args(kind) if isinstance(part, type) or get_origin(part)]
    return next((a for a, _ in inner if a), None), next((b for _, b in inner if b), None)


_GOT = re.compile(r", got `[^`]*`")
