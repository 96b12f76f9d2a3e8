"""The OpenAPI 3.1 document as the API really behaves. Litestar's own describes errors that are never sent.

A route's `opt` says what its signature cannot: `public=True` (no sign-in), `idempotent=True` or `"required"`
(the `Idempotency-Key` header; every POST that creates something takes one unless it says `False`), `accepts` (the media
types of a body that is a file), `also` (the media types that it answers in beside its own).
"""

from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from typing import Any

import msgspec
import msgspec.inspect
from litestar import Litestar
from litestar.handlers import BaseRouteHandler, HTTPRouteHandler
from litestar.openapi.spec import Schema
from litestar.plugins import OpenAPISchemaPlugin
from litestar.routes import HTTPRoute
from litestar.typing import FieldDefinition

from fullhouse.kit.http.problems import BY_STATUS, MEDIA_TYPE

Json = dict[str, Any]

PROBLEM: Json = {
    "title": "Problem",
    "description": "Why a request was refused (RFC 9457). Rely on `code`; the texts are for people.",
    "type": "object",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string", "description": "`/problems/{code}`, a page about it."},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string", "description": "Stable, in snake_case."},
        "fields": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["path", "message"],
                "properties": {"path": {"type": "string"}, "message": {"type": "string"}},
            },
        },
    },
}
IDEMPOTENCY_KEY: Json = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "Repeat a request with the same key and it takes effect once, with the same answer.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
}
LAST_EVENT_ID: Json = {
    "name": "Last-Event-ID",
    "in": "header",
    "required": False,
    "description": "The id of the last message that you have; what came after it follows, or else a snapshot.",
    "schema": {"type": "string"},
}


class StructSchemas(OpenAPISchemaPlugin):
    """Says what Litestar leaves out: a body that forbids unknown fields does, and an answer has all of its fields.

    A default is what a caller may leave out; what we answer is encoded whole, unless the struct omits its defaults.
    """

    def is_plugin_supported_field(self, field_definition: FieldDefinition) -> bool:
        return not field_definition.is_union and field_definition.is_subclass_of(msgspec.Struct)

    def to_openapi_schema(self, field_definition: FieldDefinition, schema_creator: Any) -> Schema:
        others = (plugin for plugin in schema_creator.plugins if plugin is not self)
        usual = next(p for p in others if schema_creator.plugin_supports_field(p, field_definition))
        schema: Schema = usual.to_openapi_schema(field_definition, schema_creator)
        rules = (field_definition.origin or field_definition.type_).__struct_config__
        if rules.forbid_unknown_fields:
            schema.additional_properties = False
        elif not rules.omit_defaults:
            schema.required = sorted(schema.properties or ())
        return schema


def document(app: Litestar, *, cookie: str = "session") -> Json:
    """The finished document. `cookie` is the name of the session's cookie."""
    doc: Json = deepcopy(app.openapi_schema.to_schema())
    for method, operation, handler in _operations(app, doc):
        opt = handler.opt
        _leave_out_empty_bodies(operation)
        if needs_nothing(handler):
            operation["requestBody"]["required"] = False
        if accepts := opt.get("accepts"):
            file = {"schema": {"type": "string", "format": "binary"}}
            operation["requestBody"] = {"required": True, "content": dict.fromkeys(accepts, file)}
        for kind in opt.get("also", ()):
            operation["responses"]["200"]["content"][kind] = {"schema": {}}
        _describe_errors(operation, public=bool(opt.get("public")))
        if "text/event-stream" in operation["responses"].get("200", {}).get("content", {}):
            operation.setdefault("parameters", []).append(LAST_EVENT_ID)
        if opt.get("public"):
            operation["security"] = []
        creates = method == "post" and "201" in operation["responses"]
        if key := opt.get("idempotent", creates):
            _take_idempotency_key(operation, required=key == "required")
    components = doc.setdefault("components", {})
    _mend_tuples(components)
    components["schemas"] = dict(sorted({**components.get("schemas", {}), "Problem": PROBLEM}.items()))
    components["securitySchemes"] = {
        "bearer": {"type": "http", "scheme": "bearer", "description": "A session token or an API key."},
        "cookie": {"type": "apiKey", "in": "cookie", "name": cookie},
    }
    doc["security"] = [{"bearer": []}, {"cookie": []}]
    doc["paths"] = dict(sorted(doc.get("paths", {}).items()))
    return doc


def render(app: Litestar, *, cookie: str = "session") -> bytes:
    """The document as bytes, the same for the same application."""
    return msgspec.json.encode(document(app, cookie=cookie))


@cache
def needs_nothing(handler: BaseRouteHandler) -> bool:
    """A POST whose body has only fields that may be left out may be left out itself."""
    data = handler.parsed_data_field
    if data is None or "POST" not in getattr(handler, "http_methods", ()):
        return False
    shape = msgspec.inspect.type_info(data.annotation)
    return isinstance(shape, msgspec.inspect.StructType) and not any(field.required for field in shape.fields)


def _operations(app: Litestar, doc: Json) -> Iterator[tuple[str, Json, HTTPRouteHandler]]:
    """Each documented operation with its method and its handler."""
    for route in app.routes:
        if not isinstance(route, HTTPRoute) or route.path_format not in doc["paths"]:
            continue
        item = doc["paths"][route.path_format]
        for handler in route.route_handlers:
            for method in sorted(handler.http_methods):
                if (operation := item.get(method.lower())) is not None:
                    yield method.lower(), operation, handler


def _leave_out_empty_bodies(operation: Json) -> None:
    """An answer without a body has no content; Litestar documents the JSON `null` that it would never send."""
    for answer in operation["responses"].values():
        if all(kind.get("schema") == {"type": "null"} for kind in answer.get("content", {}).values()):
            answer.pop("content", None)


def _mend_tuples(schema: Any) -> None:
    """A tuple of any length has its own kind of items; Litestar takes the dots for another, which fits everything."""
    for part in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        match part:
            case {"items": {"oneOf": [items, {**rest}]}} if not rest:
                part["items"] = items
        _mend_tuples(part)


def _describe_errors(operation: Json, *, public: bool) -> None:
    """Every error is a Problem: those that the route names, those that its shape implies, and any other."""
    places = {parameter["in"] for parameter in operation.get("parameters", ())}
    implied = set() if public else {401, 403}
    if "path" in places:
        implied |= {404}
    if "query" in places:
        implied |= {400, 422}
    if "requestBody" in operation:
        implied |= {400, 413, 415, 422}
    named = {status: spec for status, spec in operation["responses"].items() if int(status) >= 400}
    # Litestar's guess for any route with parameters, in a shape of its own.
    if 400 not in implied and "extra" in str(named.get("400")):
        del operation["responses"]["400"], named["400"]
    for status in {*named, *map(str, implied)}:
        kind = BY_STATUS.get(int(status))
        text = kind.title if kind else named[status].get("description", "Refused")
        operation["responses"][status] = _problem(text)
    operation["responses"] = dict(sorted(operation["responses"].items()))
    operation["responses"]["default"] = _problem("Any other refusal or failure")


def _problem(description: str) -> Json:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {"description": description, "content": {MEDIA_TYPE: {"schema": schema}}}


def _take_idempotency_key(operation: Json, *, required: bool) -> None:
    parameters = operation.setdefault("parameters", [])
    if not any(parameter["name"].lower() == "idempotency-key" for parameter in parameters):
        parameters.append(IDEMPOTENCY_KEY | {"required": required})
