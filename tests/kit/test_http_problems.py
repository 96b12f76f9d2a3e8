"""Whatever is raised, as an answer."""

import errno

import asyncpg
import msgspec
import pytest
from litestar.exceptions import (
    ClientException,
    HTTPException,
    MethodNotAllowedException,
    NotAuthorizedException,
    PermissionDeniedException,
    ValidationException,
)
from structlog.testing import capture_logs

from fullhouse.kit import errors
from fullhouse.kit.http import problems


@pytest.mark.parametrize(
    "exc",
    [
        ConnectionRefusedError(),
        TimeoutError(),
        FileNotFoundError("no socket"),
        OSError(errno.ENOSPC, "disk full"),
        asyncpg.PostgresConnectionError(),
        asyncpg.ConnectionDoesNotExistError(),
        asyncpg.TooManyConnectionsError(),
        asyncpg.CannotConnectNowError(),
        asyncpg.AdminShutdownError(),
        asyncpg.QueryCanceledError(),
        asyncpg.DiskFullError(),
        asyncpg.DeadlockDetectedError(),
        asyncpg.LockNotAvailableError(),
        asyncpg.InterfaceError("connection is closed"),
    ],
    ids=lambda exc: type(exc).__name__,
)
def test_a_dependency_that_is_away_means_later(exc: Exception) -> None:
    with capture_logs() as lines:
        answer = problems.to_response(exc)
    assert (answer.status, msgspec.json.decode(answer.body)["code"]) == (503, "unavailable")
    assert ("retry-after", "1") in answer.headers
    assert [(line["log_level"], line["exc_info"]) for line in lines] == [("warning", exc)]


@pytest.mark.parametrize(
    ("exc", "said"),
    [
        (asyncpg.DiskFullError(), "disk.full"),
        (OSError(errno.ENOSPC, "no space"), "disk.full"),
        (OSError(errno.EDQUOT, "no space"), "disk.full"),
        (ConnectionRefusedError(errno.ECONNREFUSED, "no"), "http.dependency_unavailable"),
        (asyncpg.TooManyConnectionsError(), "http.dependency_unavailable"),
    ],
    ids=repr,
)
def test_a_full_disk_is_named_in_the_log(exc: Exception, said: str) -> None:
    """Nobody should have to read a traceback to learn that room is to be made."""
    with capture_logs() as lines:
        problems.to_response(exc)
    assert [line["event"] for line in lines] == [said]


@pytest.mark.parametrize(
    "exc",
    [RuntimeError("secret"), KeyError("secret"), asyncpg.UniqueViolationError("secret"), HTTPException("secret")],
    ids=lambda exc: type(exc).__name__,
)
def test_a_bug_is_logged_and_not_shown(exc: Exception) -> None:
    with capture_logs() as lines:
        answer = problems.to_response(exc)
    assert (answer.status, msgspec.json.decode(answer.body)["code"]) == (500, "internal_error")
    assert b"secret" not in answer.body
    assert [(line["log_level"], line["exc_info"]) for line in lines] == [("error", exc)]


@pytest.mark.parametrize(
    ("exc", "status", "code"),
    [
        (errors.NotFound(), 404, "not_found"),
        (ClientException("Invalid host header"), 400, "malformed_request"),
        (NotAuthorizedException(), 401, "unauthenticated"),
        (PermissionDeniedException(), 403, "forbidden"),
        (ValidationException("no"), 422, "invalid"),
        (ValidationException(extra=[{"key": "data", "message": "'data'"}]), 400, "malformed_request"),
        (HTTPException(status_code=418), 400, "invalid_request"),
        (RecursionError(), 400, "malformed_request"),
    ],
)
def test_refusals_are_no_news(exc: Exception, status: int, code: str) -> None:
    with capture_logs() as lines:
        answer = problems.to_response(exc)
    problem = msgspec.json.decode(answer.body)
    assert (answer.status, problem["status"], problem["code"]) == (status, status, code)
    assert answer.content_type == "application/problem+json"
    assert lines == []


def test_a_challenge_comes_with_401() -> None:
    assert ("www-authenticate", "Bearer") in problems.to_response(errors.Unauthenticated()).headers


def test_405_says_what_is_allowed() -> None:
    exc = MethodNotAllowedException(headers={"Allow": "GET"})
    assert problems.to_response(exc).headers == (("allow", "GET"),)


def test_every_code_has_a_page() -> None:
    ours = [kind for kind in errors.all_refusals() if kind.__module__.startswith("fullhouse.")]  # tests make some too
    for kind in ours:
        page = problems.find_description(kind.code)
        assert page is not None
        assert (page.code, page.status) == (kind.code, kind.status)
        assert page.text
    assert problems.find_description("no_such_code") is None
