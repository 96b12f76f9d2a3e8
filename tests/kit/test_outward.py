"""Calls to addresses that tenants choose: what is at home cannot be reached, and nobody keeps us waiting."""

import datetime
import ipaddress
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from fullhouse.kit.errors import Unavailable
from fullhouse.kit.http import safe_http
from fullhouse.kit.http.safe_http import RESPONSE_BYTES_MAX, AddressRefused, SafeHttpClient, is_public
from tests.kit.receiver import Receiver, answer, receiving

pytestmark = pytest.mark.req("MSG-5")

CLOSED = (
    "127.0.0.1", "127.8.9.10", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
    "169.254.169.254", "169.254.0.1", "100.64.0.1", "100.127.255.255", "100.100.100.200", "192.0.0.192", "192.0.2.1",
    "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1",
    "255.255.255.255", "168.63.129.16", "192.88.99.1",
    "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1", "100::1", "::127.0.0.1",
    "2001::1", "2001:2::1", "2001:db8::1", "3fff::1", "5f00::1", "4000::1",
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:7f00:1",
    "64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "2002:7f00:1::1", "2002:a00:1::", "2002:a9fe:a9fe::1",
    "", "localhost", "1.2.3", "0x7f.1", "2130706433",
)  # fmt: skip
OPEN = (
    "1.1.1.1", "8.8.8.8", "93.184.215.14", "11.0.0.1", "100.63.255.255", "100.128.0.1", "172.15.255.255", "172.32.0.1",
    "169.253.255.255", "192.167.255.255", "198.17.255.255", "198.20.0.1", "223.255.255.255", "168.63.129.15",
    "2606:4700::1111", "2a00:1450::1", "2001:4860:4860::8888", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1",
)  # fmt: skip


@pytest.mark.parametrize("address", CLOSED)
def test_what_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", OPEN)
def test_what_is_public(address: str) -> None:
    assert is_public(address)


def test_whatever_the_standard_library_calls_private_is_not_public() -> None:
    """An independent list, walked at the edges of each of its networks."""
    edges = [
        network[place]
        for text in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "169.254.0.0/16", "240.0.0.0/4")
        for network in [ipaddress.ip_network(text)]
        for place in (0, 1, -2, -1)
    ]
    assert all(edge.is_private or edge.is_link_local for edge in edges)
    assert not any(is_public(str(edge)) for edge in edges)


class Names:
    """A name server of the test's own: gives what `book` says, in order, the last for ever; and counts."""

    def __init__(self, **book: list[list[str]]) -> None:
        self.book = {name.replace("_", "."): list(answers) for name, answers in book.items()}
        self.asked: list[str] = []

    async def __call__(self, name: str, _port: int) -> list[str]:
        self.asked.append(name)
        if name not in self.book:
            raise OSError("no such name")
        answers = self.book[name]
        return answers.pop(0) if len(answers) > 1 else answers[0]


@asynccontextmanager
async def out(**options: Any) -> AsyncIterator[SafeHttpClient]:
    opened = SafeHttpClient(**options)
    try:
        yield opened
    finally:
        await opened.close()


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as opened:
        yield opened


REFUSED = (
    "http://public.example/", "ftp://public.example/", "//public.example/", "public.example", "", "https://", "https:///x",
    "https://user@public.example/", "https://user:pass@public.example/", "https://public.example\\@127.0.0.1/",
    "https://public.example:22/", "https://public.example:25/", "https://public.example:80/",
    "https://public.example:0/", "https://public.example:65536/", "https://public.example:x/",
    "https://home.example/", "https://half.example/", "https://mapped.example/", "https://nowhere.example/",
    "https://public.example/\n", "https://pub\tlic.example/", "https://" + "a" * 2000 + ".example/",
)  # fmt: skip
BOOK = {
    "public_example": [["93.184.215.14", "2606:4700::1111"]],
    "home_example": [["10.0.0.7"]],
    "half_example": [["93.184.215.14", "127.0.0.1"]],
    "mapped_example": [["::ffff:192.168.0.1"]],
}


