"""The document says what the API does."""

import os
import subprocess
import sys
from typing import Annotated, Any

import msgspec
import pytest
from litestar import Litestar

from fullhouse.kit.http import openapi
from fullhouse.kit.http.endpoints import post
from fullhouse.kit.http.middleware import Middleware
from fullhouse.kit.http.response import Response
from fullhouse.kit.http.wide_lane import WidePlugin
from tests.kit.http_app import build
from tests.kit.http_server import ROOT

ORDER = "/api/shops/{shop_id}/orders/{order_id}"
PROBLEM = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}


@pytest.fixture(scope="module")
def doc() -> dict[str, Any]:
    return openapi.document(build(Middleware()).wide, cookie="shop")


def operations(doc: dict[str, Any]) -> list[dict[str, Any]]:
    return [operation for item in doc["paths"].values() for operation in item.values()]


def test_every_error_is_a_problem(doc: dict[str, Any]) -> None:
    for operation in operations(doc):
        assert "default" in operation["responses"]
        for status, response in operation["responses"].items():
            if status == "default" or int(status) >= 400:
                assert response["content"] == PROBLEM
    assert "status_code" not in str(doc["paths"])


def test_the_shape_implies_the_statuses(doc: dict[str, Any]) -> None:
    def statuses(path: str, method: str) -> set[str]:
        return set(doc["paths"][path][method]["responses"])

    body = {"400", "413", "415", "422"}
    assert statuses(ORDER, "post") == {"201", "401", "403", "404", *body, "default"}
    assert statuses("/api/search", "get") == {"200", "400", "422", "default"}
    assert statuses("/api/who", "get") == {"200", "default"}
    assert statuses("/api/shops/{shop_id}", "delete") == {"204", "401", "403", "404", "default"}


def test_closed_structs_are_closed(doc: dict[str, Any]) -> None:
    schemas = doc["components"]["schemas"]
    assert schemas["Order"]["additionalProperties"] is False
    assert schemas["Line"]["additionalProperties"] is False
    assert schemas["Line"]["properties"]["quantity"]["minimum"] == 1
    assert schemas["Problem"].get("additionalProperties") is None
    assert list(schemas) == sorted(schemas)


class Shown(msgspec.Struct):
    name: str
    note: str | None = None


class Sparse(msgspec.Struct, omit_defaults=True):
    name: str
    note: str | None = None


class Wish(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    words: Annotated[tuple[str, ...], msgspec.Meta(max_length=3)] = ("a",)


@post("/api/things", public=True, answers={201: Shown, 202: Sparse})
async def make_thing(data: Wish) -> Response:
    """Answered by hand."""
    return Response(201, b"")


@pytest.fixture(scope="module")
def things() -> dict[str, Any]:
    return openapi.document(Litestar([make_thing], plugins=[WidePlugin(Middleware())]))


def test_an_answer_has_all_of_its_fields_and_a_body_those_without_a_default(things: dict[str, Any]) -> None:
    required = {name: schema.get("required") for name, schema in things["components"]["schemas"].items()}
    assert (required["Shown"], required["Sparse"], required["Wish"]) == (["name", "note"], ["name"], ["name"])


def test_an_answer_made_by_hand_says_what_is_inside(things: dict[str, Any]) -> None:
    answers = things["paths"]["/api/things"]["post"]["responses"]
    inside = {
        status: things["components"]["schemas"][answers[status]["content"]["application/json"]["schema"]["$ref"][21:]]
        for status in ("201", "202")
    }
    assert {status: schema["properties"]["data"]["$ref"] for status, schema in inside.items()} == {
        "201": "#/components/schemas/Shown",
        "202": "#/components/schemas/Sparse",
    }


def test_a_tuple_has_one_kind_of_items(things: dict[str, Any]) -> None:
    assert things["components"]["schemas"]["Wish"]["properties"]["words"]["items"] == {"type": "string"}


def test_signing_in_is_the_rule(doc: dict[str, Any]) -> None:
    assert doc["security"] == [{"bearer": []}, {"cookie": []}]
    assert doc["components"]["securitySchemes"]["cookie"]["name"] == "shop"
    assert doc["paths"]["/api/who"]["get"]["security"] == []
    assert "security" not in doc["paths"][ORDER]["post"]


def test_posts_that_create_take_a_key(doc: dict[str, Any]) -> None:
    def key(path: str, method: str) -> bool | None:
        parameters = doc["paths"][path][method].get("parameters", [])
        return next((p["required"] for p in parameters if p["name"] == "Idempotency-Key"), None)

    assert key(ORDER, "post") is False
    assert key("/api/charges", "post") is True
    assert key("/api/who", "get") is None


def test_it_is_an_openapi_document_of_json(doc: dict[str, Any]) -> None:
    app = build(Middleware()).wide
    assert msgspec.json.decode(openapi.render(app)) == openapi.document(app)
    assert doc["openapi"].startswith("3.1")


def test_it_is_the_same_every_time() -> None:
    """In processes that order their sets differently."""
    code = "import sys; from tests.kit.http_app import *; from fullhouse.kit.http.openapi import render; "
    code += "sys.stdout.buffer.write(render(build(Middleware()).wide))"
    texts = {
        subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": seed}, stdout=-1, check=True
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(texts) == 1
