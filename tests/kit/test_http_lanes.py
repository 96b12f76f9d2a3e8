"""One request, four ways: fast handler or twin, in-process ASGI or our own server. The answer is the same."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from ipaddress import ip_network
from typing import Any

import httpx
import pytest
from litestar import Litestar, get
from litestar.config.cors import CORSConfig
from litestar.params import FromPath

from fullhouse.kit.http.lanes import HotRequest, LaneRouter, Response
from fullhouse.kit.http.middleware import Middleware
from fullhouse.kit.http.timeouts import Timeouts
from tests.kit.http_app import PLACES, build
from tests.kit.http_server import Server, serving

SHOP = "0190f5a0-0000-7000-8000-000000000001"
ORDER = "0190F5A0-0000-7000-8000-00000000000A"
PATH = f"/api/shops/{SHOP}/orders/{ORDER}"
JSON = {"content-type": "application/json"}
GOOD = b'{"lines":[{"name":"a"}]}'


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as server:
        yield server


@pytest.fixture
async def faces(server: Server) -> AsyncIterator[dict[str, httpx.AsyncClient]]:
    """The same application behind both transports."""
    edge = Middleware(max_in_flight=PLACES, trusted_proxies=(ip_network("127.0.0.1"),))
    async with AsyncExitStack() as stack:
        local = httpx.AsyncClient(transport=httpx.ASGITransport(build(edge)), base_url="http://test")
        remote = httpx.AsyncClient(base_url=server.url, verify=False)  # plain HTTP: no authorities to load
        yield {
            "asgi": await stack.enter_async_context(local),
            "wire": await stack.enter_async_context(remote),
        }


async def everywhere(faces: dict[str, httpx.AsyncClient], method: str, path: str, **request: Any) -> httpx.Response:
    """Send a request all four ways, insist on one answer, and return it."""
    answers: dict[str, httpx.Response] = {}
    for face, client in faces.items():
        for lane, suffix in (("fast", ""), ("twin", "/")):
            path_, mark, query = path.partition("?")
            answers[f"{face} {lane}"] = await client.request(
                method, f"{path_}{suffix}{mark}{query}", headers=request.get("headers"), content=_content(request)
            )
    shapes = {way: _shape(answer) for way, answer in answers.items()}
    first = shapes["asgi fast"]
    assert all(shape == first for shape in shapes.values()), shapes
    return answers["wire fast"]


def _content(request: dict[str, Any]) -> Any:
    """Bytes, or a function that makes a chunked body: it can be consumed but once."""
    content = request.get("content")
    return content() if callable(content) else content


def _shape(answer: httpx.Response) -> tuple[int, bytes, list[tuple[str, str]]]:
    ignored = {"date", "server", "x-request-id", "connection"}
    return answer.status_code, answer.content, sorted(h for h in answer.headers.multi_items() if h[0] not in ignored)


async def test_success_is_the_same(faces: dict[str, httpx.AsyncClient]) -> None:
    answer = await everywhere(faces, "POST", PATH, headers=JSON, content=GOOD)
    assert answer.status_code == 201
    assert answer.json() == {
        "data": {"order": {"lines": [{"name": "a", "quantity": 1}], "note": None}, "ids": [SHOP, ORDER.lower()]}
    }
    assert answer.headers["location"] == f"/api/shops/{SHOP}"
    assert answer.headers["content-type"] == "application/json"


async def test_every_answer_carries_the_headers_of_safety(faces: dict[str, httpx.AsyncClient]) -> None:
    answer = await everywhere(faces, "GET", "/api/who?a=b", headers={"x-request-id": "12345678"})
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "same-origin"
    assert answer.headers["x-frame-options"] == "DENY"
    assert answer.headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert answer.headers["cross-origin-opener-policy"] == "same-origin"
    assert answer.headers["cache-control"] == "no-store"
    assert "strict-transport-security" not in answer.headers


async def test_an_empty_answer_has_no_type(faces: dict[str, httpx.AsyncClient]) -> None:
    for client in faces.values():
        answer = await client.delete(f"/api/shops/{SHOP}")
        assert (answer.status_code, answer.content) == (204, b"")
        assert "content-type" not in answer.headers


DEEP = 21
BAD_BODIES = [
    ("broken", b'{"lines":', 400, "malformed_request"),
    ("trailing", GOOD + b"x", 400, "malformed_request"),
    ("empty", b"", 400, "malformed_request"),
    ("nul byte", b'{"lines":[],"note":"\0"}', 400, "malformed_request"),
    ("nul escape", rb'{"lines":[],"note":"\u0000"}', 400, "malformed_request"),
    ("high surrogate", rb'{"lines":[],"note":"\ud83d"}', 400, "malformed_request"),
    ("low surrogate", rb'{"lines":[],"note":"\ude00"}', 400, "malformed_request"),
    ("not utf-8", b'{"lines":[],"note":"\xff"}', 400, "malformed_request"),
    ("utf-8 surrogate", b'{"lines":[],"note":"\xed\xa0\x80"}', 400, "malformed_request"),
    ("deep", b'{"lines":[],"note":' + b"[" * DEEP + b"]" * DEEP + b"}", 400, "malformed_request"),
    ("abyss", b"[" * 60_000, 400, "malformed_request"),
    ("2^63", b'{"lines":[{"name":"a","quantity":9223372036854775808}]}', 422, "invalid"),
    ("-2^63-1", b'{"lines":[],"note":{"a":[-9223372036854775809]}}', 422, "invalid"),
    ("5000 digits", b'{"lines":[],"note":' + b"9" * 5000 + b"}", 422, "invalid"),
    ("zero", b'{"lines":[{"name":"a","quantity":0}]}', 422, "invalid"),
    ("bool", b'{"lines":[{"name":"a","quantity":true}]}', 422, "invalid"),
    ("text", b'{"lines":[{"name":"a","quantity":"3"}]}', 422, "invalid"),
    ("float", b'{"lines":[{"name":"a","quantity":1.0}]}', 422, "invalid"),
    ("missing", b'{"lines":[{}]}', 422, "invalid"),
    ("not an object", b"[]", 422, "invalid"),
    ("unknown field", b'{"lines":[],"price":1}', 422, "unknown_field"),
    ("unknown field below", b'{"lines":[{"name":"a","price":1}]}', 422, "unknown_field"),
    ("too large", b'{"lines":[],"note":"' + b"x" * 65_536 + b'"}', 413, "body_too_large"),
]


@pytest.mark.parametrize(("body", "status", "code"), [case[1:] for case in BAD_BODIES], ids=[c[0] for c in BAD_BODIES])
async def test_a_bad_body_is_refused(faces: dict[str, httpx.AsyncClient], body: bytes, status: int, code: str) -> None:
    answer = await everywhere(faces, "POST", PATH, headers=JSON, content=body)
    problem = answer.json()
    assert (answer.status_code, problem["status"], problem["code"]) == (status, status, code)
    assert answer.headers["content-type"] == "application/problem+json"
    assert problem["type"] == f"/problems/{code}"
    assert problem["detail"].endswith(".")


async def test_a_body_at_the_limits_is_accepted(faces: dict[str, httpx.AsyncClient]) -> None:
    fill = rb'"\ud83d\ude00 \\u0000 ' + "ü€😀".encode() + b'"'
    deep = b"[" * 19 + b"-9223372036854775808," + fill + b"]" * 19
    answer = await everywhere(faces, "POST", PATH, headers=JSON, content=b'{"lines":[],"note":' + deep + b"}")
    assert answer.status_code == 201
    exact = b'{"lines":[],"note":"' + b"[" * (65_536 - 22) + b'"}'
    assert (await everywhere(faces, "POST", PATH, headers=JSON, content=exact)).status_code == 201


async def test_a_chunked_body_is_counted_while_it_arrives(faces: dict[str, httpx.AsyncClient]) -> None:
    async def small() -> AsyncIterator[bytes]:
        for byte in GOOD:
            yield bytes([byte])

    async def endless() -> AsyncIterator[bytes]:
        for _ in range(200):
            yield b" " * 1000

    answer = await everywhere(faces, "POST", PATH, headers=JSON, content=small)
    assert answer.status_code == 201
    answer = await everywhere(faces, "POST", PATH, headers=JSON, content=endless)
    assert answer.status_code == 413


@pytest.mark.parametrize("media_type", ["text/plain", "application/x-www-form-urlencoded", None])
async def test_only_json_is_read(faces: dict[str, httpx.AsyncClient], media_type: str | None) -> None:
    headers = {"content-type": media_type} if media_type else None
    answer = await everywhere(faces, "POST", PATH, headers=headers, content=GOOD)
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


async def test_parameters_of_the_media_type_do_not_matter(faces: dict[str, httpx.AsyncClient]) -> None:
    headers = {"content-type": "Application/JSON; charset=utf-8"}
    assert (await everywhere(faces, "POST", PATH, headers=headers, content=GOOD)).status_code == 201


async def test_a_route_may_accept_more(faces: dict[str, httpx.AsyncClient]) -> None:
    image = bytes(range(256)) * 4096

    async def chunked() -> AsyncIterator[bytes]:
        for start in range(0, len(image), 10_000):
            yield image[start : start + 10_000]

    png = {"content-type": "image/png"}
    for content in (image, chunked):
        answer = await everywhere(faces, "POST", "/api/images", headers=png, content=content)
        assert answer.json() == {"size": len(image), "sha256": hashlib.sha256(image).hexdigest()}
    assert (await everywhere(faces, "POST", "/api/images", headers=png, content=image * 2)).status_code == 413
    assert (await everywhere(faces, "POST", "/api/images", headers=JSON, content=b"{}")).status_code == 415


async def test_refusals_keep_what_they_say(faces: dict[str, httpx.AsyncClient]) -> None:
    taken = await everywhere(faces, "POST", PATH, headers=JSON, content=b'{"lines":[],"note":"taken"}')
    assert taken.json() == {
        "type": "/problems/taken",
        "title": "The current state does not allow this",
        "status": 409,
        "detail": "Somebody else was quicker. Choose another one.",
        "code": "taken",
        "taken": [SHOP],
    }
    limited = await everywhere(faces, "POST", PATH, headers=JSON, content=b'{"lines":[],"note":"limit"}')
    assert (limited.status_code, limited.headers["retry-after"]) == (429, "7")


async def test_the_field_is_named(faces: dict[str, httpx.AsyncClient]) -> None:
    body = b'{"lines":[{"name":"a"},{"name":"b","quantity":0}]}'
    answer = await everywhere(faces, "POST", PATH, headers=JSON, content=body)
    assert answer.json()["fields"] == [{"path": "lines[1].quantity", "message": "Expected a whole number >= 1."}]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [(b"x", 500, "internal_error"), (b"away", 503, "unavailable"), (b"late", 503, "unavailable")],
)
async def test_accidents_leak_nothing(faces: dict[str, httpx.AsyncClient], body: bytes, status: int, code: str) -> None:
    answer = await everywhere(faces, "POST", "/api/boom", headers={"content-type": "text/plain"}, content=body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert "secret" not in answer.text
    assert answer.headers.get("retry-after") == ("1" if status == 503 else None)


@pytest.mark.parametrize(
    ("method", "path", "status", "allow"),
    [
        ("GET", "/api/nowhere", 404, None),
        ("POST", f"/api/shops/{SHOP}/orders/none", 404, None),
        ("POST", "/api/shops/{}/orders/{}", 404, None),
        ("GET", PATH, 405, {"POST", "OPTIONS"}),
        ("OPTIONS", "/api/who", 204, {"GET", "OPTIONS"}),
    ],
)
async def test_what_the_table_lacks_goes_to_the_wide_lane(
    faces: dict[str, httpx.AsyncClient], method: str, path: str, status: int, allow: set[str] | None
) -> None:
    for client in faces.values():
        answer = await client.request(method, path)
        assert answer.status_code == status
        assert answer.headers["x-request-id"]
        assert allow is None or set(answer.headers["allow"].split(", ")) == allow
        if status >= 400:
            assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    "path", ["/api/who%00", "/api/%ff", "/api/who?a=%00", "/api/who?a=%ff", "/api/who?a=%ED%A0%80"]
)
async def test_a_bad_address_is_refused(faces: dict[str, httpx.AsyncClient], path: str) -> None:
    for client in faces.values():
        answer = await client.get(path)
        assert (answer.status_code, answer.json()["code"]) == (400, "malformed_request")
        assert answer.headers["x-content-type-options"] == "nosniff"


async def test_a_stray_percent_sign_is_text(faces: dict[str, httpx.AsyncClient]) -> None:
    answer = await everywhere(faces, "GET", "/api/who?a=100%&b=%C3%BC", headers={"x-request-id": "12345678"})
    assert answer.json()["query"] == "a=100%&b=%C3%BC"


async def test_bad_parameters_are_named(faces: dict[str, httpx.AsyncClient]) -> None:
    for client in faces.values():
        for query, field in (("page=2", "q"), ("q=a&page=0", "page"), ("q=a&page=x", "page")):
            answer = await client.get(f"/api/search?{query}")
            assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
            assert [error["path"] for error in answer.json()["fields"]] == [field]


async def test_a_usable_request_id_is_kept(faces: dict[str, httpx.AsyncClient]) -> None:
    for client in faces.values():
        for path in ("/api/who", "/api/who/", "/api/nowhere"):
            kept = await client.get(path, headers={"x-request-id": "from-the_Proxy-01"})
            assert kept.headers["x-request-id"] == "from-the_Proxy-01"
            for offered in ("short", "x" * 65, "white space", "semi;colon"):
                made = await client.get(path, headers={"x-request-id": offered})
                assert made.headers["x-request-id"] not in ("", offered)
        assert (await client.get("/api/who", headers={"x-request-id": "12345678"})).json()["id"] == "12345678"
        assert (await client.get("/api/who/", headers={"x-request-id": "12345678"})).json()["id"] == "12345678"


async def test_the_client_is_the_nearest_stranger(faces: dict[str, httpx.AsyncClient]) -> None:
    headers = {"x-forwarded-for": "198.51.100.9, 192.0.2.7, 127.0.0.1", "x-request-id": "12345678"}
    answer = await everywhere(faces, "GET", "/api/who", headers=headers)
    assert answer.json()["ip"] == "192.0.2.7"


async def test_a_page_sets_its_own_policy(faces: dict[str, httpx.AsyncClient]) -> None:
    for client in faces.values():
        answer = await client.get("/page")
        assert answer.headers.get_list("content-security-policy") == ["default-src 'self'; frame-ancestors *"]
        assert answer.headers.get_list("cache-control") == ["max-age=60"]
        assert "x-frame-options" not in answer.headers
        assert answer.headers["x-content-type-options"] == "nosniff"


async def test_a_full_house_says_come_back(faces: dict[str, httpx.AsyncClient]) -> None:
    for client in faces.values():
        await client.get("/health/gate?open=false")
        parked = [asyncio.create_task(client.get(path)) for path in ["/api/parked", "/api/parked/"] * (PLACES // 2)]
        try:
            refused: list[httpx.Response] = []
            async with asyncio.timeout(20):
                while len(refused) < 2:
                    await asyncio.sleep(0.01)  # the parked ones are still on their way in
                    answers = [await client.get(path) for path in ("/api/who", "/api/who/")]
                    refused = [answer for answer in answers if answer.status_code == 503]
            for answer in refused:
                assert answer.json()["code"] == "unavailable"
                assert answer.headers["retry-after"] == "1"
                assert answer.headers["x-request-id"]
                assert answer.headers["x-frame-options"] == "DENY"
            assert (await client.get("/health/live")).status_code == 200
        finally:
            await client.get("/health/gate?open=true")
        assert [(await task).status_code for task in parked] == [200] * PLACES
        assert (await client.get("/api/who")).status_code == 200


async def test_a_slow_sender_is_not_waited_for() -> None:
    async def never() -> AsyncIterator[bytes]:
        yield GOOD[:5]
        await asyncio.sleep(60)

    lane = build(Middleware(body_timeouts=Timeouts(0.1)))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(lane), base_url="http://test") as client:
        for path in (PATH, f"{PATH}/"):
            answer = await client.post(path, headers=JSON, content=never())
            assert (answer.status_code, answer.json()["code"]) == (400, "malformed_request")
            assert "in time" in answer.json()["detail"]


async def test_pages_of_other_sites_are_answered_by_the_lane_that_knows_them() -> None:
    lane = build(Middleware(), cors_config=CORSConfig(allow_origins=["https://shop.example"]))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(lane), base_url="http://test") as client:
        foreign = await client.get("/api/who", headers={"origin": "https://shop.example"})
        assert foreign.headers["access-control-allow-origin"] == "https://shop.example"
        own = await client.get("/api/who", headers={"origin": "http://test"})
        assert "access-control-allow-origin" not in own.headers


def test_a_fast_route_takes_ids_only() -> None:
    async def fast(call: HotRequest) -> Response:
        return Response(200, b"{}")

    @get("/a/{name:str}", opt={"fast": fast})
    async def twin(name: FromPath[str]) -> None: ...

    with pytest.raises(ValueError, match="no parameters but"):
        LaneRouter(Litestar([twin]), Middleware())
