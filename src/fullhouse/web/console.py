"""The organiser's console: one page, whatever its address. What it shows, it asks of the API as its reader.

It speaks as its reader wishes. Its own English is in the program; what another language says is a script before it, as
is what the seat map says in any.
"""

from litestar import Response
from litestar.params import FromPath
from litestar.response import Redirect

from fullhouse.web import words
from fullhouse.web.pages import AnyRequest, page, public
from fullhouse.web.words import EN

_FRAMES = "; frame-src 'self'"  # letters are looked at in a frame, which has a stricter policy of its own
# What a letter can do: look like itself. No form, nothing fetched, no way out.
_SHEET = (
    "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; sandbox allow-scripts; frame-ancestors 'self'"
)
_PRIVATE = {"cache-control": "private, no-store", "x-robots-tag": "noindex"}


@public("/console")
async def console_home(request: AnyRequest) -> Response[str]:
    return _shell(request)


@public("/platform")
async def platform_home() -> Redirect:
    """The platform's staff have their pages in the console."""
    return Redirect("/console/platform/organizations", headers=_PRIVATE)


@public("/console/letter")
async def letter_frame() -> Response[str]:
    """An empty sheet, on which the console lays a letter: mail has its styles inside, which no page of ours may."""
    sheet = page("letter.html")
    sheet.headers.update(_PRIVATE)
    sheet.headers["content-security-policy"] = _SHEET
    return sheet


@public("/console/{path:path}")
async def console(request: AnyRequest, path: FromPath[str]) -> Response[str]:
    """The script knows which addresses there are, and says so itself where there is nothing."""
    return _shell(request)


def _shell(request: AnyRequest) -> Response[str]:
    t = words.wanted(request) or EN
    spoken = f"lib/words/speak/{t.code}"  # by the seat map
    programs = [spoken, "console"] if t is EN else [spoken, f"console/words/{t.code}", "console"]
    shell = page("console.html", t=t, programs=programs)
    shell.headers.update(_PRIVATE | words.told(request))
    shell.headers["content-security-policy"] += _FRAMES
    return shell


handlers = [console_home, platform_home, letter_frame, console]
