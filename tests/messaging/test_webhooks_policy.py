"""Signatures, filters, pauses and giving up: without any database or network."""

from datetime import UTC, datetime, timedelta

import pytest

from fullhouse.webhooks import policy

pytestmark = pytest.mark.req("MSG-5")
NOW = datetime(2026, 5, 1, 20, 0, 0, 900_000, tzinfo=UTC)


@pytest.mark.parametrize("status", [200, 201, 202, 204, 226, 299])
def test_success_is_2xx(status: int) -> None:
    assert policy.judge(status, 3, 0.5) == ("delivered", None, False)


@pytest.mark.parametrize("status", [None, 100, 199, 300, 301, 302, 307, 400, 401, 404, 429, 500, 503, 599])
def test_everything_else_is_tried_again(status: int | None) -> None:
    assert policy.judge(status, 0, 0.5) == ("pending", timedelta(seconds=10), False)
    assert policy.judge(status, len(policy.PAUSES), 0.5) == ("failed", None, False)


def test_gone_is_not_tried_again() -> None:
    assert policy.judge(410, 0, 0.5) == ("failed", None, True)


def test_pauses_grow_over_about_three_days() -> None:
    assert list(policy.PAUSES) == sorted(set(policy.PAUSES))
    assert timedelta(days=2.9) < sum(policy.PAUSES, timedelta()) < timedelta(days=3.1)


@pytest.mark.parametrize("failures", range(len(policy.PAUSES)))
def test_luck_moves_a_pause_a_little(failures: int) -> None:
    pauses = [policy.judge(500, failures, luck).pause for luck in (0, 0.5, 1)]
    asked = policy.PAUSES[failures]
    assert pauses == [asked * 0.9, asked, asked * 1.1]


def test_giving_up_takes_days_and_many_failures() -> None:
    long_ago, failures = NOW - policy.GIVE_UP_AFTER, policy.GIVE_UP_FAILURES
    assert policy.is_given_up(failures, long_ago, NOW)
    assert not policy.is_given_up(failures - 1, long_ago, NOW)
    assert not policy.is_given_up(failures * 9, long_ago + timedelta(seconds=1), NOW)


def test_filters() -> None:
    assert policy.filters_for("order.paid") == ["*", "order.*", "order.paid"]
    assert policy.filters_for("a.b.c") == ["*", "a.*", "a.b.*", "a.b.c"]
    assert policy.filters_for("alone") == ["*", "alone"]
    names = ["event.published", "order.paid"]
    good = ["*", "event.*", "event.published", "order.paid"]
    assert policy.find_unknown(good, names) == []
    assert policy.find_unknown(["*", "order.payed", "event", "even.*", "order.*"], names) == [1, 2, 3]


def test_a_signature_that_was_computed_elsewhere() -> None:
    """By openssl: printf '%s' 'msg-1.1777665600.{"a":1}' | openssl dgst -sha256 -hmac KEY -binary | base64."""
    headers = policy.sign_headers([b"0123456789abcdef0123456789abcdef"], "msg-1", NOW, b'{"a":1}')
    assert headers["webhook-id"] == "msg-1"
    assert headers["webhook-timestamp"] == "1777665600"
    assert headers["webhook-signature"] == "v1,Jtl+nCh1cxpWQqj6YUUK7Q05S/7Mpyw8vtl524Gw994="
    two = policy.sign_headers([b"0123456789abcdef0123456789abcdef", b"x" * 32], "msg-1", NOW, b'{"a":1}')
    first, second = two["webhook-signature"].split(" ")
    assert first == headers["webhook-signature"]
    assert second.startswith("v1,")
    assert second != first


def test_a_secret_is_written_as_others_read_it() -> None:
    assert policy.encode_secret(b"\xff" * 32) == "whsec_//////////////////////////////////////////8="


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (b"", ""),
        (b"fine", "fine"),
        (b"a\0b", "a\ufffdb"),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b"x" * 5000, "x" * 2048),
        ("é".encode() * 5000, "é" * 2048),
        ("😀".encode() * 5000, "😀" * 2048),
    ],
)
def test_an_excerpt_can_always_be_stored(body: bytes, shown: str) -> None:
    assert policy.excerpt(body) == shown
