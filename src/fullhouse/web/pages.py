"""How a page is made; links from mails, the API's documentation, the page behind every problem code."""

import hashlib
import mimetypes
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from litestar import MediaType, Request, Response, get
from litestar.datastructures import State
from litestar.exceptions import NotFoundException
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from markupsafe import Markup, escape

from fullhouse import VERSION
from fullhouse.kit.errors import NotFound
from fullhouse.kit.http import openapi, problems
from fullhouse.kit.http.guard import COOKIE
from fullhouse.web import programme, reference

AnyRequest = Request[Any, Any, State]
_FOR_PROGRAMS = ("/api/", "/event/")
_HERE = Path(__file__).parent
_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_templates = Environment(
    loader=FileSystemLoader(_HERE / "templates"),
    autoescape=select_autoescape(),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_templates.globals["version"] = VERSION
_templates.filters["words"] = programme.words
_templates.filters["prose"] = lambda text: Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text))))  # noqa: S704


def page(name: str, *, status: int = 200, **values: Any) -> Response[str]:
    text = _templates.get_template(name).render(**values)
    headers = {"content-security-policy": _POLICY}
    return Response(text, status_code=status, media_type=MediaType.HTML, headers=headers)


def kept_page(request: AnyRequest, name: str, **values: Any) -> Response[bytes]:
    """A page that browsers may keep, if they ask every time whether it is still the same."""
    text = _templates.get_template(name).render(**values)
    return kept(request, text.encode(), "text/html", {"content-security-policy": _POLICY})


def kept(request: AnyRequest, body: bytes, kind: str, headers: Mapping[str, str] | None = None) -> Response[bytes]:
    """The body, or 304 for those who have it. Both carry the same headers: browsers keep those of the later one."""
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    told = {"etag": etag, "cache-control": "no-cache", **(headers or {})}
    known = [tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")]
    if etag in known or "*" in known:
        return Response(b"", status_code=304, headers=told)
    return Response(body, media_type=kind, headers=told)


def lost(request: AnyRequest, error: Exception) -> Response[Any]:
    """A person who follows a dead link gets a page; a program gets the problem."""
    path, accepts = request.url.path, request.headers.get("accept", "")
    if path.startswith(_FOR_PROGRAMS) or not (path.startswith("/o/") or "text/html" in accepts):
        problem = problems.answer(error)
        return Response(problem.body, status_code=problem.status, media_type=problems.MEDIA_TYPE)
    return page("lost.html", status=404)


exception_handlers: dict[int | type[Exception], Any] = {NotFound: lost, NotFoundException: lost}


def public(path: str) -> Callable[[Any], HTTPRouteHandler]:
    return get(path, opt={"public": True}, include_in_schema=False)


@public("/sign-in")
async def sign_in_by_link() -> Response[str]:
    return page("link.html", title="Sign in", purpose="sign-in")


@public("/join")
async def join_by_link() -> Response[str]:
    return page("link.html", title="Join the team", purpose="join")


@public("/problems/{code:str}")
async def problem(code: FromPath[str]) -> Response[str]:
    description = problems.describe(code)
    if description is None:
        raise NotFound
    return page("problem.html", problem=description)


@public("/api/openapi.json")
async def openapi_json(request: AnyRequest) -> Response[bytes]:
    return Response(_document(request.app)[1], media_type=MediaType.JSON)


@public("/api/docs")
async def docs(request: AnyRequest) -> Response[str]:
    origin = request.app.state.services.public_url
    return page("docs.html", origin=origin, areas=reference.areas(_document(request.app)[0]))


@public("/static/{name:str}")
async def static(name: FromPath[str]) -> Response[bytes]:
    if name not in _static():
        raise NotFound
    body, kind, etag = _static()[name]
    return Response(body, media_type=kind, headers={"etag": etag, "cache-control": "public, max-age=300"})


@cache
def _document(app: Any) -> tuple[dict[str, Any], bytes]:
    return openapi.document(app, cookie=COOKIE), openapi.render(app, cookie=COOKIE)


@cache
def _static() -> dict[str, tuple[bytes, str, str]]:
    """All files, in memory: they are few and small, and the names are the only ones that exist."""
    found = {}
    for path in (_HERE / "static").iterdir():
        body = path.read_bytes()
        kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        found[path.name] = body, kind, f'"{hashlib.sha256(body).hexdigest()[:16]}"'
    return found


handlers = [sign_in_by_link, join_by_link, problem, openapi_json, docs, static]
