"""The files that Vite built from `frontend/`, and which of them a page needs.

A built file with a content hash in its name is cached for good; other files are revalidated after an hour.
"""

import gzip
import hashlib
import mimetypes
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec
from markupsafe import Markup

BUILT = Path(__file__).parent / "built"
_HASHED = re.compile(r"-[\w-]{8}\.\w+$")
_IMMUTABLE, _ONE_HOUR = "public, max-age=31536000, immutable", "public, max-age=3600"
_COMPRESSIBLE = {".js", ".css", ".svg", ".wasm"}
# Entries that a program loads later, by a name that the page gives it. Their style sheets load with the program's own.
_DEFERRED = {"src/store/main.ts": "src/checkout/main.ts"}
mimetypes.add_type("font/woff2", ".woff2")
mimetypes.add_type("application/wasm", ".wasm")


class Chunk(msgspec.Struct, frozen=True):
    """An entry of Vite's manifest."""

    file: str
    css: list[str] = []
    imports: list[str] = []
    dynamic_imports: list[str] = msgspec.field(name="dynamicImports", default_factory=list)
    assets: list[str] = []
    is_entry: bool = msgspec.field(name="isEntry", default=False)


class File(NamedTuple):
    body: bytes
    gzipped: bytes  # gzip; empty for types that do not compress
    media_type: str
    etag: str
    cache_control: str


def find_file(path: str) -> File | None:
    return _load_files().get(path.lstrip("/"))


@cache
def render_tags(*entries: str) -> Markup:
    """The tags for programs: style sheets, preloads of their imports, and the scripts, which run in this order."""
    manifest = _load_manifest()
    programs = [f"src/{entry}/main.ts" for entry in entries]
    wanted, styles = _resolve_imports(programs)
    if not any(manifest[name].dynamic_imports for name in programs):  # dynamic imports look up their own sheets by name
        styles = _list_styles(programs[-1])  # the last program's include those of the language scripts before it
        styles = [_bundle_styles(styles, _load_files())[0]] if styles else []
    lines = [Markup('<link rel="stylesheet" href="/built/{}">').format(style) for style in styles]
    loaded, run = wanted[len(programs) :], programs
    lines += [Markup('<link rel="modulepreload" href="/built/{}">').format(manifest[name].file) for name in loaded]
    lines += [Markup('<script type="module" src="/built/{}"></script>').format(manifest[name].file) for name in run]
    return Markup("\n  ").join(lines)


def list_deferred_scripts(entry: str, language: str) -> str:
    """The scripts of an entry that a program loads later: its texts, then itself."""
    names = f"src/lib/words/speak/{language}/later/main.ts", _DEFERRED[f"src/{entry}/main.ts"]
    return " ".join(f"/built/{_load_manifest()[name].file}" for name in names)


def _list_styles(program: str) -> list[str]:
    return _resolve_imports([program, *filter(None, [_DEFERRED.get(program)])])[1]


def _resolve_imports(programs: list[str]) -> tuple[list[str], list[str]]:
    """The static imports of programs, transitively, and their style sheets."""
    manifest, wanted = _load_manifest(), [*programs]
    styles: list[str] = []
    for name in wanted:  # grows as it goes
        wanted += [other for other in manifest[name].imports if other not in wanted]
        # Imported sheets come first: cascade layers take precedence in the order in which they are named.
        styles = [style for style in manifest[name].css if style not in styles] + styles
    return wanted, styles


def _bundle_styles(styles: list[str], files: dict[str, File]) -> tuple[str, bytes]:
    """Style sheets concatenated under a name of their own: on a phone each request costs more than its bytes."""
    if len(styles) == 1:
        return styles[0], files[styles[0]].body
    body = b"\n".join(files[style].body for style in styles)
    return f"assets/styles-{hashlib.sha256(body).hexdigest()[:8]}.css", body


def list_needed_files(entry: str) -> list[str]:
    """Every file that a program may request, with the fonts: what a service worker caches to run it offline."""
    manifest = _load_manifest()
    wanted = [f"src/{entry}/main.ts"]
    for name in wanted:  # grows as it goes
        wanted += [other for other in (*manifest[name].imports, *manifest[name].dynamic_imports) if other not in wanted]
    chunks = [manifest[name] for name in wanted]
    files = {file for chunk in chunks for file in (chunk.file, *chunk.css, *chunk.assets)}
    return [f"/built/{file}" for file in sorted(files | {name for name in _load_files() if name.endswith(".woff2")})]


@cache
def _load_manifest() -> dict[str, Chunk]:
    return msgspec.json.decode((BUILT / "manifest.json").read_bytes(), type=dict[str, Chunk])


@cache
def _load_files() -> dict[str, File]:
    """All built files, in memory. No other name is served."""
    found = {}
    for path in BUILT.rglob("*"):
        if path.is_file() and path.name != "manifest.json":
            kept = _IMMUTABLE if _HASHED.search(path.name) else _ONE_HOUR
            found[str(path.relative_to(BUILT))] = make_file(path.name, path.read_bytes(), kept)
    for (
        name,
        chunk,
    ) in _load_manifest().items():  # every process must know the bundles, whichever of them rendered the page
        if chunk.is_entry and (styles := _list_styles(name)):
            sheet, body = _bundle_styles(styles, found)
            found.setdefault(sheet, make_file(sheet, body, _IMMUTABLE))
    return found


def make_file(name: str, body: bytes, kept: str) -> File:
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    packed = gzip.compress(body, mtime=0) if Path(name).suffix in _COMPRESSIBLE else b""
    return File(body, packed, kind, f'"{hashlib.sha256(body).hexdigest()[:16]}"', kept)
