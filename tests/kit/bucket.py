"""A small store that speaks S3, for tests: it checks every signature by itself, and can be made to fail."""

import asyncio
import hashlib
import hmac
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from fullhouse.kit.media.files import Bucket

ACCESS, SECRET, REGION, NAME = "AKIATEST", "a secret/with+signs", "eu-test-1", "posters"
_AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(\w+)/(\d{8})/([\w-]+)/s3/aws4_request, SignedHeaders=([\w;-]+), Signature=(\w{64})"
)


class Store:
    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.trouble = ""  # refuse, fail, hang, cut, redirect
        self.calls = 0
        self.address = ""

    def bucket(self, **other: str) -> Bucket:
        usual = {"endpoint": self.address, "bucket": NAME, "access_key": ACCESS, "secret_key": SECRET}
        return Bucket(**usual | {"region": REGION} | other)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
                method, path, _ = head[0].split(" ")
                headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in head[1:] if line)}
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                self.calls += 1
                if self.trouble == "hang":
                    await reader.read()  # until the other side gives up
                    break
                status, content = self._answer(method, path, headers, body)
                content = b"" if method == "HEAD" else content
                writer.write(f"HTTP/1.1 {status} X\r\ncontent-length: {len(content)}\r\n".encode())
                if self.trouble == "redirect":
                    writer.write(b"location: http://127.0.0.1:9/\r\n")
                writer.write(b"\r\n" + (content[: len(content) // 2] if self.trouble == "cut" else content))
                await writer.drain()
                if self.trouble == "cut":
                    break
        writer.close()

    def _answer(self, method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, bytes]:
        forced = {"refuse": 403, "fail": 500, "redirect": 307}.get(self.trouble)
        if forced:
            return forced, b"<Error><Code>Forced</Code></Error>"
        if not self._is_signed(method, path, headers, body):
            return 403, b"<Error><Code>SignatureDoesNotMatch</Code></Error>"
        if not path.startswith(f"/{NAME}/"):
            return 404, b"<Error><Code>NoSuchBucket</Code></Error>"
        if method == "PUT":
            self.objects[path] = body
            return 200, b""
        if method == "DELETE":
            self.objects.pop(path, None)
            return 204, b""
        return (200, self.objects[path]) if path in self.objects else (404, b"<Error><Code>NoSuchKey</Code></Error>")

    def _is_signed(self, method: str, path: str, headers: dict[str, str], body: bytes) -> bool:
        """Calculated from what arrived, in another way than the client's."""
        found = _AUTHORIZATION.fullmatch(headers.get("authorization", ""))
        if not found:
            return False
        access, day, region, names, signature = found.groups()
        digest = hashlib.sha256(body).hexdigest()
        lines = [method, path, ""] + [f"{name}:{headers[name]}" for name in names.split(";")] + ["", names, digest]
        hashed = hashlib.sha256("\n".join(lines).encode()).hexdigest()
        text = f"AWS4-HMAC-SHA256\n{headers['x-amz-date']}\n{day}/{region}/s3/aws4_request\n{hashed}"
        key = ("AWS4" + SECRET).encode()
        for word in (day, region, "s3", "aws4_request", text):
            key = hmac.new(key, word.encode(), hashlib.sha256).digest()
        complete = {"host", "x-amz-date", "x-amz-content-sha256"} <= set(names.split(";"))
        known = (access, region, headers["x-amz-content-sha256"]) == (ACCESS, REGION, digest)
        return known and complete and hmac.compare_digest(signature, key.hex())


@asynccontextmanager
async def running() -> AsyncIterator[Store]:
    store = Store()
    server = await asyncio.start_server(store.serve, "127.0.0.1", 0)
    store.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield store
    finally:
        server.close()
