"""The OpenAPI 3.1 document of the API. Litestar's own describes errors that are never sent.

A route's `opt` declares what its signature cannot: `public=True` (no sign-in), `idempotent=True` or `"required"`
(the `Idempotency-Key` header; every POST that creates something accepts it unless `False`), `accepts` (the media
types of a body that is a file), `also` (further media types of its response).
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
        "type": {"type": "string", "description": "`/problems/{code}`, a page that explains the code."},
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
    "description": "A repeated request with the same key takes effect once; every repeat gets the first response.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
}
LAST_EVENT_ID: Json = {
    "name": "Last-Event-ID",
    "in": "header",
    "required": False,
    "description": "The id of the last message received. The stream continues after it, or begins with a snapshot.",
    "schema": {"type": "string"},
}


class StructSchemas(OpenAPISchemaPlugin):
    """Adds what Litestar omits: `additionalProperties: false` for strict bodies, and `required` for response fields.

    A field with a default is optional in a request, but always present in a response, unless the struct omits defaults.
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
        _drop_empty_bodies(operation)
        if is_body_optional(handler):
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
            _add_idempotency_key(operation, required=key == "required")
    components = doc.setdefault("components", {})
    _fix_tuples(components)
    components["schemas"] = dict(sorted({**components.get("schemas", {}), "Problem": PROBLEM}.items()))
    components["securitySchemes"] = {
        "bearer": {"type": "http", "scheme": "bearer", "description": "A session token or an API key."},
        "cookie": {"type": "apiKey", "in": "cookie", "name": cookie},
    }
    doc["security"] = [{"bearer": []}, {"cookie": []}]
    doc["paths"] = dict(sorted(doc.get("paths", {}).items()))
    return doc


def render(app: Litestar, *, cookie: str = "session") -> bytes:
    """The document as bytes; deterministic for the same application."""
    return msgspec.json.encode(document(app, cookie=cookie))


@cache
def is_body_optional(handler: BaseRouteHandler) -> bool:
    """A POST's body is optional if all of its fields are."""
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


def _drop_empty_bodies(operation: Json) -> None:
    """Removes the content of responses without a body, which Litestar documents as a JSON `null`."""
    for response in operation["responses"].values():
        if all(kind.get("schema") == {"type": "null"} for kind in response.get("content", {}).values()):
            response.pop("content", None)


def _fix_tuples(schema: Any) -> None:
    """Fixes the schema of `tuple[T, ...]`: Litestar documents the ellipsis as an item type that allows anything."""
    for part in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        match part:
            case {"items": {"oneOf": [items, {**rest}]}} if not rest:
                part["items"] = items
        _fix_tuples(part)


def _describe_errors(operation: Json, *, public: bool) -> None:
    """Documents every error as a Problem: the route's own, those implied by its inputs, and the default."""
    locations = {parameter["in"] for parameter in operation.get("parameters", ())}
    implied = set() if public else {401, 403}
    if "path" in locations:
        implied |= {404}
    if "query" in locations:
        implied |= {400, 422}
    if "requestBody" in operation:
        implied |= {400, 413, 415, 422}
    named = {status: spec for status, spec in operation["responses"].items() if int(status) >= 400}
    # Litestar's default for any route with parameters, in its own format.
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


def _add_idempotency_key(operation: Json, *, required: bool) -> None:
    parameters = operation.setdefault("parameters", [])
    if not any(parameter["name"].lower() == "idempotency-key" for parameter in parameters):
        parameters.append(IDEMPOTENCY_KEY | {"required": required})
