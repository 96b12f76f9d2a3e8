"""What a fast handler returns, and what every refusal becomes."""

from typing import NamedTuple


class Answer(NamedTuple):
    """A whole answer: nothing here is streamed."""

    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()
    content_type: str = "application/json"

    def own_headers(self) -> list[tuple[str, str]]:
        """The handler's headers; an empty body has no type."""
        return [*self.headers, ("content-type", self.content_type)] if self.body else [*self.headers]
