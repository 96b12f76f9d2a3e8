"""The folder and the bucket keep the same promises; a signature is the one that AWS publishes."""

import asyncio
import os
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from fullhouse import wiring
from fullhouse.config import ConfigError, load
from fullhouse.kit.media.files import S3, Bucket, Disk, Files, StoreFailed, sign_headers
from tests.kit import bucket
from tests.kit.bucket import Store

pytestmark = pytest.mark.req("FEED-5")
NAME = "0190-org/0191-picture/small.jpg"


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    async with bucket.running() as opened:
        yield opened


@pytest.fixture(params=["disk", "s3"])
async def files(request: pytest.FixtureRequest, store: Store, tmp_path: Path) -> AsyncIterator[Files]:
    opened: Files = Disk(tmp_path / "images") if request.param == "disk" else S3(store.bucket())
    yield opened
    await opened.close()


async def test_what_is_put_exists_until_it_is_deleted(files: Files) -> None:
    assert not await files.exists(NAME)
    await files.put(NAME, b"one")
    assert await files.exists(NAME)
    await files.delete(NAME)
    assert not await files.exists(NAME)


async def test_what_is_put_is_got_until_it_is_deleted(files: Files) -> None:
    assert await files.get(NAME) is None
    await files.put(NAME, b"one")
    await files.put("0190-org/0191-picture/large.jpg", bytes(range(256)) * 4000)
    assert await files.get(NAME) == b"one"
    assert await files.get("0190-org/0191-picture/large.jpg") == bytes(range(256)) * 4000
    await files.put(NAME, b"two")
    assert await files.get(NAME) == b"two"
    await files.delete(NAME)
    await files.delete(NAME)
    assert await files.get(NAME) is None
    assert await files.get("0190-org/0191-picture/large.jpg") is not None


@pytest.mark.parametrize(
    "name",
    ["", "/etc/passwd", "../x", "a/../x", "a/./x", "a//x", "a/", ".hidden", "a/.hidden", "a\\x", "a\0", "A.jpg",
     "a b", "a%2e", "a\n", "é", "a?x", "x" * 501],
)  # fmt: skip
async def test_a_name_that_leads_elsewhere_is_refused(files: Files, name: str) -> None:
    for call in (files.put(name, b"x"), files.get(name), files.delete(name)):
        with pytest.raises(ValueError, match="not a valid file name"):
            await call


# --- the folder


def left_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


