"""Every way to say no, on one screen. Rooms subclass these; the HTTP edge turns them into RFC 9457 problems.

A refusal is an answer, not an accident: it has a stable `code` that clients may rely on, a `status`,
and a `detail` written for the person who reads it. Anything that is not a Refusal is a bug and answers 500.
"""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import msgspec


class OperatorError(Exception):
    """Something that only the operator can mend: a sentence saying what to do. The command line prints it and ends."""


class FieldError(msgspec.Struct, frozen=True):
    """One mistake in a request: `path` like `items[0].quantity`, and a sentence about it."""

    path: str
    message: str


class Refusal(Exception):
    """The request cannot be served as it stands."""

    code: ClassVar[str] = "invalid_request"
    status: ClassVar[int] = 400
    title: ClassVar[str] = "The request is not valid"
    noted = False  # set by whoever has written it to the audit; of what is forbidden, otherwise the edge does

    def __init__(
        self,
        detail: str | None = None,
        *,
        fields: Sequence[FieldError] = (),
        retry_after_s: int | None = None,
        **extra: Any,
    ) -> None:
        self.detail = detail or f"{self.title}."
        self.fields = fields
        self.retry_after_s = retry_after_s
        self.extra = extra
        super().__init__(self.detail)

    def problem(self) -> dict[str, Any]:
        """The body of the answer, as RFC 9457 has it."""
        body: dict[str, Any] = {
            "type": f"/problems/{self.code}",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
        }
        if self.fields:
            body["fields"] = self.fields
        return body | self.extra


class Malformed(Refusal):
    """The bytes are not what they claim to be: broken JSON, NUL characters, too deeply nested."""

    code, status, title = "malformed_request", 400, "The request is malformed"


class Unauthenticated(Refusal):
    """Nobody is signed in, or the token is unknown, expired or revoked."""

    code, status, title = "unauthenticated", 401, "Sign in first"


class Forbidden(Refusal):
    """Signed in, but without the right to do this."""

    code, status, title = "forbidden", 403, "You may not do this"


class CrossSite(Refusal):
    """A write came with the session cookie but not from one of our own pages."""

    code, status, title = "csrf", 403, "The request came from another site"


class NotFound(Refusal):
    """There is no such thing here. Another organisation's things answer the same, byte for byte."""

    code, status, title = "not_found", 404, "Not found"


class MethodNotAllowed(Refusal):
    """The address exists, but not for this verb."""

    code, status, title = "method_not_allowed", 405, "This address does not take that method"


class Conflict(Refusal):
    """The request is fine, but the current state does not allow it."""

    code, status, title = "conflict", 409, "The current state does not allow this"


class TooLarge(Refusal):
    """The body is larger than this address accepts."""

    code, status, title = "body_too_large", 413, "The body is too large"


class UnsupportedMedia(Refusal):
    """The body's content type is not one that this address reads."""

    code, status, title = "unsupported_media_type", 415, "Send JSON"


class Invalid(Refusal):
    """Well-formed, but a value is missing, out of range or of the wrong kind."""

    code, status, title = "invalid", 422, "A value is not valid"


class UnknownField(Invalid):
    """The body has a field that this address does not know. Nothing is ignored silently."""

    code, title = "unknown_field", "The body has an unknown field"


class RateLimited(Refusal):
    """Too many requests from one person or address. `Retry-After` says when to come back."""

    code, status, title = "rate_limited", 429, "Too many requests"


class Unavailable(Refusal):
    """The house is too busy, or a part of it is away. Try again shortly; repeat a write with its Idempotency-Key."""

    code, status, title = "unavailable", 503, "Try again shortly"


def every(root: type[Refusal] = Refusal) -> Iterator[type[Refusal]]:
    """All refusals that are defined, for the documentation page of each code."""
    yield root
    for child in root.__subclasses__():
        yield from every(child)
