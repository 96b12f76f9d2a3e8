"""The gate scanner's page: what it may do, what is kept of it to run without a connection, and how it is installed."""

import json
import re
from typing import Any

import pytest

from fullhouse.web import assets
from fullhouse.web.pages import scanner
from tests.fixtures import Client

pytestmark = pytest.mark.req("SCAN-4")


def kept_files(script: str) -> list[str]:
    found = re.search(r"^const FILES = (\[.*\]);$", script, re.MULTILINE)
    assert found
    files: list[str] = json.loads(found[1])
    return files


async def test_the_page_may_run_webassembly_and_nothing_else_may_make_code(client: Client) -> None:
    answer = await client.get("/scan/")
    assert answer.status_code == 200
    policy = dict(part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";"))
    assert policy["script-src"] == "'self' 'wasm-unsafe-eval'"
    assert policy["default-src"] == "'none'"
    assert {policy[name] for name in ("connect-src", "manifest-src", "worker-src", "font-src")} == {"'self'"}
    assert "unsafe-inline" not in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-cache"
    assert '<link rel="manifest" href="/scan/manifest.webmanifest">' in answer.text
    assert "wasm-unsafe-eval" not in (await client.get("/my")).headers["content-security-policy"]


@pytest.mark.parametrize(
    ("asked", "told", "preferred"),
    [("af-ZA,en;q=0.5", "af", True), ("en", "en", True), ("zu", "en", False), ("", "en", False)],
)
async def test_it_speaks_as_its_reader_prefers(client: Client, asked: str, told: str, preferred: bool) -> None:
    """Without a preference it says so: the scanner then goes by the organisation's language, once it is paired."""
    page = await client.get("/scan/", headers={"accept-language": asked})
    assert f'<html lang="{told}"{" data-preferred" if preferred else ""}>' in page.text
    assert {"accept-language", "cookie"} <= {each.strip() for each in page.headers["vary"].split(",")}
    assert ("Hekskandeerder" in page.text) == (told == "af")


async def test_who_comes_without_the_slash_is_sent_to_where_the_worker_serves(client: Client) -> None:
    answer = await client.get("/scan", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (302, "/scan/")


async def test_the_worker_serves_the_scanner_alone_and_fetches_from_here_alone(client: Client) -> None:
    answer = await client.get("/scan/sw.js")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["service-worker-allowed"] == "/scan/"
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.headers["content-security-policy"] == "default-src 'none'; connect-src 'self'"
    again = await client.get("/scan/sw.js", headers={"if-none-match": answer.headers["etag"]})
    assert again.status_code == 304


async def test_the_worker_keeps_every_file_that_the_page_needs(client: Client) -> None:
    files = kept_files((await client.get("/scan/sw.js")).text)
    assert files[0] == "/scan/"
    assert len(files) == len(set(files))
    needed = re.findall(r'(?:href|src)="(/(?:built|static|scan)/[^"]+)"', (await client.get("/scan/")).text)
    assert set(needed) <= set(files)
    assert [name for name in files if name.endswith(".wasm")], "what reads the camera's pictures"
    assert [name for name in files if name.endswith(".woff2")]
    assert len([name for name in files if re.search(r"/(en|af)-[\w-]+\.js$", name)]) == 2, "the languages"
    assert not [name for name in files if name.startswith("/api/")]
    for name in files:
        answer = await client.get(name)
        assert answer.status_code == 200, name
        if name.endswith(".wasm"):
            assert answer.headers["content-type"] == "application/wasm"


async def test_a_changed_file_is_another_worker(client: Client, monkeypatch: Any) -> None:
    before = scanner._render_worker.__wrapped__()
    monkeypatch.setattr(assets, "list_needed_files", lambda entry: ["/built/assets/scan-changed0.js"])
    assert scanner._render_worker.__wrapped__() != before


async def test_it_can_be_installed(client: Client) -> None:
    answer = await client.get("/scan/manifest.webmanifest")
    assert answer.headers["content-type"].startswith("application/manifest+json")
    told = answer.json()
    assert (told["start_url"], told["scope"], told["display"]) == ("/scan/", "/scan/", "standalone")
    assert {"192x192", "512x512"} <= {icon["sizes"] for icon in told["icons"]}
    assert "maskable" in {icon["purpose"] for icon in told["icons"]}
    for icon in told["icons"]:
        picture = await client.get(icon["src"])
        assert (picture.status_code, picture.headers["content-type"]) == (200, icon["type"])
