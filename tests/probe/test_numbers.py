"""Every whole number in every body, as large as nobody means it: it is taken as it is, or refused by its name. It never
ends in the database's own refusal, nor is it cut off.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec
import pytest

from fullhouse.kit.http.lanes import LaneRouter
from fullhouse.kit.http.openapi import document
from fullhouse.kit.services import Services
from fullhouse.processes import app as application
from tests.fixtures import Client, Tenant, settings
from tests.probe.sales import a_device_token
from tests.probe.table import PROBES
from tests.probe.test_probe import GUARDED, _call, _fill, _is_platforms, _super_admin
from tests.probe.things import a_venue

LARGE = (2**63, 2**63 - 1, 2**53, 2**31, -(2**31) - 1, -(2**63) - 1)


class Number(NamedTuple):
    """A field that is a whole number: the way to it (0 is an item of a list), and what it may be at most and least."""

    way: tuple[str | int, ...]
    least: float
    most: float

    @property
    def name(self) -> str:
        return str(self.way[0])

    def put(self, body: Any, value: int) -> Any:
        """Into a copy of the body."""
        rest: Any = value
        for step in reversed(self.way[1:]):
            rest = [rest] if step == 0 else {step: rest}
        return (body or {}) | {self.name: rest}


def numbers_in(schema: Any, schemas: Any, way: tuple[str | int, ...] = (), above: Any = None) -> Iterator[Number]:
    if len(way) > 6:
        return
    if "$ref" in schema:
        schema = schemas[schema["$ref"].rpartition("/")[2]]
    bounds = {name: schema.get(name, (above or {}).get(name)) for name in ("minimum", "maximum")}
    for other in (*schema.get("oneOf", ()), *schema.get("anyOf", ()), *schema.get("allOf", ())):
        yield from numbers_in(other, schemas, way, bounds)
    kind = schema.get("type")
    if way and "integer" in (kind if isinstance(kind, list) else [kind]):
        least, most = bounds["minimum"], bounds["maximum"]
        yield Number(way, float("-inf") if least is None else least, float("inf") if most is None else most)
    for name, field in schema.get("properties", {}).items():
        yield from numbers_in(field, schemas, (*way, name))
    if isinstance(items := schema.get("items"), dict):
        yield from numbers_in(items, schemas, (*way, 0))
    if isinstance(more := schema.get("additionalProperties"), dict):
        yield from numbers_in(more, schemas, (*way, "any"))


def _numbers() -> dict[str, list[Number]]:
    lane = application.build(settings("postgresql://unused/unused", "postgresql://unused/unused", home="/nonexistent"))
    whole = document(lane.wide)
    found = {}
    for name in GUARDED:
        method, _, path = name.partition(" ")
        said = whole["paths"].get(path.replace(":uuid", ""), {}).get(method.lower(), {}).get("requestBody")
        if said and not PROBES[name].file:
            (content,) = list(said["content"].values())[:1]
            found[name] = list(dict.fromkeys(numbers_in(content["schema"], whole["components"]["schemas"])))
    return {name: numbers for name, numbers in found.items() if numbers}


NUMBERS = _numbers()


def test_those_of_the_sale_are_among_them() -> None:
    fields = {f"{name.split('/')[-1]} {number.name}" for name, numbers in NUMBERS.items() for number in numbers}
    assert {"promo-codes budget", "promo-codes amount", "promo-codes max_uses", "ticket-types price"} <= fields
    assert {"ticket-types quantity", "refunds amount", "events capacity", "venues max_capacity"} <= fields


@pytest.mark.parametrize("name", sorted(NUMBERS))
async def test_a_large_number_is_taken_or_refused_by_its_name(
    name: str, client: Client, lane: LaneRouter, services: Services, tenant: Tenant, owner: Any
) -> None:
    probe = PROBES[name]
    token = await _super_admin(client, owner) if _is_platforms(name) else tenant.tokens["owner"]
    if probe.device:
        token = await a_device_token(services, tenant)
    body = {"venue_id": str(await a_venue(services, tenant)), **probe.body} if probe.needs_venue else probe.body
    named = await probe.thing(services, tenant) if probe.thing else ()
    if probe.fitting:
        body = msgspec.to_builtins(await probe.fitting(services, tenant, named))
    for number in NUMBERS[name]:
        for value in LARGE:
            answer = await _call(client.as_(token), name, _fill(name, named), number.put(body, value))
            about = (number, value, answer.text)
            assert answer.status_code < 500, about
            if not number.least <= value <= number.most or abs(value) >= 2**63:
                assert answer.status_code in (400, 422), about
                if answer.status_code == 422 and "fields" in answer.json() and len(number.way) == 1:
                    assert answer.json()["fields"][0]["path"] == number.name, about
            elif answer.is_success and number.way == (number.name,) and answer.content:
                shown = answer.json().get("data")
                assert not isinstance(shown, dict) or shown.get(number.name, value) == value, about
