"""HTTP client for URLs that tenants choose. It cannot reach the operator's own network (SSRF protection).

Guarantees:
- Each call resolves its host name once. All of its addresses must be public, and the connection goes to one of them:
  there is no second resolution that could return another address (DNS rebinding).
- TLS is verified against the name. Redirects are not followed, and the environment's proxies are not used.
- One deadline covers the whole call, and only the beginning of a response is read.
"""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from time import perf_counter
from typing import NamedTuple

import httpx

from fullhouse.kit.errors import FieldError, Invalid, Unavailable
from fullhouse.kit.tasks import timeout

DEADLINE_S = 15.0
RESPONSE_BYTES_MAX = 65_536
URL_LENGTH_MAX = 2000
_CONNECT_S = 4.0  # per address; then the next address is tried
_ADDRESSES_MAX = 3
_CHECK_S = 3.0
_CHECKS_AT_ONCE = 4
_LOOK_UPS_AT_ONCE = 64
Resolve = Callable[[str, int], Awaitable[list[str]]]

# IANA's special-purpose address registries, where they overlap with routed space. The last one is the host agent of one
# large cloud (Azure), on an address that looks public.
_SPECIAL_IPV4 = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
            "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24",
            "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32",
        ),
    )
)  # fmt: skip
_GLOBAL_IPV6 = IPv6Network("2000::/3")
_SPECIAL_IPV6 = tuple(map(IPv6Network, ("2001::/23", "2001:db8::/32", "3fff::/20")))
# IPv6 ranges that embed an IPv4 address, and its bit offset: the embedded address is checked.
_EMBEDDED_IPV4 = (
    (ip_network("::ffff:0:0/96"), 0),  # mapped
    (ip_network("64:ff9b::/96"), 0),  # NAT64
    (ip_network("2002::/16"), 80),  # 6to4
)


class AddressRefused(Invalid):
    """The address must begin with `https://`, without a user name, on port 443 or one from 1024 up, and its host name
    must have public addresses only.
    """

    code, title = "address_refused", "The address is not allowed"


class Outcome(NamedTuple):
    """The result of a call: a status and the beginning of the response, or an error."""

    status: int | None
    body: bytes
    error: str | None
    ms: int


class _PartialResponse:
    """The part of the response received so far. A status counts even if reading the body fails."""

    def __init__(self) -> None:
        self.status: int | None = None
        self.body = bytearray()


@cache
def _tls_context() -> ssl.SSLContext:
    """Once per process: loading the CA certificates takes longer than the rest of start-up."""
    return httpx.create_ssl_context()