@pytest.mark.parametrize("url", REFUSED)
async def test_addresses_that_are_refused(url: str) -> None:
    async with out(resolve=Names(**BOOK)) as safe_http:
        with pytest.raises(AddressRefused) as refusal:
            await safe_http.check(url, "url")
        assert [field.path for field in refusal.value.fields] == ["url"]
        outcome = await safe_http.post(url, b"{}", {})
    assert (outcome.status, outcome.error) == (None, refusal.value.detail)


@pytest.mark.parametrize("path", ["", "/", ":443/hook", ":8443/hook?x=1#y", ":65535/"])
async def test_addresses_that_may_be_called(path: str) -> None:
    async with out(resolve=Names(**BOOK)) as safe_http:
        await safe_http.check(f"https://public.example{path}", "url")


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0"],
)
async def test_the_loopback_by_any_name_is_never_reached(host: str, receiver: Receiver) -> None:
    """With the system's own look-up, which understands more spellings than anybody remembers."""
    async with out() as safe_http:
        with pytest.raises(AddressRefused):
            await safe_http.check(f"https://{host}:{receiver.port}/", "url")
        assert (await safe_http.post(f"https://{host}:{receiver.port}/", b"{}", {})).status is None
    assert receiver.connections == 0


async def test_a_name_that_turns_homewards_after_it_was_checked_is_not_followed(receiver: Receiver) -> None:
    names = Names(turning_example=[["93.184.215.14"], ["127.0.0.1"]])
    async with out(resolve=names) as safe_http:
        url = f"https://turning.example:{receiver.port}/"
        await safe_http.check(url, "url")
        outcome = await safe_http.post(url, b"{}", {})
    assert outcome.error == "The host name does not resolve to public addresses."
    assert receiver.connections == 0


async def test_the_address_that_was_looked_up_is_the_one_that_is_called(receiver: Receiver) -> None:
    """One look-up for one call: the second answer, and the system's (there is none), would lead elsewhere."""
    names = Names(pinned_example=[["127.0.0.1"], ["127.0.0.2"]])
    async with receiving("127.0.0.2") as elsewhere, out(private=True, resolve=names) as safe_http:
        outcome = await safe_http.post(f"http://pinned.example:{receiver.port}/hook?a=b", b"{}", {})
        assert elsewhere.connections == 0
    assert outcome.status == 204
    assert names.asked == ["pinned.example"]
    [posted] = receiver.posted
    assert (posted.target, posted.headers["host"]) == ("/hook?a=b", f"pinned.example:{receiver.port}")


async def test_the_next_address_is_tried_if_nobody_is_at_the_first(receiver: Receiver) -> None:
    names = Names(two_example=[["127.0.0.3", "127.0.0.3", "127.0.0.1"]])
    async with out(private=True, resolve=names) as safe_http:
        outcome = await safe_http.post(f"http://two.example:{receiver.port}/", b"{}", {})
    assert (outcome.status, len(receiver.posted)) == (204, 1)


async def test_redirects_are_not_followed_and_nothing_is_remembered(receiver: Receiver) -> None:
    async with receiving() as forbidden, out(private=True) as safe_http:
        receiver.script = [
            answer(code, location=forbidden.url, set_cookie="who=tenant-1") for code in (301, 302, 307, 308)
        ]
        for code in (301, 302, 307, 308):
            assert (await safe_http.post(receiver.url, b"{}", {})).status == code
        assert forbidden.connections == 0
    assert all("cookie" not in posted.headers for posted in receiver.posted)
    assert receiver.connections == 4  # and no connection is used again


