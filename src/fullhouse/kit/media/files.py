"""Storage for files that are too large for the database: a folder, or an S3-compatible bucket.

Names are our own, such as `{organisation}/{picture}/small.jpg`. A file is stored completely or not at all. Every
failure to read or write one is an OSError, which the API reports as "try again shortly".
"""

import asyncio
import hashlib
import hmac
import os
import re
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol
from urllib.parse import quote, urlsplit

import httpx
import msgspec

from fullhouse.kit.tasks import timeout

# Every part begins with a letter or digit: no `..`, and no hidden files.
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*(/[a-z0-9][a-z0-9._-]*)*")
S3_DEADLINE_S = 10.0


class Files(Protocol):
    async def put(self, name: str, content: bytes) -> None: ...
    async def get(self, name: str) -> bytes | None: ...
    async def exists(self, name: str) -> bool: ...
    async def delete(self, name: str) -> None:
        """A file that does not exist is no error."""

    async def close(self) -> None: ...


class StoreFailed(OSError):
    """The bucket does not respond, or responds with an error."""


def check_name(name: str) -> str:
    if len(name) > 500 or not _NAME.fullmatch(name):
        raise ValueError(f"not a valid file name: {name!r}")
    return name


class Disk:
    """A local folder, created when it is first needed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def put(self, name: str, content: bytes) -> None:
        await asyncio.to_thread(self._write, self._folder / check_name(name), content)

    async def get(self, name: str) -> bytes | None:
        return await asyncio.to_thread(_read, self._folder / check_name(name))

    async def exists(self, name: str) -> bool:
        return await asyncio.to_thread((self._folder / check_name(name)).is_file)

    async def delete(self, name: str) -> None:
        await asyncio.to_thread(self._remove, self._folder / check_name(name))

    async def close(self) -> None:
        pass

    def _write(self, path: Path, content: bytes) -> None:
        """Writes a temporary file and renames it: no reader and no power cut ever sees half a file."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, name = _make_temporary(path)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
        _sync_folders(path.parent, self._folder)

    def _remove(self, path: Path) -> None:
        path.unlink(missing_ok=True)
        with suppress(OSError):  # removes the folders that are empty now
            for folder in path.parents:
                if folder == self._folder:
                    break
                folder.rmdir()


def _make_temporary(path: Path) -> tuple[int, str]:
    for attempt in range(3):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            return tempfile.mkstemp(dir=path.parent, prefix=".new-")
        except FileNotFoundError:  # a concurrent delete removed the last file here, and the folder with it
            if attempt == 2:
                raise
    raise AssertionError("unreachable")


def _sync_folders(folder: Path, top: Path) -> None:
    """A new name is durable once its folder is synced, and the folder's own name once its parent is, and so on."""
    while True:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if folder == top:
            return
        folder = folder.parent


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None


class Bucket(msgspec.Struct, frozen=True, kw_only=True):
    """The address of an S3-compatible bucket, and the key to it."""

    endpoint: str
    bucket: str
    access_key: str
    secret_key: str
    region: str = "us-east-1"


class S3:
    """A bucket, addressed by path, which every compatible store supports."""

    def __init__(self, bucket: Bucket, *, deadline_s: float = S3_DEADLINE_S) -> None:
        self._bucket, self._deadline_s = bucket, deadline_s
        # Redirects are not followed: a signature is for one host, and the operator has set the endpoint.
        self._client = httpx.AsyncClient(timeout=deadline_s, trust_env=False)

    async def put(self, name: str, content: bytes) -> None:
        await self._call("PUT", name, content, 200)

    async def get(self, name: str) -> bytes | None:
        response = await self._call("GET", name, b"", 200, 404)
        return response.content if response.status_code == 200 else None

    async def exists(self, name: str) -> bool:
        return (await self._call("HEAD", name, b"", 200, 404)).status_code == 200

    async def delete(self, name: str) -> None:
        await self._call("DELETE", name, b"", 200, 204, 404)

    async def close(self) -> None:
        await self._client.aclose()

    async def _call(self, method: str, name: str, content: bytes, *good: int) -> httpx.Response:
        url = f"{self._bucket.endpoint.rstrip('/')}/{quote(self._bucket.bucket)}/{quote(check_name(name))}"
        headers = sign_headers(self._bucket, method, url, {}, content, datetime.now(UTC))
        try:
            async with timeout(self._deadline_s):
                response = await self._client.request(method, url, headers=headers, content=content)
        except TimeoutError:
            raise StoreFailed(f"{method} {url}: no response within {self._deadline_s:g} seconds") from None
        except httpx.HTTPError as error:
            raise StoreFailed(f"{method} {url}: {error!r}") from error
        if response.status_code not in good:
            raise StoreFailed(f"{method} {url}: {response.status_code} {_error_code(response.text)}")
        return response


def _error_code(text: str) -> str:
    """The error code in the store's XML: AccessDenied, NoSuchBucket."""
    found = re.search(r"<Code>(\w{1,60})</Code>", text)
    return found[1] if found else ""


def sign_headers(
    key: Bucket, method: str, url: str, headers: Mapping[str, str], content: bytes, now: datetime, service: str = "s3"
) -> dict[str, str]:
    """The headers with those of AWS Signature Version 4, which covers the headers, the address and the content."""
    at = urlsplit(url)
    digest, moment = hashlib.sha256(content).hexdigest(), now.strftime("%Y%m%dT%H%M%SZ")
    own = {"host": at.netloc, "x-amz-date": moment} | {name.lower(): value for name, value in headers.items()}
    if service == "s3":
        own["x-amz-content-sha256"] = digest
    names = ";".join(sorted(own))
    canonical = "\n".join(
        (
            method,
            at.path or "/",
            "&".join(sorted(at.query.split("&"))),
            *(f"{name}:{' '.join(own[name].split())}" for name in sorted(own)),
            "",
            names,
            digest,
        )
    )
    scope = f"{moment[:8]}/{key.region}/{service}/aws4_request"
    to_sign = f"AWS4-HMAC-SHA256\n{moment}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    secret = f"AWS4{key.secret_key}".encode()
    for part in scope.split("/"):
        secret = _hmac(secret, part)
    prefix = f"AWS4-HMAC-SHA256 Credential={key.access_key}/{scope}, SignedHeaders={names}, Signature="
    return own | {"authorization": prefix + _hmac(secret, to_sign).hex()}


def _hmac(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), "sha256")
