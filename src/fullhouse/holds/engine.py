"""The engine: one SQL statement holds a batch of waiting requests of one organisation (`app.hold`; for events with a
waitlist `app.hold_in_turn`, which serves the people on it first). Both are in db/functions.

A single request is a batch of one. Every check that decides is made in the statement, under its locks; checks before it
only save work. The new seat states reach the caches of this process at once, and those of other processes by a NOTIFY
at the commit.
"""

from collections import Counter as Tally
from collections import defaultdict
from collections.abc import Hashable, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import asyncpg
from prometheus_client import Counter

from fullhouse.holds import store
from fullhouse.holds.policy import Limits
from fullhouse.holds.queries import HoldLine
from fullhouse.holds.system_hold_actions import SYSTEM_PLACED, from_offers
from fullhouse.kit.batching import RETRY, Batcher, Retry
from fullhouse.kit.db.database import PreparedStatementPool
from fullhouse.kit.live.bus import LOCAL
from fullhouse.kit.services import Services
from fullhouse.seating.model import SeatChange

CONNECTIONS, BATCH_MAX = 3, 256
SEAT_STATES = {"freed": 0, "held": 1, "offered": 1, "accompanied": 4}  # what a row did to its seat, as a seat state
PLACED = f"{LOCAL}holds:placed"  # published in this process only: the batch and its results
OUTCOMES = Counter("fullhouse_hold_items_total", "Items of hold requests, by outcome", ["outcome"])


class RequestItem(NamedTuple):
    """One item of a request: a seat, or a quantity from a pool (`kind` zone or ticket_type)."""

    hold_id: UUID
    seat_id: UUID | None = None
    kind: str | None = None
    ref_id: UUID | None = None
    quantity: int = 1
    keeps_companions: bool = False
    max_wheelchairs: int | None = None  # for a wheelchair space: the limit of them in one booking
    ticket_type_id: UUID | None = None  # for a zone: the ticket type to hold as


class HoldRequest(NamedTuple):
    """A request: all of its items, or none."""

    event_id: UUID
    user_id: UUID
    basket_id: UUID
    items: tuple[RequestItem, ...]
    source: str
    network: str | None
    limits: Limits
    key_range: tuple[UUID, UUID] | None  # the range of basket ids with the same idempotency key
    ip: str | None
    user_agent: str | None
    request_id: str | None
    promo_code: str | None = None

    @property
    def conflict_keys(self) -> tuple[Hashable, ...]:
        """A batch contains a person at most once, and so a network if holds per network are limited."""
        return (self.user_id,) if self.limits.most_near is None else (self.user_id, self.network)


class Result(NamedTuple):
    """The outcome of an item: `held`, `own` (held by the same person before), or the code of the refusal."""

    outcome: str
    hold_id: UUID | None
    held_until: datetime | None
    left_s: int | None
    ordinal: int | None
    zone_id: UUID | None
    seat_status: str | None = None  # if it is not available
    locked_at: datetime | None = None

    @property
    def is_granted(self) -> bool:
        return self.outcome in ("held", "own")


Results = tuple[Result, ...]


class Engine:
    def __init__(self, services: Services) -> None:
        self._bus = services.bus
        # The plan is cached from when the tables are small: it must not scan any of them sequentially later.
        self._statements = PreparedStatementPool(
            services.url, store.place_holds.query.text, lines=CONNECTIONS, settings={"enable_seqscan": "off"}
        )
        self.batches: Batcher[HoldRequest, Results] = Batcher("holds", self._run, lines=CONNECTIONS, most=BATCH_MAX)
        """By organisation: one result for each item of a request."""

    async def start(self) -> None: ...

    async def stop(self) -> None:
        await self.batches.close()
        await self._statements.close()

    async def hold(self, organization_id: UUID, request: HoldRequest) -> Results:
        return await self.batches.submit(organization_id, request, request.conflict_keys)

    async def _run(
        self, key: Hashable, requests: Sequence[HoldRequest], last: Sequence[bool]
    ) -> Sequence[Results | Retry]:
        assert isinstance(key, UUID)
        lines = [
            _to_row(req, line, request, item)
            for req, request in enumerate(requests, 1)
            for line, item in enumerate(request.items, 1)
        ]
        try:
            rows = await store.place_holds(self._statements.tenant(key), sender=self._bus.sender, lines=lines)
        except asyncpg.DeadlockDetectedError:
            if all(last):
                raise
            return [RETRY] * len(requests)
        results: list[list[Result]] = [[] for _ in requests]
        changed: dict[UUID, SeatChange] = defaultdict(lambda: SeatChange([], [], [], [], key))
        for row in rows:
            req, _, outcome, hold_id, held_until, left_s, event_id, ordinal, zone_id, version, held, sold, *more = row
            if req:
                results[req - 1].append(Result(outcome, hold_id, held_until, left_s, ordinal, zone_id, *more[:2]))
            if outcome == "counted":
                changed[event_id].counts.append((str(zone_id), held, sold, version))
            elif ordinal is not None and outcome in SEAT_STATES:
                changed[event_id].add(ordinal, SEAT_STATES[outcome], version)
        self._bus.deliver([(PLACED, (key, requests, rows))])
        if any(row["outcome"] == "offered" for row in rows):
            self._bus.deliver([(SYSTEM_PLACED, (key, from_offers(rows)))])
        self._bus.publish_committed([(f"seats:{event_id}", change) for event_id, change in changed.items()])
        responses = [_decide(found, final) for found, final in zip(results, last, strict=True)]
        decided = (result for response in responses if not isinstance(response, Retry) for result in response)
        for outcome, n in Tally(result.outcome for result in decided).items():
            OUTCOMES.labels(outcome).inc(n)
        return responses


def _decide(results: list[Result], final: bool) -> Results | Retry:
    if not final and any(result.outcome == "again" for result in results):
        return RETRY
    return tuple(results)


def _to_row(req: int, line: int, request: HoldRequest, item: RequestItem) -> HoldLine:
    limits = request.limits
    basket_low, basket_high = request.key_range or (None, None)
    return HoldLine(
        req=req,
        line=line,
        event_id=request.event_id,
        user_id=request.user_id,
        seat_id=item.seat_id,
        kind=item.kind,
        ref_id=item.ref_id,
        quantity=item.quantity,
        hold_id=item.hold_id,
        basket_id=request.basket_id,
        source=request.source,
        network=request.network,
        ttl_s=limits.ttl_s,
        per_window=limits.per_window,
        most_mine=limits.most_mine,
        most_near=limits.most_near,
        keeps_companions=item.keeps_companions,
        basket_low=basket_low,
        basket_high=basket_high,
        ip=request.ip,
        user_agent=request.user_agent,
        request_id=request.request_id,
        most_places=limits.most_places,
        most_chairs=item.max_wheelchairs,
        promo_code=request.promo_code,
        ticket_type_id=item.ticket_type_id,
    )
