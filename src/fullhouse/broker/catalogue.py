"""All facts, by name; and the AsyncAPI document that describes them."""

import inspect
from collections.abc import Iterator, Mapping
from functools import cache
from types import ModuleType
from typing import Any

import msgspec

from fullhouse import VERSION
from fullhouse.accounts import facts as accounts
from fullhouse.broker import facts as messaging
from fullhouse.broker.facts import JoinCanceled, JoinConfirmed, JoinFact
from fullhouse.broker.model import EXCHANGE, JOINS
from fullhouse.checkout import facts as checkout
from fullhouse.events import facts as events
from fullhouse.holds import facts as holds
from fullhouse.kit.messages.outbox import Fact
from fullhouse.payments import facts as payments
from fullhouse.scanning import facts as scanning
from fullhouse.seating import facts as seating
from fullhouse.tickets import facts as tickets
from fullhouse.waiting_room import facts as queue
from fullhouse.waitlist import facts as waitlist
from fullhouse.webhooks import facts as webhooks

DOMAINS = (
    accounts,
    events,
    seating,
    queue,
    holds,
    tickets,
    payments,
    checkout,
    waitlist,
    scanning,
    messaging,
    webhooks,
)
RECEIVED: Mapping[str, type[JoinFact]] = {fact.name: fact for fact in (JoinConfirmed, JoinCanceled)}
Json = dict[str, Any]


def _facts(module: ModuleType) -> Iterator[type[Fact]]:
    """The facts themselves, without their base classes."""
    for thing in vars(module).values():
        if inspect.isclass(thing) and issubclass(thing, Fact) and "name" in vars(thing):
            yield thing


FACTS: Mapping[str, type[Fact]] = {fact.name: fact for domain in DOMAINS for fact in _facts(domain)}

_HEADERS: Json = {
    "type": "object",
    "required": ["organization"],
    "properties": {
        "organization": {
            "type": "string",
            "format": "uuid",
            "description": "the organisation that the fact belongs to; optional for joins, which name their event",
        },
        "subject": {"type": "string", "format": "uuid", "description": "what the fact is about, like `subject_id`"},
        "version": {"type": "integer", "description": "counts incompatible changes of the payload"},
    },
}
_ABOUT = """Facts of a fullhouse installation, published to RabbitMQ where `AMQP_URL` is set: one durable topic \
exchange, a routing key for each kind of fact. Messages are persistent. The property `message_id` identifies a fact: \
it may be delivered more than once, and a consumer that stores the id in the transaction of its effect has every \
effect once. Facts with the same `subject_id` are delivered in their order. A queue gets the facts that happen after \
it was bound; `fullhouse messages resend` sends facts again that are still stored."""


@cache
def render_asyncapi() -> bytes:
    """AsyncAPI 3.0, generated from the structs, so that facts and documentation cannot differ."""
    _, schemas = msgspec.json.schema_components(FACTS.values(), ref_template="#/components/schemas/{name}")
    for fact in FACTS.values():
        schemas[fact.__name__] = _with_version(schemas[fact.__name__], fact.version)
    document = {
        "asyncapi": "3.0.0",
        "info": {"title": "fullhouse", "version": VERSION, "description": _ABOUT},
        "defaultContentType": "application/json",
        "channels": {name: _channel(name) for name in FACTS},
        "operations": {**_sends(), **_receives()},
        "components": {"messages": {name: _message(fact) for name, fact in FACTS.items()}, "schemas": schemas},
    }
    return msgspec.json.encode(document)


def _channel(name: str) -> Json:
    exchange = {"name": EXCHANGE, "type": "topic", "durable": True}
    return {
        "address": name,
        "messages": {"fact": {"$ref": f"#/components/messages/{name}"}},
        "bindings": {"amqp": {"is": "routingKey", "exchange": exchange}},
    }


def _message(fact: type[Fact]) -> Json:
    description = inspect.getdoc(fact) or ""
    return {
        "name": fact.name,
        "summary": description.split(". ")[0].rstrip("."),
        "description": description,
        "contentType": "application/json",
        "headers": _HEADERS if fact.name not in RECEIVED else _HEADERS | {"required": []},
        "payload": {"$ref": f"#/components/schemas/{fact.__name__}"},
    }


def _with_version(schema: Json, version: int) -> Json:
    """The payload has it beside the fields of the struct."""
    return {
        **schema,
        "properties": {"version": {"const": version}, **schema["properties"]},
        "required": ["version", *schema.get("required", ())],
    }


def _sends() -> Json:
    return {
        f"send.{name}": {"action": "send", "channel": {"$ref": f"#/channels/{name}"}}
        for name in FACTS
        if name not in RECEIVED
    }


def _receives() -> Json:
    return {
        f"receive.{name}": {
            "action": "receive",
            "channel": {"$ref": f"#/channels/{name}"},
            "description": f"Publish it to the exchange; the queue `{JOINS}` is bound to it. A message that cannot be"
            f" understood is dead-lettered, with the reason in the header `x-reason`.",
        }
        for name in RECEIVED
    }
