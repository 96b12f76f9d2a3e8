"""Writes the contract between the API and its pages, without a server or a database.

    python scripts/contract.py

`frontend/openapi.json` is the document that `/api/openapi.json` serves, with one line for each value, so that its diff
shows every change of the API. `frontend/src/lib/contract.ts` has the same as types: if a page uses a field that the API
does not return, the compiler reports it. Both are committed; `.ci/run` writes them again and compares.
"""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from fullhouse import config
from fullhouse.kit.http import openapi
from fullhouse.kit.http.guard import COOKIE
from fullhouse.processes import app

FRONTEND = Path(__file__).parents[1] / "frontend"
DOCUMENT, TYPES = FRONTEND / "openapi.json", FRONTEND / "src" / "lib" / "contract.ts"
HEAD = "// What the API takes and gives. Made of openapi.json by `make contract`, never by hand.\n\n"
JSON = "application/json"
SIMPLE = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
Json = dict[str, Any]


def main() -> None:
    for path, text in made().items():
        if not path.exists() or path.read_text() != text:  # an unchanged file is not written: it may be read meanwhile
            path.write_text(text)


def made() -> dict[Path, str]:
    """Each file with the text that it should have."""
    document = json.loads(openapi.render(app.build(config.load({})).wide, cookie=COOKIE))
    return {DOCUMENT: json.dumps(document, indent=1, ensure_ascii=False) + "\n", TYPES: HEAD + types(document)}


def types(document: Json) -> str:
    """A type for each schema, then a table of routes. Envelopes are left out: the client unwraps them."""
    schemas: Json = document["components"]["schemas"]
    shown = {name: schema for name, schema in schemas.items() if not name.startswith(("DataEnvelope_", "Page_"))}
    named = [
        f"export interface {_identifier(name)} {_object(schema)}\n"
        if "properties" in schema
        else f"export type {_identifier(name)} = {_type(schema)};\n"
        for name, schema in shown.items()
    ]
    routes = [
        f"{_comment(operation.get('summary'))}'{method.upper()} {_shape(path)}': {_route(schemas, operation)};"
        for path, item in document["paths"].items()
        for method, operation in item.items()
    ]
    table = (
        "/** By method and path, `{}` where a path names something. `data` is in the envelope of one thing, `row` in\n"
        " * that of a page; a route that has neither answers with nothing, or not in JSON. */\n"
        f"export interface Routes {_block(routes)}\n"
    )
    return "\n".join([*named, table])


def _route(schemas: Json, operation: Json) -> str:
    parts = []
    if schema := _in_json(operation.get("requestBody", {})):
        optional = "" if operation["requestBody"].get("required") else "?"
        parts.append(f"body{optional}: {_type(schema)}")
    given = [answer for status, answer in operation["responses"].items() if status.startswith("2")]
    envelopes = [
        schemas[_named(schema)]["properties"] for answer in given if (schema := _in_json(answer)) and "$ref" in schema
    ]
    if envelopes and "next_cursor" in envelopes[0]:
        parts.append(f"row: {_type(envelopes[0]['data']['items'])}")
    elif envelopes:
        parts.append(f"data: {_any(envelope['data'] for envelope in envelopes)}")
    return f"{{ {'; '.join(parts)} }}" if parts else "{}"


def _in_json(body: Json) -> Json | None:
    schema: Json | None = body.get("content", {}).get(JSON, {}).get("schema")
    return schema


def _object(schema: Json) -> str:
    required = set(schema.get("required", ()))
    return _block(
        f"{_comment(part.get('description'))}{name}{'' if name in required else '?'}: {_type(part)};"
        for name, part in schema["properties"].items()
    )


def _type(schema: Json) -> str:
    """Raises LookupError for a form of schema that is not known here: no type is better than a wrong one."""
    match schema:
        case {"$ref": _}:
            return _identifier(_named(schema))
        case {"const": value}:
            return _literal(value)
        case {"format": "binary"}:
            return "Blob"
        case {"enum": values}:
            return " | ".join(dict.fromkeys(map(_literal, values)))
        case {"oneOf": several}:
            return _any(several)
        case {"type": "array", "items": items}:
            inner = _type(items)
            return f"({inner})[]" if " | " in inner else f"{inner}[]"
        case {"type": "object", "properties": _}:
            return _object(schema)
        case {"type": "object"}:
            return f"Record<string, {_type(schema.get('additionalProperties', {}))}>"
        case {"type": str(kind)} if kind in SIMPLE:
            return SIMPLE[kind]
        case {**rest} if not rest:
            return "unknown"
    raise LookupError(f"no type for {schema}")


def _any(schemas: Iterable[Json]) -> str:
    return " | ".join(dict.fromkeys(map(_type, schemas)))


def _named(schema: Json) -> str:
    return str(schema["$ref"]).rpartition("/")[2]


def _identifier(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise LookupError(f"“{name}” is no name for a type")
    return name


def _shape(path: str) -> str:
    return re.sub(r"\{\w+\}", "{}", path)


def _literal(value: Any) -> str:
    return "null" if value is None else f"'{value}'" if isinstance(value, str) else json.dumps(value)


def _comment(text: str | None) -> str:
    return f"/** {' '.join(text.split())} */\n" if text else ""


def _block(parts: Iterable[str]) -> str:
    def lines() -> Iterator[str]:
        for part in parts:
            for line in part.split("\n"):
                yield f"  {line}\n"

    return "{\n" + "".join(lines()) + "}"


if __name__ == "__main__":
    main()
