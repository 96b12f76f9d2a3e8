"""Every fact is in the catalogue, explained, and in the AsyncAPI document as it is announced."""

import importlib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from fullhouse.broker import catalogue
from fullhouse.kit.messages.outbox import Fact
from tests.fixtures import Client

pytestmark = pytest.mark.req("MSG-2")
SOURCE = Path(catalogue.__file__).parents[1]


def every_fact() -> list[type[Fact]]:
    """From the files, so that a room which the catalogue forgot is found."""
    modules = [
        importlib.import_module(".".join(("fullhouse", *path.relative_to(SOURCE).with_suffix("").parts)))
        for path in SOURCE.rglob("*facts.py")
    ]
    things = {thing for module in modules for thing in vars(module).values() if isinstance(thing, type)}
    return sorted((t for t in things if issubclass(t, Fact) and "name" in vars(t)), key=lambda t: t.name)


@pytest.mark.parametrize("fact", every_fact(), ids=lambda fact: fact.name)
def test_a_fact_is_in_the_catalogue_and_explained(fact: type[Fact]) -> None:
    assert catalogue.FACTS[fact.name] is fact
    own = vars(fact).get("__doc__")
    assert own, f"{fact.__name__} says nothing of itself"
    assert own.endswith((".", ".\n    "))


def test_the_catalogue_has_nothing_else() -> None:
    assert list(catalogue.FACTS.values()) == [catalogue.FACTS[name] for name in catalogue.FACTS]
    assert set(catalogue.FACTS) == {fact.name for fact in every_fact()}


@pytest.mark.parametrize("name", ["event.published", "event.canceled", "event.updated", "event.postponed"])
def test_the_routing_keys_of_the_event_service_are_there(name: str) -> None:
    assert name in catalogue.FACTS


async def test_anybody_may_read_the_document(client: Client) -> None:
    answer = await client.get("/api/asyncapi.json")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    document = answer.json()
    assert document["asyncapi"] == "3.0.0"
    assert set(document["channels"]) == set(catalogue.FACTS) == set(document["components"]["messages"])
    for reference in references(document):
        assert found(document, reference), reference


def test_who_sends_and_who_receives() -> None:
    operations = msgspec.json.decode(catalogue.render_asyncapi())["operations"]
    received = {name for name, each in operations.items() if each["action"] == "receive"}
    assert received == {"receive.join.confirmed", "receive.join.canceled"}
    assert len(operations) == len(catalogue.FACTS)


def test_the_payload_is_documented_as_it_is_announced() -> None:
    document = msgspec.json.decode(catalogue.render_asyncapi())
    message = document["components"]["messages"]["event.canceled"]
    schema = found(document, message["payload"]["$ref"])
    assert schema["properties"]["version"] == {"const": 1}
    assert set(schema["required"]) == {"version", "subject_id", "old_status", "new_status"}
    assert schema["properties"]["subject_id"] == {"type": "string", "format": "uuid"}
    assert message["description"].startswith("An event is cancelled.")
    assert document["channels"]["event.canceled"]["bindings"]["amqp"]["exchange"]["type"] == "topic"


def references(node: Any) -> list[str]:
    if isinstance(node, dict):
        return [node["$ref"]] if "$ref" in node else [r for each in node.values() for r in references(each)]
    return [r for each in node for r in references(each)] if isinstance(node, list) else []


def found(document: Any, reference: str) -> Any:
    for step in reference.removeprefix("#/").split("/"):
        document = document[step]
    return document