class SafeHttpClient:
    """The HTTP client. `private` is the operator's setting that allows plain HTTP and private addresses."""

    def __init__(
        self, *, private: bool = False, resolve: Resolve | None = None, deadline_s: float = DEADLINE_S
    ) -> None:
        self._private, self._deadline_s = private, deadline_s
        # A thread pool of its own: slow DNS servers delay only these look-ups.
        self._threads = ThreadPoolExecutor(_LOOK_UPS_AT_ONCE, thread_name_prefix="names")
        self._resolve = resolve or self._resolve_name
        self._checking = 0
        # The transport below httpx's client, which would store cookies by IP address. No keep-alive either: connections
        # are pooled by IP address too, and another host name there needs its own TLS handshake.
        self._transport = httpx.AsyncHTTPTransport(
            verify=_tls_context(), trust_env=False, limits=httpx.Limits(max_keepalive_connections=0)
        )

    async def close(self) -> None:
        await self._transport.aclose()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def check(self, url: str, field: str) -> None:
        """Raises AddressRefused for `field` unless `url` may be called now. Each call checks again."""
        if self._checking >= _CHECKS_AT_ONCE:  # callers hold a transaction open
            raise Unavailable("Too many addresses are being checked. Try again in a few seconds.", retry_after_s=3)
        self._checking += 1
        try:
            async with timeout(_CHECK_S):
                await self._resolve_public(self._parse_url(url))
        except TimeoutError:
            raise _make_refusal("The host name could not be resolved in time.", field) from None
        except AddressRefused as refusal:
            raise _make_refusal(refusal.detail, field) from None
        finally:
            self._checking -= 1

    async def post(self, url: str, content: bytes, headers: Mapping[str, str]) -> Outcome:
        """Sends a POST and returns the outcome. Never raises for anything that the other side can cause."""
        heard, error, began = _PartialResponse(), None, perf_counter()
        try:
            async with timeout(self._deadline_s):
                await self._send(self._parse_url(url), content, headers, heard)
        except TimeoutError:
            error = f"no answer within {self._deadline_s:g} seconds"
        except AddressRefused as refusal:
            error = refusal.detail
        except (httpx.HTTPError, OSError) as exc:
            error = f"{type(exc).__name__}: {exc}" if str(exc) else type(exc).__name__
        ms = round((perf_counter() - began) * 1000)
        return Outcome(heard.status, bytes(heard.body), None if heard.status else error, ms)

    async def _send(self, url: httpx.URL, content: bytes, headers: Mapping[str, str], heard: _PartialResponse) -> None:
        own = {"host": url.netloc.decode(), "accept-encoding": "identity", **headers}
        extensions = {"sni_hostname": url.raw_host.decode(), "timeout": {"connect": _CONNECT_S}}
        *earlier, last = (await self._resolve_public(url))[:_ADDRESSES_MAX]
        for address in (*earlier, last):
            target = url.copy_with(host=address)
            request = httpx.Request("POST", target, content=content, headers=own, extensions=extensions)
            try:
                response = await self._transport.handle_async_request(request)
            except (httpx.ConnectError, httpx.ConnectTimeout):  # nothing was sent: try the next address
                if address == last:
                    raise
            else:
                await _read_response(response, heard)
                return

    def _parse_url(self, url: str) -> httpx.URL:
        try:
            parsed = httpx.URL(url)
        except httpx.InvalidURL:
            raise _make_refusal("This is not a valid URL.") from None
        if parsed.scheme != "https" and not (self._private and parsed.scheme == "http"):
            raise _make_refusal("The address must begin with https://.")
        if not parsed.raw_host or len(url) > URL_LENGTH_MAX:
            raise _make_refusal(f"The address needs a host name, and has at most {URL_LENGTH_MAX} characters.")
        if parsed.userinfo:
            raise _make_refusal("Remove the user name and password: requests are authenticated by their signature.")
        port = parsed.port or 443
        if parsed.port == 0 or port > 65_535 or not (self._private or port == 443 or port >= 1024):
            raise _make_refusal("Use port 443, or a port from 1024 up.")
        return parsed

    async def _resolve_public(self, url: httpx.URL) -> list[str]:
        """The name's addresses. "Unknown" and "not public" share one message, so as not to reveal internal names."""
        try:
            found = await self._resolve(url.raw_host.decode(), url.port or (443 if url.scheme == "https" else 80))
        except (OSError, UnicodeError):
            found = []
        addresses = list(dict.fromkeys(found))
        if not addresses or not (self._private or all(map(is_public, addresses))):
            raise _make_refusal("The host name does not resolve to public addresses.")
        return addresses

    async def _resolve_name(self, name: str, port: int) -> list[str]:
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(
            self._threads, lambda: socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
        )
        return [str(place[0]) for *_, place in found]


async def _read_response(response: httpx.Response, heard: _PartialResponse) -> None:
    heard.status = response.status_code
    try:
        async for chunk in response.aiter_raw():
            heard.body += chunk[: RESPONSE_BYTES_MAX - len(heard.body)]
            if len(heard.body) >= RESPONSE_BYTES_MAX:
                return
    finally:
        await response.aclose()


def is_public(address: str) -> bool:
    """Whether an address is globally routable. Text that is not an address is not."""
    try:
        ip: IPv4Address | IPv6Address = ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, IPv6Address):
        for network, shift in _EMBEDDED_IPV4:
            if ip in network:
                return is_public(str(IPv4Address((int(ip) >> shift) & 0xFFFF_FFFF)))
        return ip.scope_id is None and ip in _GLOBAL_IPV6 and not any(ip in network for network in _SPECIAL_IPV6)
    return not any(ip in network for network in _SPECIAL_IPV4)


def _make_refusal(detail: str, field: str | None = None) -> AddressRefused:
    return AddressRefused(detail, fields=[FieldError(field, detail)] if field else [])
