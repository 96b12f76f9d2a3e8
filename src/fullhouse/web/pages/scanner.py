"""The gate scanner at /scan/: an installable page that opens without a connection."""

import hashlib
from functools import cache
from typing import Any

import msgspec
from litestar import Response
from litestar.response import Redirect

from fullhouse.web import assets, words
from fullhouse.web.rendering import AnyRequest, cacheable_response, page, public, render

SCOPE = "/scan/"
# As for every page, and WebAssembly, which decodes the camera's pictures. `eval` stays forbidden.
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self'; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
# A service worker has a policy of its own: this one fetches what it caches, from this origin only.
WORKER_POLICY = "default-src 'none'; connect-src 'self'"
_ICONS = (
    ("/static/gate.svg", "any", "image/svg+xml", "any"),
    ("/static/gate-192.png", "192x192", "image/png", "any"),
    ("/static/gate-512.png", "512x512", "image/png", "any"),
    ("/static/gate-mask-512.png", "512x512", "image/png", "maskable"),
)
MANIFEST: dict[str, Any] = {
    "id": SCOPE,
    "name": "fullhouse gate scanner",
    "short_name": "Gate",
    "description": "Scans tickets at the gates, online or offline.",
    "start_url": SCOPE,
    "scope": SCOPE,
    "display": "standalone",
    "background_color": "#0d0f11",
    "theme_color": "#0d0f11",
    "icons": [{"src": src, "sizes": sizes, "type": kind, "purpose": use} for src, sizes, kind, use in _ICONS],
}


@public("/scan")
async def scanner(request: AnyRequest) -> Response[Any]:
    """Redirects to the address with the slash: without it the page is outside the service worker's scope."""
    if not request.scope["raw_path"].endswith(b"/"):
        return Redirect(SCOPE)
    t = words.preferred_language(request)
    response = page("scanner.html", t=t or words.EN, preferred=t is not None)
    response.headers.update(
        {"content-security-policy": POLICY, "cache-control": "no-cache"} | words.language_headers(request)
    )
    return response


@public("/scan/manifest.webmanifest")
async def manifest(request: AnyRequest) -> Response[bytes]:
    return cacheable_response(request, msgspec.json.encode(MANIFEST), "application/manifest+json")


@public("/scan/sw.js")
async def service_worker(request: AnyRequest) -> Response[bytes]:
    headers = {"content-security-policy": WORKER_POLICY, "service-worker-allowed": SCOPE}
    return cacheable_response(request, _render_worker(), "text/javascript", headers)


@cache
def _render_worker() -> bytes:
    """The service worker's script. It names every file that the page needs: when one changes, so does the script, and
    browsers fetch all files again."""
    icons = [src for src, *_ in _ICONS]
    files = [*assets.list_needed_files("scan"), "/static/fonts.css", "/scan/manifest.webmanifest", *icons]
    pages = [render("scanner.html", t=t, preferred=False) for t in words.ALL]
    version = hashlib.sha256("\n".join([*files, *pages]).encode()).hexdigest()[:16]
    return render("scanner.js", version=version, files=[SCOPE, *files]).encode()


handlers = [scanner, manifest, service_worker]
