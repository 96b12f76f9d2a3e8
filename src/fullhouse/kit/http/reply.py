"""Sends responses: immediately, or when a batch has a result, without a task that waits for it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import structlog

from fullhouse.kit.errors import Unavailable
from fullhouse.kit.http import problems
from fullhouse.kit.http.answer import Answer
from fullhouse.kit.http.edge import Visit
from fullhouse.kit.http.request import Request
from fullhouse.kit.telemetry.telemetry import ABOUT

log = structlog.get_logger()


def send(request: Request, context: Visit, response: Answer) -> None:
    context.status = response.status
    head = context.head(response.headers, response.content_type if response.body else None)
    request.answer(response.status, head, response.body)


class Reply:
    """Receives a batch's result for a request and sends the response, in the batch's own loop turn, without a task."""

    __slots__ = ("_about", "_context", "_request", "_to_response")

    def __init__(
        self,
        request: Request,
        context: Visit,
        to_response: Callable[[Any], Answer | Awaitable[Answer]],
        about: dict[str, Any],
    ) -> None:
        """`to_response` turns the batch's result into a response; `about` are the fields of its log lines."""
        self._request, self._context, self._to_response, self._about = request, context, to_response, about

    def done(self) -> bool:
        """A disconnected client's request runs all the same, as in the other paths."""
        return self._request.answered

    def set_result(self, result: Any) -> None:
        token = ABOUT.set(self._about)
        try:
            response = self._to_response(result)
        except Exception as exc:
            response = problems.answer(exc)
        if isinstance(response, Answer):
            self._end(response)
        else:
            _waiting.add(task := asyncio.ensure_future(self._wait_for(response)))
            task.add_done_callback(_waiting.discard)
        ABOUT.reset(token)

    def set_exception(self, error: BaseException) -> None:
        token = ABOUT.set(self._about)
        exc = error if isinstance(error, Exception) else Unavailable("The server is shutting down. Try again.")
        self._end(problems.answer(exc))
        ABOUT.reset(token)

    async def _wait_for(self, pending: Awaitable[Answer]) -> None:
        try:
            response = await pending
        except Exception as exc:
            response = problems.answer(exc)
        self._end(response)

    def _end(self, response: Answer) -> None:
        """An error here must not affect the other requests of the batch."""
        try:
            send(self._request, self._context, response)
        except Exception:
            log.exception("http.request_failed")
        self._context.leave()
        self._request.finish()


_waiting: set[asyncio.Future[None]] = set()  # the event loop keeps weak references only