async def test_a_write_that_fails_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(tmp_path)
    await disk.put(NAME, b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        await disk.put(NAME, b"new")
    monkeypatch.undo()
    assert await disk.get(NAME) == b"old"
    assert left_in(tmp_path) == [NAME]


async def test_a_file_is_on_the_disk_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []

    def noted(word: str, real: Any) -> Any:
        def call(*arguments: Any) -> Any:
            order.append(word)
            return real(*arguments)

        return call

    monkeypatch.setattr(os, "fsync", noted("sync", os.fsync))
    monkeypatch.setattr(os, "replace", noted("name", os.replace))
    await Disk(tmp_path).put("a/b", b"x")
    assert order == ["sync", "name", "sync", "sync"]  # content, then the folders, up to the top


async def test_the_folder_is_its_owners_and_empty_ones_go(tmp_path: Path) -> None:
    disk = Disk(tmp_path / "images")
    await disk.put(NAME, b"x")
    top, file = tmp_path / "images", tmp_path / "images" / NAME
    assert [path.stat().st_mode & 0o777 for path in (top, file)] == [0o700, 0o600]
    await disk.delete(NAME)
    assert list((tmp_path / "images").rglob("*")) == []


async def test_many_writers_of_one_name_leave_one_whole_file(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    contents = [bytes([n]) * 100_000 for n in range(16)]

    async def come_and_go(content: bytes) -> None:
        await disk.put(NAME, content)
        await disk.delete("0190-org/0191-picture/large.jpg")

    await asyncio.gather(*(come_and_go(content) for content in contents))
    assert await disk.get(NAME) in contents
    assert left_in(tmp_path) == [NAME]


async def test_a_folder_is_no_file(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    await disk.put(NAME, b"x")
    assert await disk.get("0190-org") is None
    assert await disk.get(NAME + "/more") is None


# --- the bucket


SUITE = Bucket(endpoint="", bucket="", access_key="AKIDEXAMPLE", secret_key="wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
S3_PAGES = Bucket(
    endpoint="", bucket="", access_key="AKIAIOSFODNN7EXAMPLE", secret_key="wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
)
_HOST, _S3_HOST = "https://example.amazonaws.com", "https://examplebucket.s3.amazonaws.com"
_PUT = {"Date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY"}


@pytest.mark.parametrize(
    ("key", "method", "url", "headers", "content", "signature"),
    [
        # AWS's test suite for Signature Version 4: get-vanilla, post-vanilla, -query-order-key-case, get-unreserved
        (SUITE, "GET", f"{_HOST}/", {}, b"", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        (SUITE, "POST", f"{_HOST}/", {}, b"", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        (SUITE, "GET", f"{_HOST}/?Param2=value2&Param1=value1", {}, b"",
         "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
        (SUITE, "GET", f"{_HOST}/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", {}, b"",
         "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"),
        # the examples in the documentation of S3
        (S3_PAGES, "GET", f"{_S3_HOST}/test.txt", {"Range": "bytes=0-9"}, b"",
         "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        (S3_PAGES, "PUT", f"{_S3_HOST}/test%24file.text", _PUT, b"Welcome to Amazon S3.",
         "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
    ],
)  # fmt: skip
def test_signatures_are_those_that_aws_publishes(
    key: Bucket, method: str, url: str, headers: dict[str, str], content: bytes, signature: str
) -> None:
    suite = key is SUITE
    now = datetime(2015, 8, 30, 12, 36, tzinfo=UTC) if suite else datetime(2013, 5, 24, tzinfo=UTC)
    given = sign_headers(key, method, url, headers, content, now, "service" if suite else "s3")
    assert given["authorization"].endswith(f"Signature={signature}")


async def call_all(s3: S3) -> list[str]:
    """What each of the three calls says when it fails."""
    said = []
    for call in (s3.put(NAME, b"x"), s3.get(NAME), s3.delete(NAME)):
        with pytest.raises(StoreFailed) as failed:
            await call
        said.append(str(failed.value))
    await s3.close()
    return said


@pytest.mark.parametrize(
    "wrong", [{"secret_key": "another"}, {"access_key": "AKIAOTHER"}, {"region": "us-east-1"}, {"bucket": "others"}]
)
async def test_a_wrong_key_or_place_is_noticed(store: Store, wrong: dict[str, str]) -> None:
    said = await call_all(S3(store.bucket(**wrong))) if "bucket" not in wrong else []
    assert all("403 SignatureDoesNotMatch" in words for words in said)
    if not said:
        with pytest.raises(StoreFailed, match="404 NoSuchBucket"):
            await S3(store.bucket(**wrong)).put(NAME, b"x")
    assert store.objects == {}


@pytest.mark.parametrize(("trouble", "word"), [("refuse", "403 Forced"), ("fail", "500 Forced"), ("redirect", "307")])
async def test_a_store_in_trouble_is_an_oserror(store: Store, trouble: str, word: str) -> None:
    store.trouble = trouble
    said = await call_all(S3(store.bucket()))
    assert all(word in words for words in said)
    assert not any("secret" in words for words in said)
    assert store.calls == 3


async def test_a_store_that_hangs_has_a_deadline(store: Store) -> None:
    store.trouble = "hang"
    for words in await call_all(S3(store.bucket(), deadline_s=0.1)):
        assert "no response within 0.1 seconds" in words or "Timeout" in words


async def test_a_store_that_breaks_off_or_is_not_there(store: Store) -> None:
    s3 = S3(store.bucket())
    await s3.put(NAME, b"x" * 1000)
    store.trouble = "cut"
    with pytest.raises(StoreFailed):
        await s3.get(NAME)
    await s3.close()
    await call_all(S3(store.bucket(endpoint="http://127.0.0.1:9")))


# --- settings

WHOLE = {"S3_ENDPOINT": "https://s3.example.org/", "S3_BUCKET": "posters"} | {
    "S3_ACCESS_KEY": "AKIA",
    "S3_SECRET_KEY": "secret",
}


def test_without_a_store_files_are_in_the_state_folder(tmp_path: Path) -> None:
    files: Any = wiring.file_storage(load({"FULLHOUSE_HOME": str(tmp_path)}))
    assert isinstance(files, Disk)
    assert files._folder == tmp_path / "images"


def test_a_store_is_taken_whole() -> None:
    settings = load(WHOLE | {"S3_REGION": "eu-west-1"})
    assert isinstance(wiring.file_storage(settings), S3)
    assert settings.s3
    assert (settings.s3.bucket, settings.s3.region) == ("posters", "eu-west-1")


@pytest.mark.parametrize("missing", WHOLE)
def test_half_a_store_is_a_mistake(missing: str) -> None:
    with pytest.raises(ConfigError, match=missing):
        load({name: value for name, value in WHOLE.items() if name != missing})


@pytest.mark.parametrize("endpoint", ["s3.example.org", "ftp://x", "https://", "https://k:s@x", "https://x/?a=b"])
def test_an_endpoint_is_an_address(endpoint: str) -> None:
    with pytest.raises(ConfigError, match="S3_ENDPOINT") as refused:
        load(WHOLE | {"S3_ENDPOINT": endpoint})
    assert "k:s" not in str(refused.value)
