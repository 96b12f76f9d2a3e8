"""The scan engine: concurrent scans of one organisation are read by one statement, decided by the policy, and written
by a second statement (`app.scan_facts`, `app.scan`; db/functions/scanning).

What was read may be stale when it is written: the second statement checks versions under its locks, and rejects scans
that were decided on stale rows. These are read and decided again in the next batch.
"""

from collections.abc import Hashable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple
from uuid import UUID

import asyncpg
from prometheus_client import Counter

from fullhouse.kit.actors import Actor
from fullhouse.kit.batching import AGAIN, Again, Coalescer
from fullhouse.kit.codes import typed
from fullhouse.kit.db.database import HotLine
from fullhouse.kit.errors import Unauthenticated, Unavailable
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.scanning import policy, store
from fullhouse.scanning.model import (
    CounterReused,
    GateNotYours,
    NoOverride,
    Presence,
    ScanAnswer,
    ScanWish,
    Scene,
    TicketAtGate,
    Verdict,
)
from fullhouse.scanning.queries import ScanAsk, ScanLine
from fullhouse.tickets.signing import signature

LINES, BATCH_MAX = 2, 256
SETTINGS = {"enable_seqscan": "off"}  # the plan may be cached while tables are small, and must suit large ones
ROW_BY_ROW = {"enable_hashjoin": "off", "enable_mergejoin": "off"}  # a batch touches few rows of large tables
OUTCOMES = Counter("fullhouse_scans_total", "Scans by outcome", ["outcome"])
Refused = GateNotYours | NoOverride | CounterReused | Unauthenticated | Unavailable


class Ask(NamedTuple):
    device_id: UUID
    wish: ScanWish
    claim: signature.Claim | None
    actor: Actor


class Decided(NamedTuple):
    """A scan that was decided, and is to be written."""

    scan_id: UUID
    ask: Ask
    row: Any
    scene: Scene
    verdict: Verdict

    @property
    def counts(self) -> bool:
        return self.verdict.admit and not self.scene.test


class Engine:
    def __init__(self, services: Services) -> None:
        self._bus = services.bus
        self._reads = HotLine(services.url, store.scan_facts.query.text, lines=LINES, settings=SETTINGS | ROW_BY_ROW)
        self._writes = HotLine(services.url, store.write_scans.query.text, lines=LINES, settings=SETTINGS)
        self._coalescer: Coalescer[Ask, ScanAnswer | Refused] = Coalescer(
            "scans", self._run, lines=LINES, most=BATCH_MAX, tries=6
        )

    async def start(self) -> None: ...

    async def stop(self) -> None:
        await self._coalescer.close()
        await self._reads.close()
        await self._writes.close()

    async def scan(self, organization_id: UUID, device_id: UUID, request: ScanWish, actor: Actor) -> ScanAnswer:
        claim = signature.read(request.qr.strip()) if request.qr else None
        once = () if request.counter is None else ((device_id, request.counter),)
        response = await self._coalescer.submit(organization_id, Ask(device_id, request, claim, actor), once)
        if isinstance(response, Exception):
            raise response
        OUTCOMES.labels(response.reason if response.reason and not response.admit else "admitted").inc()
        return response

    async def _run(
        self, key: Hashable, asks: Sequence[Ask], last: Sequence[bool]
    ) -> Sequence[ScanAnswer | Refused | Again]:
        assert isinstance(key, UUID)
        read = await store.scan_facts(self._reads.tenant(key), [_look_up(n, ask) for n, ask in enumerate(asks)])
        rows = {row["req"]: row for row in read}
        found = [judge(ask, rows.get(n)) for n, ask in enumerate(asks)]
        decided = {n: each for n, each in enumerate(found) if isinstance(each, Decided)}
        places = await self._write(key, decided, final=all(last)) if decided else {}
        return [_answer(n, each, places, last[n]) for n, each in enumerate(found)]

    async def _write(
        self, organization_id: UUID, decided: Mapping[int, Decided], *, final: bool
    ) -> dict[int, int | None]:
        """The scans that were written, each with its spot number, if any."""
        rows_to_write = [_line(n, each) for n, each in decided.items()]
        try:
            rows = await store.write_scans(
                self._writes.tenant(organization_id), sender=self._bus.sender, lines=rows_to_write
            )
        except asyncpg.UniqueViolationError:  # another process has written one of these: the next read finds it
            if final:
                raise
            return {}
        written = {n: place_no for n, outcome, place_no in rows if outcome == "done"}
        moved = {decided[n].row["event_id"] for n in written if decided[n].counts}
        self._bus.told([(f"scans:{event_id}", None) for event_id in moved])
        return written


