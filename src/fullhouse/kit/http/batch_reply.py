"""Sends responses: immediately, or when a batch has a result, without a task that waits for it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import structlog

from fullhouse.kit.errors import Unavailable
from fullhouse.kit.http import problems
from fullhouse.kit.http.middleware import RequestContext
from fullhouse.kit.http.request import Request
from fullhouse.kit.http.response import Response
from fullhouse.kit.telemetry.telemetry import REQUEST_FIELDS

log = structlog.get_logger()


def send_response(request: Request, context: RequestContext, response: Response) -> None:
    context.status = response.status
    head = context.render_head(response.headers, response.content_type if response.body else None)
    request.respond(response.status, head, response.body)


class BatchReply:
    """Receives a batch's result for a request and sends the response, in the batch's own loop turn, without a task."""

    __slots__ = ("_about", "_context", "_request", "_to_response")

    def __init__(
        self,
        request: Request,
        context: RequestContext,
        to_response: Callable[[Any], Response | Awaitable[Response]],
        about: dict[str, Any],
    ) -> None:
        """`to_response` turns the batch's result into a response; `about` are the fields of its log lines."""
        self._request, self._context, self._to_response, self._about = request, context, to_response, about

    def done(self) -> bool:
        """A disconnected client's request runs all the same, as in the other paths."""
        return self._request.answered

    def set_result(self, result: Any) -> None:
        token = REQUEST_FIELDS.set(self._about)
        try:
            response = self._to_response(result)
        except Exception as exc:
            response = problems.to_response(exc)
        if isinstance(response, Response):
            self._end(response)
        else:
            _waiting.add(task := asyncio.ensure_future(self._wait_for(response)))
            task.add_done_callback(_waiting.discard)
        REQUEST_FIELDS.reset(token)

    def set_exception(self, error: BaseException) -> None:
        token = REQUEST_FIELDS.set(self._about)
        exc = error if isinstance(error, Exception) else Unavailable("The server is shutting down. Try again.")
        self._end(problems.to_response(exc))
        REQUEST_FIELDS.reset(token)

    async def _wait_for(self, pending: Awaitable[Response]) -> None:
        try:
            response = await pending
        except Exception as exc:
            response = problems.to_response(exc)
        self._end(response)

    def _end(self, response: Response) -> None:
        """An error here must not affect the other requests of the batch."""
        try:
            send_response(self._request, self._context, response)
        except Exception:
            log.exception("http.request_failed")
        self._context.finish()
        self._request.finish()


_waiting: set[asyncio.Future[None]] = set()  # the event loop keeps weak references only
