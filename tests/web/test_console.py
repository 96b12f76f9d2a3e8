"""The console's page: the same for everybody, kept by nobody, and with no script but ours."""

import re

import pytest

from fullhouse.web import assets
from tests.fixtures import Client, Tenant


@pytest.mark.req("RBAC-1")
@pytest.mark.parametrize("path", ["/console", "/console/events", "/console/events/1/queue", "/console/no-such-page"])
async def test_the_shell_is_kept_by_nobody_and_runs_only_our_scripts(client: Client, path: str) -> None:
    answer = await client.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "private, no-store"
    assert answer.headers["x-robots-tag"] == "noindex"
    policy = answer.headers["content-security-policy"]
    rules = {"script-src 'self'", "style-src 'self'", "frame-src 'self'", "frame-ancestors 'none'"}
    assert rules <= set(policy.split("; "))
    assert "unsafe" not in policy
    assert '<script type="module" src="/built/' in answer.text
    assert not re.search(r"<[^>]+ (style|on\w+)=", answer.text)


async def test_a_letter_lies_on_a_sheet_that_can_do_nothing_but_show_it(client: Client) -> None:
    answer = await client.get("/console/letter")
    policy = set(answer.headers["content-security-policy"].split("; "))
    assert policy == {
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'unsafe-inline'",
        "sandbox allow-scripts",
        "frame-ancestors 'self'",
    }
    assert answer.text.count("<script") == 1


async def test_the_shell_says_nothing_about_who_asks(client: Client, tenant: Tenant) -> None:
    signed_in = await client.as_(tenant.tokens["owner"]).get("/console")
    assert signed_in.text == (await client.get("/console")).text
    assert tenant.organization.name not in signed_in.text


async def test_what_the_console_reads_is_kept_by_nobody(client: Client, tenant: Tenant) -> None:
    owner = client.as_(tenant.tokens["owner"])
    for path in ("/api/me", "/api/events", "/api/orders", "/api/ledger/balance"):
        answer = await owner.get(path)
        assert answer.status_code == 200
        assert "no-store" in answer.headers["cache-control"]


def test_a_program_is_styled_after_what_it_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise its cascade layer would be named first, and lose against every other one."""
    chunks = {
        "src/console/main.ts": assets.Chunk(
            file="console.js", css=["console.css"], imports=["_parts.js"], dynamic_imports=["src/page.ts"]
        ),
        "_parts.js": assets.Chunk(file="parts.js", css=["parts.css"], imports=["_base.js"]),
        "_base.js": assets.Chunk(file="base.js", css=["base.css"]),
    }
    monkeypatch.setattr(assets, "_load_manifest", lambda: chunks)
    tags = assets.render_tags.__wrapped__("console")
    assert re.findall(r"\w+\.css", tags) == ["base.css", "parts.css", "console.css"]


async def test_the_shop_has_one_style_sheet_with_that_of_the_checkout(client: Client) -> None:
    tags = assets.render_tags("lib/words/speak/en", "store")
    (sheet,) = re.findall(r'rel="stylesheet" href="([^"]+)"', tags)
    body = (await client.get(sheet)).content
    parts = assets._resolve_imports(["src/store/main.ts", "src/checkout/main.ts"])[1]
    assert set(parts) > set(assets._resolve_imports(["src/store/main.ts"])[1])
    bodies = [(assets.BUILT / part).read_bytes() for part in parts]
    assert len(parts) > 1
    assert body == b"\n".join(bodies)
    assert "immutable" in (await client.get(sheet)).headers["cache-control"]


@pytest.mark.parametrize(
    "programs",
    [(f"lib/words/speak/{code}", "store") for code in ("en", "af")]
    + [(f"lib/words/speak/{code}", f"lib/words/speak/{code}/later", "my") for code in ("en", "af")]
    + [("queue",), ("scan",), ("console",), ("console/words/af", "console")],
    ids=" ".join,
)
def test_whatever_a_page_names_is_there(programs: tuple[str, ...]) -> None:
    named = re.findall(r'(?:href|src)="/built/([^"]+)"', assets.render_tags(*programs))
    assert named
    assert not [name for name in named if assets.find_file(name) is None]


@pytest.mark.parametrize("path", ["/static/house.css", "/static/house.js", "/widget.js", "/tickets-sw.js"])
async def test_what_is_not_built_comes_packed_too_and_is_asked_about(client: Client, path: str) -> None:
    plain = await client.get(path, headers={"accept-encoding": "identity"})
    packed = await client.get(path, headers={"accept-encoding": "gzip"})
    assert (plain.status_code, packed.headers["content-encoding"]) == (200, "gzip")
    assert packed.content == plain.content
    assert int(packed.headers["content-length"]) < len(plain.content)
    known = await client.get(path, headers={"if-none-match": plain.headers["etag"]})
    assert (known.status_code, known.content) == (304, b"")


async def test_a_built_file_comes_packed_to_whoever_can_unpack_it(client: Client) -> None:
    *_, script = re.findall(r'<script type="module" src="([^"]+)"', (await client.get("/console")).text)
    plain = await client.get(script, headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    packed = await client.get(script, headers={"accept-encoding": "gzip, br"})
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.headers["vary"] == plain.headers["vary"] == "accept-encoding"
    assert packed.content == plain.content  # the client unpacks it
    assert int(packed.headers["content-length"]) < len(plain.content) / 2


@pytest.mark.parametrize(
    ("asked", "headers", "expected"),
    [
        ("", {}, "en"),
        ("", {"accept-language": "af-ZA, en;q=0.5"}, "af"),
        ("", {"accept-language": "de"}, "en"),
        ("?lang=af", {"accept-language": "en"}, "af"),
        ("", {"accept-language": "en", "cookie": "fullhouse_lang=af"}, "af"),
    ],
)
async def test_the_shell_is_in_the_readers_language(
    client: Client, asked: str, headers: dict[str, str], expected: str
) -> None:
    client.cookies.clear()
    for path in ("/console", "/console/events/1/queue"):
        answer = await client.get(path + asked, headers=headers)
        assert f'<html lang="{expected}">' in answer.text
        assert ("fullhouse_lang=af" in answer.headers.get("set-cookie", "")) == bool(asked)
        scripts = re.findall(r'<script type="module" src="/built/assets/([a-z-]+)-', answer.text)
        # A language speaks before the program that asks it; whoever reads English does not load another.
        assert scripts == (["en", "console"] if expected == "en" else ["af", "console-af", "console"])
        client.cookies.clear()
