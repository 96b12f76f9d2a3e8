"""The contract in the repository is the application's, and its types say what its schemas say."""

from typing import Any

import pytest
from scripts import contract

ORDER = {"$ref": "#/components/schemas/Order"}


def test_what_is_committed_is_what_the_application_says() -> None:
    late = [path.name for path, text in contract.made().items() if path.read_text() != text]
    assert late == [], "out of date: run `make contract`"


@pytest.mark.parametrize(
    ("schema", "written"),
    [
        ({"type": "string", "format": "uuid"}, "string"),
        ({"type": "integer", "minimum": 1}, "number"),
        ({}, "unknown"),
        (ORDER, "Order"),
        ({"const": "arena", "type": "string"}, "'arena'"),
        ({"type": ["null", "string"], "enum": ["paid", None]}, "'paid' | null"),
        ({"oneOf": [{"type": "integer"}, {"type": "number"}, {"type": "null"}]}, "number | null"),
        ({"type": "array", "items": ORDER}, "Order[]"),
        ({"type": "array", "items": {"oneOf": [ORDER, {"type": "null"}]}}, "(Order | null)[]"),
        ({"type": "object", "additionalProperties": {"type": "boolean"}}, "Record<string, boolean>"),
        ({"type": "object"}, "Record<string, unknown>"),
        ({"type": "string", "format": "binary"}, "Blob"),
    ],
)
def test_a_schema_is_written_as_a_type(schema: dict[str, Any], written: str) -> None:
    document = _document(Thing={"properties": {"it": schema}, "required": ["it"]})
    assert contract.types(document).startswith(f"export interface Thing {{\n  it: {written};\n}}\n")


def test_what_may_be_left_out_is_optional_and_words_go_along() -> None:
    note = {"type": "string", "description": "For\n  people."}
    document = _document(Thing={"properties": {"note": note}}, Kind={"enum": ["a", "b"]})
    assert contract.types(document).startswith(
        "export interface Thing {\n  /** For people. */\n  note?: string;\n}\n\nexport type Kind = 'a' | 'b';\n"
    )


@pytest.mark.parametrize("schema", [{"type": "decimal"}, {"allOf": [ORDER]}, {"$ref": "#/components/schemas/Page[X]"}])
def test_what_it_does_not_know_is_no_type(schema: dict[str, Any]) -> None:
    with pytest.raises(LookupError):
        contract.types(_document(Thing={"properties": {"it": schema}}))


def test_routes_have_their_bodies_and_what_is_in_their_envelopes() -> None:
    schemas = {
        "Order": {"properties": {}},
        "DataEnvelope_Order_": {"properties": {"data": ORDER}},
        "DataEnvelope_int_": {"properties": {"data": {"type": "integer"}}},
        "Page_Order_": {"properties": {"data": {"items": ORDER}, "next_cursor": {}}},
    }
    document = _document(**schemas)
    document["paths"] = {
        "/api/orders/{order_id}": {
            "get": {
                "summary": "One order",
                "responses": {"200": _json("DataEnvelope_Order_"), "404": _json("Problem")},
            },
            "patch": {
                "requestBody": _json("Order") | {"required": True},
                "responses": {"200": _json("DataEnvelope_Order_")},
            },
            "delete": {"responses": {"204": {}}},
        },
        "/api/orders": {
            "get": {"responses": {"200": _json("Page_Order_")}},
            "post": {
                "requestBody": _json("Order"),
                "responses": {"201": _json("DataEnvelope_Order_"), "202": _json("DataEnvelope_int_")},
            },
        },
        "/api/orders.csv": {"get": {"responses": {"200": {"content": {"text/csv": {"schema": {"type": "string"}}}}}}},
    }
    assert (
        contract.types(document).partition("export interface Routes ")[2]
        == """{
  /** One order */
  'GET /api/orders/{}': { data: Order };
  'PATCH /api/orders/{}': { body: Order; data: Order };
  'DELETE /api/orders/{}': {};
  'GET /api/orders': { row: Order };
  'POST /api/orders': { body?: Order; data: Order | number };
  'GET /api/orders.csv': {};
}
"""
    )


def _json(name: str) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}}


def _document(**schemas: Any) -> dict[str, Any]:
    return {"components": {"schemas": schemas}, "paths": {}}
