"""The organiser's console: a single-page application at every address below /console. Its data come from the API, with
the session of the person who reads it.

Its English texts are in the program. Another language's texts are a script that loads before it; the texts of the seat
map are such a script in every language.
"""

from litestar import Response
from litestar.params import FromPath
from litestar.response import Redirect

from fullhouse.web import words
from fullhouse.web.rendering import AnyRequest, page, public
from fullhouse.web.words import EN

_FRAME_SOURCE = "; frame-src 'self'"  # emails are previewed in a frame with a stricter policy of its own
# An email in the preview has its styles and nothing else: no forms, no requests, no links that open.
_EMAIL_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; sandbox allow-scripts; frame-ancestors 'self'"
)
_PRIVATE = {"cache-control": "private, no-store", "x-robots-tag": "noindex"}


@public("/console")
async def console_home(request: AnyRequest) -> Response[str]:
    return _render_console(request)


@public("/platform")
async def platform_home() -> Redirect:
    """Redirects to the console, where the pages of the platform's staff are."""
    return Redirect("/console/platform/organizations", headers=_PRIVATE)


@public("/console/letter")
async def email_frame() -> Response[str]:
    """An empty frame into which the console puts an email: emails have inline styles, which no other page may have."""
    frame = page("letter.html")
    frame.headers.update(_PRIVATE)
    frame.headers["content-security-policy"] = _EMAIL_POLICY
    return frame


@public("/console/{path:path}")
async def console(request: AnyRequest, path: FromPath[str]) -> Response[str]:
    """The script routes by the address, and shows its own page for unknown ones."""
    return _render_console(request)


def _render_console(request: AnyRequest) -> Response[str]:
    t = words.preferred_language(request) or EN
    map_texts = f"lib/words/speak/{t.code}"
    programs = [map_texts, "console"] if t is EN else [map_texts, f"console/words/{t.code}", "console"]
    shell = page("console.html", t=t, programs=programs)
    shell.headers.update(_PRIVATE | words.language_headers(request))
    shell.headers["content-security-policy"] += _FRAME_SOURCE
    return shell


handlers = [console_home, platform_home, email_frame, console]