async def test_proxies_of_the_environment_are_not_used(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    async with receiving() as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://{proxy.host}:{proxy.port}")
        async with out(private=True) as safe_http:
            assert (await safe_http.post(receiver.url, b"{}", {})).status == 204
        assert proxy.connections == 0


# --- those who take their time


@pytest.mark.parametrize("how", ["hang", "drip_head"])
async def test_one_deadline_for_all_of_it(receiver: Receiver, how: str) -> None:
    receiver.script = [getattr(receiver, how)]
    async with out(private=True, deadline_s=0.4) as safe_http:
        outcome = await safe_http.post(receiver.url, b"{}", {})
    assert (outcome.status, outcome.error) == (None, "no answer within 0.4 seconds")


async def test_a_status_stands_whatever_becomes_of_the_body(receiver: Receiver) -> None:
    receiver.script = [receiver.drip_body, receiver.half_a_body]
    async with out(private=True, deadline_s=2) as safe_http:
        dripped = await safe_http.post(receiver.url, b"{}", {})
        halved = await safe_http.post(receiver.url, b"{}", {})
    assert (dripped.status, dripped.error) == (200, None)
    assert (halved.status, halved.body) == (200, b"half")


async def test_a_body_without_an_end_is_cut(receiver: Receiver) -> None:
    receiver.script = [receiver.flood]
    async with out(private=True) as safe_http:
        outcome = await safe_http.post(receiver.url, b"{}", {})
    assert (outcome.status, len(outcome.body)) == (200, RESPONSE_BYTES_MAX)


async def test_who_closes_early_or_is_not_there_is_an_outcome(receiver: Receiver) -> None:
    receiver.script = [receiver.close_early, b"nonsense\r\n\r\n"]
    async with out(private=True) as safe_http:
        for url in (receiver.url, receiver.url, "http://127.0.0.1:1/"):
            outcome = await safe_http.post(url, b"{}", {})
            assert outcome.status is None
            assert outcome.error


async def test_few_are_checked_at_once(receiver: Receiver) -> None:
    """Each has a transaction open meanwhile."""
    async with out(resolve=Names(**BOOK)) as opened:
        opened._checking = safe_http._CHECKS_AT_ONCE
        with pytest.raises(Unavailable):
            await opened.check("https://public.example/", "url")
        opened._checking -= 1
        await opened.check("https://public.example/", "url")
        with pytest.raises(AddressRefused):
            await opened.check("https://home.example/", "url")
        assert opened._checking == safe_http._CHECKS_AT_ONCE - 1


# --- TLS


def certificate(folder: Path, name: str) -> tuple[Path, ssl.SSLContext]:
    """A certificate that vouches for itself and for one name; and a server's context with it."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path, key_path = folder / "certificate.pem", folder / "key.pem"
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    key_path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path, key_path)
    return path, context


async def test_tls_is_checked_against_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, tls = certificate(tmp_path, "right.example")
    said: list[str | None] = []
    tls.sni_callback = lambda _socket, name, _context: said.append(name)
    names = Names(right_example=[["127.0.0.1"]], wrong_example=[["127.0.0.1"]])
    # A process reads its authorities once; this one is two.
    monkeypatch.setattr("fullhouse.kit.http.safe_http._tls_context", httpx.create_ssl_context)
    async with receiving(tls=tls) as receiver:
        monkeypatch.setenv("SSL_CERT_FILE", str(path))
        async with out(private=True, resolve=names) as safe_http:
            assert (await safe_http.post(f"https://right.example:{receiver.port}/", b"{}", {})).status == 204
            wrong = await safe_http.post(f"https://wrong.example:{receiver.port}/", b"{}", {})
        monkeypatch.delenv("SSL_CERT_FILE")
        async with out(private=True, resolve=names) as safe_http:
            unknown = await safe_http.post(f"https://right.example:{receiver.port}/", b"{}", {})
    assert said == ["right.example", "wrong.example", "right.example"]
    assert wrong.status is unknown.status is None
    assert "CERTIFICATE_VERIFY_FAILED" in (wrong.error or "")
    assert "CERTIFICATE_VERIFY_FAILED" in (unknown.error or "")
    assert len(receiver.posted) == 1
