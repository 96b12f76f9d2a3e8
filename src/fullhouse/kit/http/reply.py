"""How an answer leaves: at once, or when the batch is back that somebody waits for without a task."""

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


def send(request: Request, visit: Visit, answer: Answer) -> None:
    visit.status = answer.status
    head = visit.head(answer.headers, answer.content_type if answer.body else None)
    request.answer(answer.status, head, answer.body)


class Reply:
    """Whoever waits for a batch without a task: answered when it is back, in the batch's own turn of the loop."""

    __slots__ = ("_about", "_request", "_tell", "_visit")

    def __init__(
        self,
        request: Request,
        visit: Visit,
        tell: Callable[[Any], Answer | Awaitable[Answer]],
        about: dict[str, Any],
    ) -> None:
        """`tell` makes the answer of what the batch says; `about` is in every log line meanwhile."""
        self._request, self._visit, self._tell, self._about = request, visit, tell, about

    def done(self) -> bool:
        """Who has left is served all the same, as everywhere."""
        return self._request.answered

    def set_result(self, got: Any) -> None:
        token = ABOUT.set(self._about)
        try:
            answer = self._tell(got)
        except Exception as exc:
            answer = problems.answer(exc)
        if isinstance(answer, Answer):
            self._end(answer)
        else:
            _waiting.add(task := asyncio.ensure_future(self._wait_for(answer)))
            task.add_done_callback(_waiting.discard)
        ABOUT.reset(token)

    def set_exception(self, error: BaseException) -> None:
        token = ABOUT.set(self._about)
        self._end(problems.answer(error if isinstance(error, Exception) else Unavailable("We are closing.")))
        ABOUT.reset(token)

    async def _wait_for(self, coming: Awaitable[Answer]) -> None:
        try:
            answer = await coming
        except Exception as exc:
            answer = problems.answer(exc)
        self._end(answer)

    def _end(self, answer: Answer) -> None:
        """Nobody else of the batch depends on how this one takes it."""
        try:
            send(self._request, self._visit, answer)
        except Exception:
            log.exception("a request was not served")
        self._visit.leave()
        self._request.finish()


_waiting: set[asyncio.Future[None]] = set()  # the loop itself keeps no hold of them
