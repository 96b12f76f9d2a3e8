"""HTTP to addresses that tenants choose. Nothing of the operator's own network may be reached by it.

What holds here:
- A call looks its name up once. Every address that the name has must be public, and the connection goes to one of those
  very addresses: there is no second look-up that could answer otherwise.
- TLS is checked against the name. Redirects are not followed, and proxies of the environment are not used.
- One deadline covers it all, and only the beginning of an answer is read.
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

DEADLINE_S = 15.0
ANSWER_BYTES_MAX = 65_536
URL_LENGTH_MAX = 2000
_CONNECT_S = 4.0  # for one address; the next one gets its turn
_ADDRESSES_MAX = 3
_CHECK_S = 3.0
_CHECKS_AT_ONCE = 4
_LOOK_UPS_AT_ONCE = 64
Resolve = Callable[[str, int], Awaitable[list[str]]]

# IANA's registries of special-purpose addresses, as far as they lie inside what is routed at all. The last one is the
# host's own agent in one large cloud, on an address that looks public.
_CLOSED_4 = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
            "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24",
            "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32",
        ),
    )
)  # fmt: skip
_OPEN_6 = IPv6Network("2000::/3")
_CLOSED_6 = tuple(map(IPv6Network, ("2001::/23", "2001:db8::/32", "3fff::/20")))
# IPv6 addresses that are an IPv4 address in other words, and where in them it stands: judged by that one.
_WRAPPED = (
    (ip_network("::ffff:0:0/96"), 0),  # mapped
    (ip_network("64:ff9b::/96"), 0),  # NAT64
    (ip_network("2002::/16"), 80),  # 6to4
)


class AddressRefused(Invalid):
    """We do not call this address: it must be `https://`, without a user name, on port 443 or one from 1024 up, and
    its name must have public addresses only.
    """

    code, title = "address_refused", "The address is not allowed"


class Outcome(NamedTuple):
    """What came of a call: a status and the beginning of the answer, or the reason why there is none."""

    status: int | None
    body: bytes
    error: str | None
    ms: int


class _Heard:
    """What has arrived so far: a status stands, whatever becomes of the body after it."""

    def __init__(self) -> None:
        self.status: int | None = None
        self.body = bytearray()


@cache
def _tls() -> ssl.SSLContext:
    """Once for the process: reading all the authorities takes longer than the rest of a start."""
    return httpx.create_ssl_context()


class Outward:
    """Calls to the outside. `private` is the operator's word that plain HTTP and addresses at home are fine."""

    def __init__(
        self, *, private: bool = False, resolve: Resolve | None = None, deadline_s: float = DEADLINE_S
    ) -> None:
        self._private, self._deadline_s = private, deadline_s
        # Threads of our own: names whose servers are slow to answer delay only each other.
        self._threads = ThreadPoolExecutor(_LOOK_UPS_AT_ONCE, thread_name_prefix="names")
        self._resolve = resolve or self._look_up
        self._checking = 0
        # Below httpx's client: that one would keep cookies by address. No connection is kept either: they are known by
        # their address too, and the next name there needs a handshake of its own.
        self._transport = httpx.AsyncHTTPTransport(
            verify=_tls(), trust_env=False, limits=httpx.Limits(max_keepalive_connections=0)
        )

    async def close(self) -> None:
        await self._transport.aclose()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def check(self, url: str, field: str) -> None:
        """Raises AddressRefused about `field` unless `url` may be called now. A call looks again."""
        if self._checking >= _CHECKS_AT_ONCE:  # whoever asks has a transaction open
            raise Unavailable("Too many addresses are being looked up. Try again in a few seconds.", retry_after_s=3)
        self._checking += 1
        try:
            async with asyncio.timeout(_CHECK_S):
                await self._addresses(self._parsed(url))
        except TimeoutError:
            raise _refused("The name could not be looked up in time.", field) from None
        except AddressRefused as refusal:
            raise _refused(refusal.detail, field) from None
        finally:
            self._checking -= 1

    async def post(self, url: str, content: bytes, headers: Mapping[str, str]) -> Outcome:
        """Sends, and tells what came of it. Raises nothing that the other side could cause."""
        heard, why, began = _Heard(), None, perf_counter()
        try:
            async with asyncio.timeout(self._deadline_s):
                await self._converse(self._parsed(url), content, headers, heard)
        except TimeoutError:
            why = f"no answer within {self._deadline_s:g} seconds"
        except AddressRefused as refusal:
            why = refusal.detail
        except (httpx.HTTPError, OSError) as error:
            why = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        ms = round((perf_counter() - began) * 1000)
        return Outcome(heard.status, bytes(heard.body), None if heard.status else why, ms)

    async def _converse(self, url: httpx.URL, content: bytes, headers: Mapping[str, str], heard: _Heard) -> None:
        own = {"host": url.netloc.decode(), "accept-encoding": "identity", **headers}
        extensions = {"sni_hostname": url.raw_host.decode(), "timeout": {"connect": _CONNECT_S}}
        *earlier, last = (await self._addresses(url))[:_ADDRESSES_MAX]
        for address in (*earlier, last):
            there = url.copy_with(host=address)
            request = httpx.Request("POST", there, content=content, headers=own, extensions=extensions)
            try:
                answer = await self._transport.handle_async_request(request)
            except (httpx.ConnectError, httpx.ConnectTimeout):  # nothing was sent: the next address may do
                if address == last:
                    raise
            else:
                await _listen(answer, heard)
                return

    def _parsed(self, url: str) -> httpx.URL:
        try:
            parsed = httpx.URL(url)
        except httpx.InvalidURL:
            raise _refused("This is not an address.") from None
        if parsed.scheme != "https" and not (self._private and parsed.scheme == "http"):
            raise _refused("The address must begin with https://.")
        if not parsed.raw_host or len(url) > URL_LENGTH_MAX:
            raise _refused(f"The address needs a host, and at most {URL_LENGTH_MAX} characters.")
        if parsed.userinfo:
            raise _refused("No user name or password in the address: the signature says who sends.")
        port = parsed.port or 443
        if parsed.port == 0 or port > 65_535 or not (self._private or port == 443 or port >= 1024):
            raise _refused("Only port 443 and those from 1024 up are called.")
        return parsed

    async def _addresses(self, url: httpx.URL) -> list[str]:
        """Of the name, each once. One sentence for "unknown" and "not public": what is at home is nobody's business."""
        try:
            found = await self._resolve(url.raw_host.decode(), url.port or (443 if url.scheme == "https" else 80))
        except (OSError, UnicodeError):
            found = []
        addresses = list(dict.fromkeys(found))
        if not addresses or not (self._private or all(map(is_public, addresses))):
            raise _refused("The name does not lead to public addresses.")
        return addresses

    async def _look_up(self, name: str, port: int) -> list[str]:
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(
            self._threads, lambda: socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
        )
        return [str(place[0]) for *_, place in found]


async def _listen(answer: httpx.Response, heard: _Heard) -> None:
    heard.status = answer.status_code
    try:
        async for piece in answer.aiter_raw():
            heard.body += piece[: ANSWER_BYTES_MAX - len(heard.body)]
            if len(heard.body) >= ANSWER_BYTES_MAX:
                return
    finally:
        await answer.aclose()


def is_public(address: str) -> bool:
    """Whether anybody out there could be meant. What we cannot read is not."""
    try:
        ip: IPv4Address | IPv6Address = ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, IPv6Address):
        for network, shift in _WRAPPED:
            if ip in network:
                return is_public(str(IPv4Address((int(ip) >> shift) & 0xFFFF_FFFF)))
        return ip.scope_id is None and ip in _OPEN_6 and not any(ip in network for network in _CLOSED_6)
    return not any(ip in network for network in _CLOSED_4)


def _refused(why: str, field: str | None = None) -> AddressRefused:
    return AddressRefused(why, fields=[FieldError(field, why)] if field else [])
