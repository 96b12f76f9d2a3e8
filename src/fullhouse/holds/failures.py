"""Audits refused reservations as `seat_reserve_failed`, batching those that arrive together into one statement.

The hold statement audits the refusals that it finds itself. This module audits those made before it (seating rules,
malformed requests, zone access) and those of buyers who lost every retry. A response waits for its audit row, but if
the row cannot be written, the response is sent all the same.
"""

from collections.abc import Awaitable, Callable, Hashable, Sequence
from functools import wraps
from typing import Any, Concatenate, NamedTuple, NoReturn, ParamSpec, TypeVar
from uuid import UUID

import structlog

from fullhouse.holds import policy, store
from fullhouse.holds.model import TooManyOfType
from fullhouse.kit.actors import Principal
from fullhouse.kit.batching import Coalescer
from fullhouse.kit.db.database import LOST
from fullhouse.kit.errors import Refusal
from fullhouse.kit.services import Services

log = structlog.get_logger()
P = ParamSpec("P")
T = TypeVar("T")
Verb = Callable[Concatenate[Services, Principal, UUID, P], Awaitable[T]]


class Failure(NamedTuple):
    """A row of the audit log."""

    event_id: UUID
    seat_id: UUID | None
    code: str
    reason: str
    user_id: UUID | None
    ip: str | None
    user_agent: str | None
    request_id: str | None


class Failures:
    def __init__(self, services: Services) -> None:
        self._database = services.database
        self._coalescer: Coalescer[Failure, None] = Coalescer("refusals", self._write, lines=1)

    async def start(self) -> None: ...

    async def stop(self) -> None:
        await self._coalescer.close()

    async def note(self, who: Principal, event_id: UUID, seat_id: UUID | None, refusal: Refusal) -> None:
        actor = who.actor
        row = Failure(
            event_id, seat_id, refusal.code, refusal.detail, who.id, actor.ip, actor.user_agent, actor.request_id
        )
        try:
            await self._coalescer.submit(who.organization_id, row)
        except LOST as error:
            log.warning("audit.refusal_lost", event_id=str(event_id), code=refusal.code, error=repr(error))

    async def _write(self, organization_id: Hashable, rows: Sequence[Failure], _last: Sequence[bool]) -> list[None]:
        assert isinstance(organization_id, UUID)
        async with self._database.tenant(organization_id) as tx:
            await store.note_failures(
                tx,
                event_ids=[row.event_id for row in rows],
                seat_ids=[row.seat_id for row in rows],
                codes=[row.code for row in rows],
                reasons=[row.reason for row in rows],
                user_ids=[row.user_id for row in rows],
                ips=[row.ip for row in rows],
                user_agents=[row.user_agent for row in rows],
                request_ids=[row.request_id for row in rows],
            )
        return [None] * len(rows)


async def note(
    services: Services, who: Principal, event_id: UUID, refusal: Refusal, seat_id: UUID | None = None
) -> None:
    if policy.is_noted_here(refusal):
        await services.part(Failures).note(who, event_id, seat_id, refusal)


async def note_and_refuse(
    services: Services, who: Principal, event_id: UUID, refusal: Refusal, seat_id: UUID | None
) -> NoReturn:
    await note(services, who, event_id, refusal, seat_id)
    raise await explained(services, who, event_id, refusal)


async def explained(services: Services, who: Principal, event_id: UUID, refusal: Refusal) -> Refusal:
    """The engine reports only that a ticket type's limit per order is exceeded: adds the type's name and the limit."""
    type_id = refusal.extra.get("ticket_type_id")
    if not isinstance(refusal, TooManyOfType) or type_id is None:
        return refusal
    async with services.database.tenant(who.organization_id) as tx:
        found = await store.limit_of_type(tx, event_id=event_id, ticket_type_id=type_id)
    if found is None or found.most is None:  # deleted or lifted meanwhile
        return refusal
    limit = {"name": found.name, "most": found.most}
    detailed = TooManyOfType(f"At most {found.most} of “{found.name}” in one order.", **refusal.extra | limit)
    detailed.noted = refusal.noted
    return detailed


def noting(verb: Verb[P, T]) -> Verb[P, T]:
    """Decorates a command: its refusals are audited before they are raised."""

    @wraps(verb)
    async def run(services: Services, who: Principal, event_id: UUID, /, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await verb(services, who, event_id, *args, **kwargs)
        except Refusal as refusal:
            await note(services, who, event_id, refusal, _seat(args))
            raise await explained(services, who, event_id, refusal) from None

    return run


def _seat(args: tuple[Any, ...]) -> UUID | None:
    """The command's first argument, if it is the id of a picked seat."""
    return args[0] if args and isinstance(args[0], UUID) else None
