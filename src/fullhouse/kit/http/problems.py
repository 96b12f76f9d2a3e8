"""Renders every exception as RFC 9457 `application/problem+json`, the same for both lanes.

Refusals have their own code and status. Exceptions of the framework map to the matching refusal. An unavailable
dependency becomes 503. Everything else is a bug: it is logged with its traceback, and the caller gets no details but
the request id in the header.
"""

import errno
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import asyncpg
import msgspec
import structlog
from litestar import Request
from litestar import Response as LitestarResponse
from litestar.exceptions import HTTPException, SerializationException, ValidationException

from fullhouse.kit import errors
from fullhouse.kit.errors import FieldError, Invalid, Malformed, Refusal, Unavailable, UnknownField
from fullhouse.kit.http.decode import parse_complaint
from fullhouse.kit.http.response import Response

log = structlog.get_logger()

MEDIA_TYPE = "application/problem+json"


class InternalError(Refusal):
    """An error on our side. It is in our log; quote the response's `X-Request-Id` when you report it."""

    code, status, title = "internal_error", 500, "Something went wrong on our side"


# A dependency is unavailable, full or overloaded. OSError includes connection errors, timeouts and a database's missing
# socket file.
UNAVAILABLE_ERRORS: tuple[type[Exception], ...] = (
    OSError,
    asyncpg.InterfaceError,  # the connection is closed
    asyncpg.InternalClientError,  # it was closed during the call
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,  # starting, stopping, query cancelled
    asyncpg.InsufficientResourcesError,  # disk full, too many connections
    asyncpg.TransactionRollbackError,  # deadlock, serialization failure
    asyncpg.LockNotAvailableError,
    asyncpg.ReadOnlySQLTransactionError,  # a standby that has not been promoted yet
    asyncpg.PostgresSystemError,  # the server's disk fails
)

BY_STATUS: dict[int, type[Refusal]] = {
    400: errors.Malformed,
    401: errors.Unauthenticated,
    403: errors.Forbidden,
    404: errors.NotFound,
    405: errors.MethodNotAllowed,
    413: errors.TooLarge,
    415: errors.UnsupportedMedia,
    422: errors.Invalid,
    429: errors.RateLimited,
    503: errors.Unavailable,
}


def to_response(exc: Exception) -> Response:
    """An exception as a problem response."""
    refusal = to_refusal(exc)
    headers = [(name.lower(), value) for name, value in (getattr(exc, "headers", None) or {}).items()]
    if refusal.retry_after_s is not None:
        headers.append(("retry-after", str(refusal.retry_after_s)))
    if refusal.status == 401:
        headers.append(("www-authenticate", "Bearer"))
    return Response(refusal.status, msgspec.json.encode(refusal.to_problem()), tuple(headers), MEDIA_TYPE)


def replace_refusal(says: Mapping[type[Refusal], type[Refusal]], exc: Exception) -> Exception:
    """Replaces a refusal by the route's own class for it (`says`): another code, the same detail and fields."""
    for kind, own in says.items():
        if isinstance(exc, kind):
            return own(exc.detail, fields=exc.fields, retry_after_s=exc.retry_after_s, **exc.extra)
    return exc


def to_refusal(exc: Exception) -> Refusal:
    """Maps an exception to a refusal. Unexpected exceptions are logged here, once."""
    match exc:
        case Refusal():
            return exc
        case ValidationException():
            return _to_invalid(exc)
        case HTTPException(status_code=400):
            return Malformed(f"{exc.detail.rstrip('.')}.")
        case HTTPException(status_code=status) if status in BY_STATUS:
            return BY_STATUS[status]()
        case HTTPException(status_code=status) if status < 500:
            return Refusal()
        case SerializationException() | RecursionError():
            return Malformed("The body cannot be decoded.")
        case _ if isinstance(exc, UNAVAILABLE_ERRORS):
            log.warning("disk.full" if _is_disk_full(exc) else "http.dependency_unavailable", exc_info=exc)
            return Unavailable("A service that we depend on is unavailable. Try again in a second.", retry_after_s=1)
    log.error("http.unexpected_error", exc_info=exc)
    return InternalError("Something went wrong on our side. Try again; if it persists, report the request id.")


def _is_disk_full(exc: Exception) -> bool:
    """This machine's disk or the database's: the one fault that lasts until an operator frees space."""
    return isinstance(exc, asyncpg.DiskFullError) or (
        isinstance(exc, OSError) and exc.errno in (errno.ENOSPC, errno.EDQUOT)
    )


def _to_invalid(exc: ValidationException) -> Refusal:
    """Litestar's errors about parameters; bodies are decoded by `StrictRequest` instead."""
    complaints = exc.extra if isinstance(exc.extra, list) else []
    if any(complaint.get("key") == "data" for complaint in complaints):
        return Malformed("The body is empty. Send JSON.")
    fields = [_to_field_error(complaint) for complaint in complaints]
    if not fields and (missing := re.match(r"Missing required \w+ parameter '(.+?)'", exc.detail)):
        fields = [FieldError(missing[1], "This parameter is required.")]
    if any("unknown field" in complaint["message"] for complaint in complaints):
        return UnknownField(fields=fields)
    return Invalid(f"{fields[0].path}: {fields[0].message}" if fields else None, fields=fields)


def _to_field_error(complaint: dict[str, Any]) -> FieldError:
    return FieldError(complaint.get("key", ""), parse_complaint(complaint["message"]).message)


def _respond(request: Request[Any, Any, Any], exc: Exception) -> LitestarResponse[bytes]:
    problem = to_response(exc)
    headers = dict(problem.headers)
    return LitestarResponse(problem.body, status_code=problem.status, media_type=MEDIA_TYPE, headers=headers)


exception_handlers: dict[int | type[Exception], Any] = {Exception: _respond}
"""For Litestar: one handler for all exceptions."""


class Description(NamedTuple):
    """An error code, for the page at a problem's `type`."""

    code: str
    status: int
    title: str
    text: str


def find_description(code: str) -> Description | None:
    """The description of a code, or None if there is no such code."""
    for kind in errors.all_refusals():
        if kind.code == code:
            return Description(code, kind.status, kind.title, (kind.__doc__ or "").strip())
    return None
