"""The response of a fast handler, and of every refusal."""

from typing import NamedTuple


class Response(NamedTuple):
    """A complete response, not streamed."""

    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()
    content_type: str = "application/json"

    def headers_with_type(self) -> list[tuple[str, str]]:
        """The handler's headers, with the content type unless the body is empty."""
        return [*self.headers, ("content-type", self.content_type)] if self.body else [*self.headers]
