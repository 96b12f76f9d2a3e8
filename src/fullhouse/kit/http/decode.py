"""Decodes JSON to typed values, and turns msgspec's validation errors into refusals that name the field.

Both lanes decode here, strictly: `"3"` is not a number and `true` is not 1.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NoReturn, TypeVar

import msgspec

from fullhouse.kit.errors import FieldError, Invalid, Malformed, UnknownField
from fullhouse.kit.http.patterns import translate_complaint

T = TypeVar("T")

INT64 = range(-(2**63), 2**63)


def decode(decoder: msgspec.json.Decoder[T], body: bytes) -> T:
    """Decode a body that has passed `body.check_body`."""
    if not body:
        raise Malformed("The body is empty. Send JSON.")
    try:
        value = _decode(decoder, body)
        if _LONG_NUMBER.search(body):
            _check_numbers(msgspec.json.decode(body))
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise Malformed("The body is not valid JSON.") from None
    except RecursionError:
        raise Malformed("The body is nested too deeply.") from None
    return value


def _decode(decoder: msgspec.json.Decoder[T], body: bytes) -> T:
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as exc:
        with suppress(msgspec.ValidationError):  # a number too long to read
            msgspec.json.decode(body)  # a validation error may come before a syntax error; invalid JSON is malformed
        raise_refusal(str(exc))


def raise_refusal(complaint: str) -> NoReturn:
    """Raise the refusal for a validation message of msgspec's."""
    field = parse_complaint(complaint)
    if complaint.startswith("Object contains unknown field"):
        raise UnknownField(f"The field {field.path} is not known here.", fields=[field])
    raise Invalid(f"{field.path}: {field.message}" if field.path else field.message, fields=[field])


def parse_complaint(complaint: str) -> FieldError:
    """``Expected `int` >= 1 - at `$.items[0].quantity` `` becomes a path and a sentence."""
    what, _, where = complaint.partition(" - at ")
    path = where.partition("`$")[2].removeprefix(".").removesuffix("`")
    if known := _ABOUT_FIELD.match(what):
        name = known["name"]
        message = "This field is required." if known["missing"] else "This field is not known here."
        return FieldError(f"{path}.{name}" if path else name, message)
    if translated := translate_complaint(what):
        return FieldError(path, translated)
    sentence = _QUOTED.sub(lambda quoted: _TYPE_NAMES.get(quoted[1], quoted[1]), what)
    return FieldError(path, sentence if sentence.endswith(".") else f"{sentence}.")


# PostgreSQL's bigint has at most 19 digits; Python's and msgspec's integers are unbounded.
_LONG_NUMBER = re.compile(rb"\d{19}")
_ABOUT_FIELD = re.compile(r"Object (?:(?P<missing>missing required)|contains unknown) field `(?P<name>.*)`")
_QUOTED = re.compile(r"`([^`]*)`")
_TYPE_NAMES = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "uuid": "a UUID",
    "datetime": "a date and time",
    "date": "a date",
}


def _check_numbers(value: Any) -> None:
    for path in _find_oversized(value, ""):
        field = FieldError(path, "Expected a whole number of at most 64 bits.")
        raise Invalid(f"{path}: {field.message}" if path else field.message, fields=[field])


def _find_oversized(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, int) and value not in INT64:
        yield path
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _find_oversized(item, f"{path}[{index}]")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _find_oversized(item, f"{path}.{key}" if path else key)
