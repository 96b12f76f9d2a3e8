"""The engine: requests of one organisation that wait together are held by one statement (`app.hold`;
where a show has a waiting list, after whoever waits: `app.hold_in_turn`). They are in db/functions/holds.

The path of a single request is that of a batch of one. Every check that decides anything is in the statement, under the
locks; what happens before it only spares work. The seats' new states reach the halls of this process at once, and those
of others with the commit.
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
from fullhouse.holds.made_facts import MADE, of_offers
from fullhouse.holds.policy import Limits
from fullhouse.holds.queries import HoldLine
from fullhouse.kit.batching import AGAIN, Again, Coalescer
from fullhouse.kit.db.database import HotLine
from fullhouse.kit.live.bus import HERE
from fullhouse.kit.services import Services
from fullhouse.seating.model import SeatChange

LINES, BATCH_MAX = 3, 256
CHANGES = {"freed": 0, "held": 1, "offered": 1, "accompanied": 4}  # what a line did to its seat, as the halls know it
PLACED = f"{HERE}holds:placed"  # told in this process only: the batch, and what it got
OUTCOMES = Counter("fullhouse_hold_lines_total", "Lines of requests to hold, by how they ended", ["outcome"])


class Want(NamedTuple):
    """A seat, or places in a pool (`kind` zone or ticket_type)."""

    hold_id: UUID
    seat_id: UUID | None = None
    kind: str | None = None
    ref_id: UUID | None = None
    quantity: int = 1
    keeps_companions: bool = False
    most_chairs: int | None = None  # of a wheelchair place: so many of them in one booking
    ticket_type_id: UUID | None = None  # of a zone's places: what they are held as


class Ask(NamedTuple):
    """A request: all of what it wants, or none of it."""

    event_id: UUID
    user_id: UUID
    basket_id: UUID
    wants: tuple[Want, ...]
    source: str
    network: str | None
    limits: Limits
    once: tuple[UUID, UUID] | None  # the range of baskets that have the same key
    ip: str | None
    user_agent: str | None
    request_id: str | None
    promo_code: str | None = None

    @property
    def apart(self) -> tuple[Hashable, ...]:
        """One person, and one network that is limited, is in a batch once at most."""
        return (self.user_id,) if self.limits.most_near is None else (self.user_id, self.network)


class Result(NamedTuple):
    """What a line got: `held`, `own`, or why not."""

    outcome: str
    hold_id: UUID | None
    held_until: datetime | None
    left_s: int | None
    ordinal: int | None
    zone_id: UUID | None
    seat_status: str | None = None  # of one that is not available
    locked_at: datetime | None = None

    @property
    def good(self) -> bool:
        return self.outcome in ("held", "own")


Results = tuple[Result, ...]


class Engine:
    def __init__(self, services: Services) -> None:
        self._bus = services.bus
        # The plan is made when tables are small and kept when they are not: it must not read any of them whole.
        self._line = HotLine(
            services.url, store.place_holds.query.text, lines=LINES, settings={"enable_seqscan": "off"}
        )
        self.batches: Coalescer[Ask, Results] = Coalescer("holds", self._run, lines=LINES, most=BATCH_MAX)
        """By organisation: one result for each want of a request."""

    async def start(self) -> None: ...

    async def stop(self) -> None:
        await self.batches.close()
        await self._line.close()

    async def hold(self, organization_id: UUID, ask: Ask) -> Results:
        return await self.batches.submit(organization_id, ask, ask.apart)

    async def _run(self, key: Hashable, asks: Sequence[Ask], last: Sequence[bool]) -> Sequence[Results | Again]:
        assert isinstance(key, UUID)
        lines = [
            _line(req, line, ask, want) for req, ask in enumerate(asks, 1) for line, want in enumerate(ask.wants, 1)
        ]
        try:
            rows = await store.place_holds(self._line.tenant(key), sender=self._bus.sender, lines=lines)
        except asyncpg.DeadlockDetectedError:
            if all(last):
                raise
            return [AGAIN] * len(asks)
        answers: list[list[Result]] = [[] for _ in asks]
        changed: dict[UUID, SeatChange] = defaultdict(lambda: SeatChange([], [], [], [], key))
        for row in rows:
            req, _, outcome, hold_id, held_until, left_s, event_id, ordinal, zone_id, version, held, sold, *more = row
            if req:
                answers[req - 1].append(Result(outcome, hold_id, held_until, left_s, ordinal, zone_id, *more[:2]))
            if outcome == "counted":
                changed[event_id].counts.append((str(zone_id), held, sold, version))
            elif ordinal is not None and outcome in CHANGES:
                changed[event_id].add(ordinal, CHANGES[outcome], version)
        self._bus.deliver([(PLACED, (key, asks, rows))])
        if any(row["outcome"] == "offered" for row in rows):
            self._bus.deliver([(MADE, (key, of_offers(rows)))])
        self._bus.told([(f"seats:{event_id}", change) for event_id, change in changed.items()])
        decided = [_answer(results, final) for results, final in zip(answers, last, strict=True)]
        for outcome, n in Tally(r.outcome for said in decided if not isinstance(said, Again) for r in said).items():
            OUTCOMES.labels(outcome).inc(n)
        return decided


def _answer(results: list[Result], final: bool) -> Results | Again:
    if not final and any(result.outcome == "again" for result in results):
        return AGAIN
    return tuple(results)


def _line(req: int, line: int, ask: Ask, want: Want) -> HoldLine:
    limits = ask.limits
    basket_low, basket_high = ask.once or (None, None)
    return HoldLine(
        req=req,
        line=line,
        event_id=ask.event_id,
        user_id=ask.user_id,
        seat_id=want.seat_id,
        kind=want.kind,
        ref_id=want.ref_id,
        quantity=want.quantity,
        hold_id=want.hold_id,
        basket_id=ask.basket_id,
        source=ask.source,
        network=ask.network,
        ttl_s=limits.ttl_s,
        per_window=limits.per_window,
        most_mine=limits.most_mine,
        most_near=limits.most_near,
        keeps_companions=want.keeps_companions,
        basket_low=basket_low,
        basket_high=basket_high,
        ip=ask.ip,
        user_agent=ask.user_agent,
        request_id=ask.request_id,
        most_places=limits.most_places,
        most_chairs=want.most_chairs,
        promo_code=ask.promo_code,
        ticket_type_id=want.ticket_type_id,
    )
