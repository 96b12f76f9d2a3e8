"""The OpenAPI document, arranged for a reader: areas, endpoints, their parameters, bodies and responses."""

from typing import Any, NamedTuple

Json = dict[str, Any]
_METHODS = ("get", "post", "put", "patch", "delete")


class Field(NamedTuple):
    name: str
    kind: str
    required: bool
    what: str


class Endpoint(NamedTuple):
    method: str
    path: str
    summary: str
    description: str
    public: bool
    parameters: list[Field]
    body: list[Field]
    answers: list[tuple[str, str]]
    returns: list[Field]


class Area(NamedTuple):
    name: str
    endpoints: list[Endpoint]


def group_endpoints(document: Json) -> list[Area]:
    """Endpoints grouped by the first segment of their path, in the order of the document."""
    found: dict[str, list[Endpoint]] = {}
    for path, item in document["paths"].items():
        for method in _METHODS:
            if operation := item.get(method):
                found.setdefault(_area_of(path), []).append(_to_endpoint(document, method, path, operation))
    return [Area(name, endpoints) for name, endpoints in found.items()]


def _area_of(path: str) -> str:
    words = [word for word in path.split("/") if word and word != "api"]
    return words[0].split(".")[0]


def _to_endpoint(document: Json, method: str, path: str, operation: Json) -> Endpoint:
    answers = [(status, a["description"]) for status, a in operation["responses"].items() if status != "default"]
    success: Json = next((a for status, a in operation["responses"].items() if status.startswith("2")), {})
    return Endpoint(
        method.upper(),
        path,
        operation.get("summary", ""),
        operation.get("description", ""),
        operation.get("security") == [],
        [_to_field(document, p) for p in operation.get("parameters", ())],
        _list_fields(document, _find_schema(operation.get("requestBody", {}))),
        answers,
        _list_fields(document, _find_schema(success)),
    )


def _to_field(document: Json, parameter: Json) -> Field:
    where = {"header": " (header)", "cookie": " (cookie)"}.get(parameter["in"], "")
    return Field(
        parameter["name"],
        _describe_type(document, parameter.get("schema", {})).removesuffix(" or null") + where,
        bool(parameter.get("required")),
        parameter.get("description") or parameter.get("schema", {}).get("description", ""),
    )


def _find_schema(content_holder: Json) -> Json:
    content: Json = next(iter(content_holder.get("content", {}).values()), {})
    schema: Json = content.get("schema", {})
    return schema


def _list_fields(document: Json, schema: Json) -> list[Field]:
    """The fields of an object; for an envelope, those of its `data`."""
    schema = _resolve(document, schema)
    properties = schema.get("properties", {})
    if "data" in properties:
        inner = _resolve(document, properties["data"])
        return _list_fields(document, inner.get("items", inner))
    required = schema.get("required", ())
    return [
        Field(name, _describe_type(document, value), name in required, value.get("description", ""))
        for name, value in properties.items()
    ]


def _resolve(document: Json, schema: Json) -> Json:
    if reference := schema.get("$ref"):
        found: Json = document["components"]["schemas"][reference.rpartition("/")[2]]
        return found
    return schema


def _describe_type(document: Json, schema: Json) -> str:
    """A type in a few words: `string (email)`, `list of integer`, `a | b`."""
    if "$ref" in schema:
        return _describe_type(document, _resolve(document, schema))
    if options := schema.get("oneOf") or schema.get("anyOf"):
        return " or ".join(dict.fromkeys(_describe_type(document, option) for option in options))
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    if "const" in schema:
        return str(schema["const"])
    kind = schema.get("type", "object" if "properties" in schema else "any")
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "array":
        return f"list of {_describe_type(document, schema.get('items', {}))}"
    text = f"{kind} ({schema['format']})" if "format" in schema else str(kind)
    bounds = [f"{sign} {schema[key]:g}" for key, sign in (("minimum", "≥"), ("maximum", "≤")) if key in schema] + [
        f"{sign} {schema[key]} characters" for key, sign in (("minLength", "≥"), ("maxLength", "≤")) if key in schema
    ]
    return f"{text}, {', '.join(bounds)}" if bounds else text
