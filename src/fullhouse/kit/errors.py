"""The base classes of all refusals. Domains subclass them; `kit/http/problems.py` renders them as RFC 9457 problems.

A refusal is a deliberate response: it has a stable `code` that clients may rely on, a `status`, and a `detail` written
for the person who reads it. Any other exception is a bug and becomes a 500 response.
"""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import msgspec


class OperatorError(Exception):
    """A fault that only the operator can fix. Its text says what to do; the command line prints it and exits."""


class FieldError(msgspec.Struct, frozen=True):
    """One mistake in a request: `path` like `items[0].quantity`, and a sentence about it."""

    path: str
    message: str


class Refusal(Exception):
    """The request cannot be served as it stands."""

    code: ClassVar[str] = "invalid_request"
    status: ClassVar[int] = 400
    title: ClassVar[str] = "The request is not valid"
    is_audited = False  # true once it is in the audit log; otherwise the guard audits a Forbidden

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

    def to_problem(self) -> dict[str, Any]:
        """The response body, as RFC 9457 defines it."""
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
    """The request has no credentials, or its token is unknown, expired or revoked."""

    code, status, title = "unauthenticated", 401, "Sign in first"


class Forbidden(Refusal):
    """Signed in, but without the right to do this."""

    code, status, title = "forbidden", 403, "You may not do this"


class CrossSite(Refusal):
    """A write came with the session cookie but not from one of our own pages."""

    code, status, title = "csrf", 403, "The request came from another site"


class NotFound(Refusal):
    """There is no such resource. For another organisation's resource the response is the same, byte for byte."""

    code, status, title = "not_found", 404, "Not found"


class MethodNotAllowed(Refusal):
    """The address exists, but does not support this method."""

    code, status, title = "method_not_allowed", 405, "This address does not support that method"


class Conflict(Refusal):
    """The request is fine, but the current state does not allow it."""

    code, status, title = "conflict", 409, "The current state does not allow this"


class TooLarge(Refusal):
    """The body is larger than this address accepts."""

    code, status, title = "body_too_large", 413, "The body is too large"


class UnsupportedMedia(Refusal):
    """This address does not accept the body's content type."""

    code, status, title = "unsupported_media_type", 415, "The content type is not supported"


class Invalid(Refusal):
    """Well-formed, but a value is missing, out of range or of the wrong kind."""

    code, status, title = "invalid", 422, "A value is not valid"


class UnknownField(Invalid):
    """The body has a field that this address does not know. Unknown fields are never ignored."""

    code, title = "unknown_field", "The body has an unknown field"


class RateLimited(Refusal):
    """Too many requests from one person or address. `Retry-After` says when to come back."""

    code, status, title = "rate_limited", 429, "Too many requests"


class Unavailable(Refusal):
    """The server is busy, or a service it needs is unavailable. Retry shortly, a write with its Idempotency-Key."""

    code, status, title = "unavailable", 503, "Try again shortly"


def all_refusals(root: type[Refusal] = Refusal) -> Iterator[type[Refusal]]:
    """All refusal classes, for the documentation page of each code."""
    yield root
    for child in root.__subclasses__():
        yield from all_refusals(child)