def _answer(
    n: int, found: Decided | ScanAnswer | Refused, places: Mapping[int, int | None], final: bool
) -> ScanAnswer | Refused | Again:
    if not isinstance(found, Decided):
        return found
    if n in places:
        return told(found, places[n])
    return Unavailable("Too many scans at once. Scan the ticket again.", retry_after_s=1) if final else AGAIN


def judge(ask: Ask, row: Any) -> Decided | ScanAnswer | Refused:
    """Pure. A repeated counter gets the response of the first scan; a device without the right is refused."""
    if row is None or row["device_revoked"]:
        return Unauthenticated("This device was revoked. Pair it again with a new code.")
    if not row["gate_allowed"]:
        return GateNotYours()
    if ask.wish.override and "override" not in row["device_rights"]:
        return NoOverride()
    if row["prior_id"]:
        return _repeated(ask, row)
    made = scene(ask, row)
    return Decided(new_id(), ask, row, made, policy.decide(made))


def scene(ask: Ask, row: Any) -> Scene:
    now = row["now"]
    shift = policy.moved_by(row["start_at"], row["rescheduled_at"], row["timezone"])
    return Scene(
        now=now,
        day=row["day"],
        direction=ask.wish.direction,
        test=ask.wish.test,
        override=ask.wish.override is not None,
        claim=_claim(ask, row),
        same_event=(ask.claim.event_id if ask.claim else row["ticket_event_id"]) == row["event_id"],
        replaced=_is_replaced(ask, row),
        event_status=row["event_status"],
        in_new_window=in_new_window(row["start_at"], row["end_at"], row["rescheduled_at"], now),
        ticket_status=row["ticket_status"] or "valid",
        entitlement=row["entitlement"] or "single",
        max_daily_entries=row["max_daily_entries"],
        valid_days=tuple(day + shift for day in row["valid_days"] or ()),
        membership_status=row["membership_status"],
        member_from=row["member_from"],
        member_until=row["member_until"],
        gate=str(row["gate_id"]),
        gate_open=row["gate_open"],
        gate_inside=row["gate_inside"],
        gate_capacity=row["gate_capacity"],
        zone_inside=row["zone_inside"],
        zone_capacity=row["zone_capacity"],
        presence=_presence(row),
    )


def in_new_window(start_at: datetime, end_at: datetime, rescheduled_at: datetime | None, now: datetime) -> bool:
    return rescheduled_at is not None and rescheduled_at <= now <= rescheduled_at + (end_at - start_at)


def _claim(ask: Ask, row: Any) -> str:
    """Whether the code is valid: only then are its event and its ticket trusted."""
    if ask.wish.qr is not None:
        if (
            ask.claim is None
            or row["public_key"] is None
            or not signature.verify(ask.wish.qr.strip(), row["public_key"])
        ):
            return "forged" if ask.claim else "unknown"
        if row["key_revoked"]:
            return "revoked"
    return "good" if row["ticket_id"] else "unknown"


def _is_replaced(ask: Ask, row: Any) -> bool:
    """Whether the code is a former holder's: its nonce or characters differ from the ticket's current ones."""
    if row["ticket_id"] is None:
        return False
    presented, current = (ask.claim.nonce, row["nonce"]) if ask.claim else (typed(ask.wish.code or ""), row["code"])
    return bool(presented != current)


def _presence(row: Any) -> Presence:
    return Presence(
        inside=row["inside"],
        day=row["presence_day"],
        entries_today=row["entries_today"],
        entries=row["entries"],
        at=row["last_at"],
        gate=str(row["last_gate_id"]) if row["last_gate_id"] else None,
    )


def _ticket_id(made: Scene, row: Any) -> UUID | None:
    """The ticket, if the code is valid and for this event."""
    return row["ticket_id"] if made.claim == "good" and made.same_event else None


def _kept_place(made: Scene, row: Any) -> int | None:
    """The spot number that the ticket already got today."""
    return row["place_no"] if made.presence.day == made.day else None


# --- responses


def told(decided: Decided, place_no: int | None) -> ScanAnswer:
    _, ask, row, made, verdict = decided
    since = verdict.reason in ("already_inside", "already_used")
    place_no = place_no or _kept_place(made, row)
    return ScanAnswer(
        scan_id=decided.scan_id,
        admit=verdict.admit,
        reason=verdict.reason,
        message=_message(verdict, made, row),
        direction=ask.wish.direction,
        test=made.test,
        at=made.now,
        day=made.day,
        since=row["last_at"] if since else None,
        gate=row["last_gate"] if since else None,
        ticket=_ticket(row, verdict.presence, made.day, place_no) if _ticket_id(made, row) else None,
    )


