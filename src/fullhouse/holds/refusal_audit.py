"""Audits refused reservations as `seat_reserve_failed`, batching those that arrive together into one statement.

The hold statement audits the refusals that it finds itself. This module audits those made before it (seating rules,
malformed requests, zone access) and those of buyers who lost every retry. A response waits for its audit row, but if
the row cannot be written, the response is sent all the same.
"""

from collections.abc import Awaitable, Callable, Hashable, Sequence
from functools import wraps
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar
from uuid import UUID

import structlog

from fullhouse.holds import policy, store
from fullhouse.holds.model import TooManyOfType
from fullhouse.kit.actors import Principal
from fullhouse.kit.batching import Batcher
from fullhouse.kit.db.database import DATABASE_ERRORS
from fullhouse.kit.errors import Refusal
from fullhouse.kit.services import Services

log = structlog.get_logger()
P = ParamSpec("P")
T = TypeVar("T")
Command = Callable[Concatenate[Services, Principal, UUID, P], Awaitable[T]]


class RefusalRow(NamedTuple):
    """A row of the audit log."""

    event_id: UUID
    seat_id: UUID | None
    code: str
    reason: str
    user_id: UUID | None
    ip: str | None
    user_agent: str | None
    request_id: str | None


class RefusalAudit:
    def __init__(self, services: Services) -> None:
        self._database = services.database
        self._batcher: Batcher[RefusalRow, None] = Batcher("refusals", self._write, lines=1)

    async def start(self) -> None: ...

    async def stop(self) -> None:
        await self._batcher.close()

    async def record(self, who: Principal, event_id: UUID, seat_id: UUID | None, refusal: Refusal) -> None:
        actor = who.actor
        row = RefusalRow(
            event_id, seat_id, refusal.code, refusal.detail, who.id, actor.ip, actor.user_agent, actor.request_id
        )
        try:
            await self._batcher.submit(who.organization_id, row)
        except DATABASE_ERRORS as error:
            log.warning("audit.refusal_lost", event_id=str(event_id), code=refusal.code, error=repr(error))

    async def _write(self, organization_id: Hashable, rows: Sequence[RefusalRow], _last: Sequence[bool]) -> list[None]:
        assert isinstance(organization_id, UUID)
        async with self._database.tenant(organization_id) as tx:
            await store.record_refusals(
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


async def record_refusal(
    services: Services, who: Principal, event_id: UUID, refusal: Refusal, seat_id: UUID | None = None
) -> None:
    if policy.needs_audit(refusal):
        await services.part(RefusalAudit).record(who, event_id, seat_id, refusal)


async def add_limit(services: Services, who: Principal, event_id: UUID, refusal: Refusal) -> Refusal:
    """The engine reports only that a ticket type's limit per order is exceeded: adds the type's name and the limit."""
    type_id = refusal.extra.get("ticket_type_id")
    if not isinstance(refusal, TooManyOfType) or type_id is None:
        return refusal
    async with services.database.tenant(who.organization_id) as tx:
        found = await store.find_type_limit(tx, event_id=event_id, ticket_type_id=type_id)
    if found is None or found.most is None:  # deleted or lifted meanwhile
        return refusal
    limit = {"name": found.name, "most": found.most}
    detailed = TooManyOfType(f"At most {found.most} of “{found.name}” in one order.", **refusal.extra | limit)
    detailed.is_audited = refusal.is_audited
    return detailed


def audit_refusals(verb: Command[P, T]) -> Command[P, T]:
    """Decorates a command: its refusals are audited before they are raised."""

    @wraps(verb)
    async def run(services: Services, who: Principal, event_id: UUID, /, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await verb(services, who, event_id, *args, **kwargs)
        except Refusal as refusal:
            await record_refusal(services, who, event_id, refusal, _picked_seat(args))
            raise await add_limit(services, who, event_id, refusal) from None

    return run


def _picked_seat(args: tuple[Any, ...]) -> UUID | None:
    """The command's first argument, if it is the id of a picked seat."""
    return args[0] if args and isinstance(args[0], UUID) else None
