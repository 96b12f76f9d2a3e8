"""The guard before decoding, and decoding."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fullhouse.kit.errors import FieldError, Invalid, Malformed, TooLarge, UnknownField, UnsupportedMedia
from fullhouse.kit.http import body
from fullhouse.kit.http.body import BodyRules, decode
from fullhouse.kit.http.timeouts import Timeouts

ANYTHING = msgspec.json.Decoder(Any)

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    lambda inner: st.lists(inner, max_size=30) | st.dictionaries(st.text('ab[{\\"', max_size=4), inner, max_size=3),
    max_leaves=40,
)


def nesting(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + max(map(nesting, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(nesting, value), default=0)
    return 0


@given(values, st.booleans(), st.integers(0, 25))
def test_what_is_clean_and_shallow_passes_and_only_that(value: Any, ascii_only: bool, wraps: int) -> None:
    for _ in range(wraps):
        value = [value]
    text = json.dumps(value, ensure_ascii=ascii_only).encode()
    if nesting(value) <= body.DEPTH_MAX:
        body.check_json(text)
        assert decode(ANYTHING, text) == value
    else:
        with pytest.raises(Malformed):
            body.check_json(text)


@given(st.binary())
def test_any_bytes_end_in_a_value_or_a_refusal(raw: bytes) -> None:
    try:
        body.check_json(raw)
        decode(ANYTHING, raw)
    except (Malformed, Invalid):
        pass


@given(st.text(st.sampled_from('\\u0daD8cCf3eE"x')))
def test_half_a_pair_never_passes(escapes: str) -> None:
    """Python's own decoder accepts lone surrogates: whatever passes us must not contain one, nor a NUL."""
    raw = f'"{escapes}"'.encode()
    try:
        text = json.loads(raw)
    except ValueError:
        return
    bad = "\0" in text or any("\ud800" <= c <= "\udfff" for c in text)
    try:
        body.check_json(raw)
    except Malformed:
        assert bad
    else:
        assert not bad


def test_a_string_without_an_end_costs_one_pass() -> None:
    """Ends at all: trying again from every quotation mark would take minutes."""
    with pytest.raises(Malformed):
        body.check_json(b"[" * 21 + b'"' + b'\\"' * 2_000_000)


def test_brackets_in_strings_do_not_nest() -> None:
    body.check_json(json.dumps(["[" * 100, '\\"' + "{" * 100, {"[" * 50: 1}]).encode())


@pytest.mark.parametrize("empty", [None, "text/plain"])
def test_an_empty_body_may_have_any_type(empty: str | None) -> None:
    body.check_body(empty, b"", BodyRules())


def test_a_route_amends_the_rules() -> None:
    rules = BodyRules().with_options({"accepts": ["image/png"], "body_limit": 5, "fast": None})
    body.check_body("image/png", b"\0\xff", rules)
    with pytest.raises(TooLarge):
        body.check_body("image/png", b"123456", rules)
    with pytest.raises(UnsupportedMedia):
        body.check_body("application/json", b"{}", rules)
    assert BodyRules().with_options({}) == BodyRules()


async def once(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


async def test_an_announced_length_is_a_number() -> None:
    await body.check_length("0", 10, once)
    await body.check_length("10", 10, once)
    for announced in ("11", "9" * 17, "9" * 30):
        with pytest.raises(TooLarge):
            await body.check_length(announced, 10, once)
    for announced in ("-1", "x", "1.0", "²"):
        with pytest.raises(Malformed):
            await body.check_length(announced, 10, once)


async def test_a_body_is_counted_as_it_comes() -> None:
    assert await body.read_body(once(b"ab", b"", b"c"), 3) == b"abc"
    with pytest.raises(TooLarge):
        await body.read_body(once(b"ab", b"cd"), 3)


async def test_patience_ends() -> None:
    patience = Timeouts(0.05)
    with pytest.raises(Malformed, match="in time"), patience.wait():
        await asyncio.sleep(60)
    await asyncio.sleep(0)  # the task is not cancelled any more
    with patience.wait():
        pass


async def test_patience_leaves_a_real_cancellation_alone() -> None:
    patience = Timeouts(30)

    async def read() -> None:
        with patience.wait():
            await asyncio.sleep(60)

    task = asyncio.create_task(read())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_patience_is_each_waits_own() -> None:
    patience = Timeouts(0.05)

    async def read(seconds: float) -> bool:
        try:
            with patience.wait():
                await asyncio.sleep(seconds)
        except Malformed:
            return False
        return True

    assert await asyncio.gather(*map(read, (60, 0, 60, 0))) == [False, True, False, True]


@pytest.mark.parametrize("path", ["/a\0", "/a/\ufffd"])
def test_a_path_is_text(path: str) -> None:
    with pytest.raises(Malformed):
        body.check_address(path, "")


@pytest.mark.parametrize("query", ["a=%00", "a=%ff", "%C3", "a=%ed%a0%80", "a=\0", "a=\ufffd"])
def test_a_query_is_text(query: str) -> None:
    with pytest.raises(Malformed):
        body.check_address("/a", query)


@pytest.mark.parametrize("query", ["", "a=b", "a=%C3%BC", "a=100%", "a=%zz", "a=%EF%BF%BD", "a=+", "a=ü", "a=ü%C3%BC"])
def test_usual_addresses_pass(query: str) -> None:
    body.check_address("/a/ü/😀", query)


class Item(msgspec.Struct, forbid_unknown_fields=True):
    quantity: Annotated[int, msgspec.Meta(ge=1)]
    id: UUID | None = None


class Order(msgspec.Struct, forbid_unknown_fields=True):
    items: list[Item]
    counts: dict[int, int] = {}


@pytest.mark.parametrize(
    ("raw", "kind", "field"),
    [
        (b'{"items":[{"quantity":0}]}', Invalid, FieldError("items[0].quantity", "Expected a whole number >= 1.")),
        (b'{"items":[{}]}', Invalid, FieldError("items[0].quantity", "This field is required.")),
        (b"{}", Invalid, FieldError("items", "This field is required.")),
        (b"[]", Invalid, FieldError("", "Expected an object, got a list.")),
        (b'{"items":{}}', Invalid, FieldError("items", "Expected a list, got an object.")),
        (b'{"items":[{"quantity":1,"id":"x"}]}', Invalid, FieldError("items[0].id", "Invalid UUID.")),
        (
            b'{"items":[{"quantity":true}]}',
            Invalid,
            FieldError("items[0].quantity", "Expected a whole number, got true or false."),
        ),
        (b'{"items":[],"counts":{"a":1}}', Invalid, FieldError("counts", "Expected a whole number, got a text.")),
        (b'{"items":[],"x":1}', UnknownField, FieldError("x", "This field is not known here.")),
        (b'{"items":[{"quantity":1,"x":1}]}', UnknownField, FieldError("items[0].x", "This field is not known here.")),
        (
            b'{"items":[{"quantity":9223372036854775808}]}',
            Invalid,
            FieldError("items[0].quantity", "Expected a whole number of at most 64 bits."),
        ),
    ],
)
def test_the_field_is_named(raw: bytes, kind: type[Invalid], field: FieldError) -> None:
    with pytest.raises(kind) as refusal:
        decode(msgspec.json.Decoder(Order), raw)
    assert type(refusal.value) is kind
    assert list(refusal.value.fields) == [field]


def test_long_digits_in_a_text_are_no_number() -> None:
    card = b'{"card":"4111111111111111111111","n":[-9223372036854775808,9223372036854775807,1e30]}'
    assert decode(msgspec.json.Decoder(dict[str, Any]), card)["n"][2] == 1e30