def _message(verdict: Verdict, made: Scene, row: Any) -> str:
    if verdict.reason is None or verdict.admit:
        return "Welcome." if made.direction == "in" else "Goodbye."
    return policy.MESSAGES[verdict.reason]


def _ticket(row: Any, presence: Presence, day: date, place_no: int | None) -> TicketAtGate:
    return TicketAtGate(
        id=row["ticket_id"],
        number=row["number"],
        code=row["code"],
        holder_name=row["holder_name"],
        type_name=row["type_name"],
        status=row["ticket_status"],
        zone_name=row["zone_name"],
        section=row["section"],
        row=row["row_label"],
        seat=row["seat"],
        place_no=place_no,
        accessibility=policy.ACCESSIBILITY.get((row["category"], bool(row["companions"]))),
        companion_seats=row["companions"],
        entries_today=presence.entries_today if presence.day == day else 0,
        inside=policy.is_inside(presence, day),
    )


def _repeated(ask: Ask, row: Any) -> ScanAnswer | CounterReused:
    """The response of the earlier scan with this counter, from its stored row. Refused if the ticket differs."""
    verdict = Verdict(row["prior_admitted"], row["prior_reason"], _presence(row))
    made = scene(ask, row)
    if row["prior_ticket_id"] != _ticket_id(made, row):
        return CounterReused()
    return ScanAnswer(
        scan_id=row["prior_id"],
        admit=verdict.admit,
        reason=verdict.reason,
        message=_message(verdict, made, row),
        direction=ask.wish.direction,
        test=row["prior_test"],
        at=row["prior_at"],
        day=row["day"],
        repeated=True,
        ticket=_ticket(row, verdict.presence, row["day"], row["place_no"]) if row["prior_ticket_id"] else None,
    )


# --- the statements' row types


def _look_up(req: int, ask: Ask) -> ScanAsk:
    request, claim = ask.wish, ask.claim
    code = typed(request.code) if request.code and not request.qr and not claim else None
    return ScanAsk(
        req=req,
        device_id=ask.device_id,
        counter=request.counter,
        gate_id=request.gate_id,
        ticket_id=claim.ticket_id if claim else None,
        code=code,
        key_id=(claim.key_id if claim.key_id < 2**15 else 0) if claim else None,
    )


def _line(req: int, each: Decided) -> ScanLine:
    scan_id, ask, row, made, verdict = each
    was, now = made.presence, verdict.presence
    was_in, is_in = policy.is_inside(was, made.day), policy.is_inside(now, made.day)
    gives = row["assign_places"] and row["zone_type"] == "ga_seated" and row["seat"] is None and made.direction == "in"
    kept_place = _kept_place(made, row)
    return ScanLine(
        req=req,
        scan_id=scan_id,
        event_id=row["event_id"],
        ticket_id=_ticket_id(made, row),
        device_id=ask.device_id,
        counter=ask.wish.counter,
        gate_id=row["gate_id"],
        direction=made.direction,
        admitted=verdict.admit,
        reason=verdict.reason,
        override=ask.wish.override.reason if ask.wish.override and verdict.reason and verdict.admit else None,
        test=made.test,
        at=made.now,
        day=made.day,
        counts=each.counts,
        expected=row["presence_version"],
        event_version=row["event_version"],
        gate_version=row["gate_version"],
        ticket_version=row["ticket_version"],
        inside=now.inside,
        presence_day=now.day,
        entries_today=now.entries_today,
        entries=now.entries,
        last_at=now.at,
        last_gate_id=UUID(now.gate) if now.gate else None,
        step=int(is_in) - int(was_in),
        count_gate_id=UUID(was.gate) if was_in and was.gate else row["gate_id"],
        zone_id=row["zone_id"],
        gate_capacity=row["gate_capacity"],
        zone_capacity=row["zone_capacity"],
        uses=made.entitlement == "single" and made.direction == "in",
        place_no=kept_place,
        wants_place=gives and kept_place is None,
        number=row["number"],
        battery=ask.wish.battery,
        app_version=ask.wish.app_version,
        device_name=ask.actor.name,
        ip=ask.actor.ip,
        user_agent=ask.actor.user_agent,
        request_id=ask.actor.request_id,
    )
