"""Pages for people: the front door, links from mails, the API's documentation, the page behind every problem code."""

import hashlib
import mimetypes
import re
from collections.abc import Callable
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
from fullhouse.web import reference

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
_templates.filters["prose"] = lambda text: Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text))))  # noqa: S704


def page(name: str, **values: Any) -> Response[str]:
    text = _templates.get_template(name).render(**values)
    return Response(text, media_type=MediaType.HTML, headers={"content-security-policy": _POLICY})


def public(path: str) -> Callable[[Any], HTTPRouteHandler]:
    return get(path, opt={"public": True}, include_in_schema=False)


@public("/")
async def home() -> Response[str]:
    return page("home.html")


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
async def openapi_json(request: Request[Any, Any, State]) -> Response[bytes]:
    return Response(_document(request.app)[1], media_type=MediaType.JSON)


@public("/api/docs")
async def docs(request: Request[Any, Any, State]) -> Response[str]:
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


handlers = [home, sign_in_by_link, join_by_link, problem, openapi_json, docs, static]
