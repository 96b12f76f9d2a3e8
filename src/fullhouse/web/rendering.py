"""Rendering of pages; the API reference, a page for every problem code, static and built files."""

import hashlib
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from litestar import MediaType, Request, Response, get
from litestar.datastructures import State
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from markupsafe import Markup, escape

from fullhouse import VERSION
from fullhouse.kit.errors import NotFound
from fullhouse.kit.http import openapi, problems
from fullhouse.kit.http.guard import COOKIE
from fullhouse.kit.http.versions import matches_etag
from fullhouse.kit.languages import Words
from fullhouse.web import api_reference, assets, content_security, words
from fullhouse.web.words import EN

AnyRequest = Request[Any, Any, State]
_API_PREFIXES = ("/api/", "/event/", "/health/")
_ERROR_TEXTS = {
    404: "lost",
    429: "often",
    500: "broken",
    503: "busy",
}  # by status: the prefix of the error page's texts
_HERE = Path(__file__).parent
_templates = Environment(
    loader=FileSystemLoader(_HERE / "templates"),
    autoescape=select_autoescape(),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_templates.globals["version"] = VERSION
_templates.globals["built"] = assets.render_tags
_templates.globals["part_of"] = assets.list_deferred_scripts
_MARK = (_HERE / "static/mark.svg").read_text().replace("<svg", '<svg aria-hidden="true"', 1)
_templates.globals["mark"] = Markup(_MARK)  # noqa: S704 - our own file; inlined, which saves a request
_templates.filters["prose"] = lambda text: Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text))))  # noqa: S704


def render(name: str, **values: Any) -> str:
    return _templates.get_template(name).render(**values)


def page(
    name: str, *, status: int = 200, t: Words = EN, policy: str = content_security.DEFAULT, **values: Any
) -> Response[str]:
    text = render(name, t=t, **values)
    return Response(text, status_code=status, media_type=MediaType.HTML, headers={"content-security-policy": policy})


def cacheable_page(
    request: AnyRequest, name: str, *, t: Words, policy: str = content_security.DEFAULT, **values: Any
) -> Response[bytes]:
    """A page that browsers may cache, but must revalidate on every request."""
    text = render(name, t=t, **values)
    return cacheable_response(
        request, text.encode(), "text/html", {"content-security-policy": policy} | words.language_headers(request)
    )


def cacheable_response(
    request: AnyRequest, body: bytes, kind: str, headers: Mapping[str, str] | None = None
) -> Response[bytes]:
    """The body, or 304 if the client has it. Both carry the same headers: browsers store those of the later one."""
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    all_headers = {"etag": etag, "cache-control": "no-cache", **(headers or {})}
    known = [tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")]
    if etag in known or "*" in known:
        return Response(b"", status_code=304, headers=all_headers)
    return Response(body, media_type=kind, headers=all_headers)


def error_response(request: AnyRequest, error: Exception) -> Response[Any]:
    """The error response: a page for browsers, problem+json for programs."""
    path, accepts = request.scope["path"], request.headers.get("accept", "")
    problem = problems.to_response(error)
    status, headers = problem.status, dict(problem.headers)
    if path.startswith(_API_PREFIXES) or not (path.startswith("/o/") or "text/html" in accepts):
        return Response(problem.body, status_code=status, media_type=problems.MEDIA_TYPE, headers=headers)
    request_id = request.scope["state"].get("request_id", "")
    t = words.preferred_language(request) or EN
    text_key = _ERROR_TEXTS.get(status, "refused")
    response = page("refused.html", status=status, t=t, code=status, text_key=text_key, request_id=request_id)
    response.headers.update(headers | words.language_headers(request) | {"cache-control": "no-store"})
    return response


exception_handlers: dict[int | type[Exception], Any] = {Exception: error_response}


def public(path: str) -> Callable[[Any], HTTPRouteHandler]:
    return get(path, opt={"public": True}, include_in_schema=False)


@public("/problems/{code:str}")
async def problem(code: FromPath[str]) -> Response[str]:
    description = problems.find_description(code)
    if description is None:
        raise NotFound
    return page("problem.html", problem=description)


@public("/api/openapi.json")
async def openapi_json(request: AnyRequest) -> Response[bytes]:
    return Response(_load_document(request.app)[1], media_type=MediaType.JSON)


@public("/api/docs")
async def docs(request: AnyRequest) -> Response[str]:
    origin = request.app.state.services.public_url
    return page("docs.html", origin=origin, areas=api_reference.group_endpoints(_load_document(request.app)[0]))


@public("/static/{name:str}")
async def static(request: AnyRequest, name: FromPath[str]) -> Response[bytes]:
    return static_file(request, name)


def static_file(request: AnyRequest, name: str, cache: str | None = None) -> Response[bytes]:
    return _file_response(request, _load_static().get(name), cache)


@public("/built/{path:path}")
async def built(request: AnyRequest, path: FromPath[str]) -> Response[bytes]:
    return _file_response(request, assets.find_file(path))


def _file_response(request: AnyRequest, file: assets.File | None, cache: str | None = None) -> Response[bytes]:
    if file is None:
        raise NotFound
    headers = {"etag": file.etag, "cache-control": cache or file.cache_control, "vary": "accept-encoding"}
    if matches_etag(request.headers.get("if-none-match", ""), file.etag):
        return Response(b"", status_code=304, headers=headers)
    if file.gzipped and "gzip" in request.headers.get("accept-encoding", ""):
        return Response(file.gzipped, media_type=file.media_type, headers=headers | {"content-encoding": "gzip"})
    return Response(file.body, media_type=file.media_type, headers=headers)


@cache
def _load_document(app: Any) -> tuple[dict[str, Any], bytes]:
    return openapi.document(app, cookie=COOKIE), openapi.render(app, cookie=COOKIE)


@cache
def _load_static() -> dict[str, assets.File]:
    """All static files, in memory: they are few and small. No other name is served."""
    bodies = {path.name: path.read_bytes() for path in (_HERE / "static").iterdir()}
    bodies["house.css"] = bodies["fonts.css"] + bodies["house.css"]  # saves a request: every page needs both
    return {name: assets.make_file(name, body, "public, max-age=300") for name, body in bodies.items()}


handlers = [problem, openapi_json, docs, static, built]
