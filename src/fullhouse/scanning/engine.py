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
from fullhouse.kit.batching import RETRY, Batcher, Retry
from fullhouse.kit.codes import parse_code
from fullhouse.kit.db.database import PreparedStatementPool
from fullhouse.kit.errors import Unauthenticated, Unavailable
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.scanning import policy, store
from fullhouse.scanning.model import (
    CounterReused,
    GateNotPaired,
    OverrideNotAllowed,
    Presence,
    ScanRequest,
    ScanResponse,
    Scene,
    TicketAtGate,
    Verdict,
)
from fullhouse.scanning.queries import ScanAsk, ScanLine
from fullhouse.tickets.signing import signature

CONNECTIONS, BATCH_MAX = 2, 256
SETTINGS = {"enable_seqscan": "off"}  # the plan may be cached while tables are small, and must suit large ones
NESTED_LOOPS = {"enable_hashjoin": "off", "enable_mergejoin": "off"}  # a batch touches few rows of large tables
OUTCOMES = Counter("fullhouse_scans_total", "Scans by outcome", ["outcome"])
ScanRefusal = GateNotPaired | OverrideNotAllowed | CounterReused | Unauthenticated | Unavailable


class PendingScan(NamedTuple):
    device_id: UUID
    request: ScanRequest
    claim: signature.Claim | None
    actor: Actor


class DecidedScan(NamedTuple):
    """A scan that was decided, and is to be written."""

    scan_id: UUID
    pending: PendingScan
    row: Any
    scene: Scene
    verdict: Verdict

    @property
    def counts(self) -> bool:
        return self.verdict.admit and not self.scene.test


class ScanEngine:
    def __init__(self, services: Services) -> None:
        self._bus = services.bus
        self._facts_statement = PreparedStatementPool(
            services.url, store.scan_facts.query.text, lines=CONNECTIONS, settings=SETTINGS | NESTED_LOOPS
        )
        self._write_statement = PreparedStatementPool(
            services.url, store.write_scans.query.text, lines=CONNECTIONS, settings=SETTINGS
        )
        self._batcher: Batcher[PendingScan, ScanResponse | ScanRefusal] = Batcher(
            "scans", self._run_batch, lines=CONNECTIONS, most=BATCH_MAX, tries=6
        )

    async def start(self) -> None: ...

    async def stop(self) -> None:
        await self._batcher.close()
        await self._facts_statement.close()
        await self._write_statement.close()

    async def scan(self, organization_id: UUID, device_id: UUID, request: ScanRequest, actor: Actor) -> ScanResponse:
        claim = signature.parse(request.qr.strip()) if request.qr else None
        once = () if request.counter is None else ((device_id, request.counter),)
        response = await self._batcher.submit(organization_id, PendingScan(device_id, request, claim, actor), once)
        if isinstance(response, Exception):
            raise response
        OUTCOMES.labels(response.reason if response.reason and not response.admit else "admitted").inc()
        return response

    async def _run_batch(
        self, key: Hashable, asks: Sequence[PendingScan], last: Sequence[bool]
    ) -> Sequence[ScanResponse | ScanRefusal | Retry]:
        assert isinstance(key, UUID)
        read = await store.scan_facts(
            self._facts_statement.tenant(key), [_to_scan_ask(n, ask) for n, ask in enumerate(asks)]
        )
        rows = {row["req"]: row for row in read}
        found = [decide_scan(ask, rows.get(n)) for n, ask in enumerate(asks)]
        decided = {n: each for n, each in enumerate(found) if isinstance(each, DecidedScan)}
        places = await self._write(key, decided, final=all(last)) if decided else {}
        return [_to_result(n, each, places, last[n]) for n, each in enumerate(found)]

    async def _write(
        self, organization_id: UUID, decided: Mapping[int, DecidedScan], *, final: bool
    ) -> dict[int, int | None]:
        """The scans that were written, each with its spot number, if any."""
        rows_to_write = [_to_scan_line(n, each) for n, each in decided.items()]
        try:
            rows = await store.write_scans(
                self._write_statement.tenant(organization_id), sender=self._bus.sender, lines=rows_to_write
            )
        except asyncpg.UniqueViolationError:  # another process has written one of these: the next read finds it
            if final:
                raise
            return {}
        written = {n: place_no for n, outcome, place_no in rows if outcome == "done"}
        moved = {decided[n].row["event_id"] for n in written if decided[n].counts}
        self._bus.publish_committed([(f"scans:{event_id}", None) for event_id in moved])
        return written


def _to_result(
    n: int, found: DecidedScan | ScanResponse | ScanRefusal, places: Mapping[int, int | None], final: bool
) -> ScanResponse | ScanRefusal | Retry:
    if not isinstance(found, DecidedScan):
        return found
    if n in places:
        return to_response(found, places[n])
    return Unavailable("Too many scans at once. Scan the ticket again.", retry_after_s=1) if final else RETRY


def decide_scan(ask: PendingScan, row: Any) -> DecidedScan | ScanResponse | ScanRefusal:
    """Pure. A repeated counter gets the response of the first scan; a device without the right is refused."""
    if row is None or row["device_revoked"]:
        return Unauthenticated("This device was revoked. Pair it again with a new code.")
    if not row["gate_allowed"]:
        return GateNotPaired()
    if ask.request.override and "override" not in row["device_rights"]:
        return OverrideNotAllowed()
    if row["prior_id"]:
        return _repeat_response(ask, row)
    made = build_scene(ask, row)
    return DecidedScan(new_id(), ask, row, made, policy.decide(made))


def build_scene(ask: PendingScan, row: Any) -> Scene:
    now = row["now"]
    shift = policy.day_shift(row["start_at"], row["rescheduled_at"], row["timezone"])
    return Scene(
        now=now,
        day=row["day"],
        direction=ask.request.direction,
        test=ask.request.test,
        override=ask.request.override is not None,
        claim=_check_code(ask, row),
        same_event=(ask.claim.event_id if ask.claim else row["ticket_event_id"]) == row["event_id"],
        replaced=_is_replaced(ask, row),
        event_status=row["event_status"],
        in_new_window=is_in_new_window(row["start_at"], row["end_at"], row["rescheduled_at"], now),
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
        presence=_to_presence(row),
    )


def is_in_new_window(start_at: datetime, end_at: datetime, rescheduled_at: datetime | None, now: datetime) -> bool:
    return rescheduled_at is not None and rescheduled_at <= now <= rescheduled_at + (end_at - start_at)


def _check_code(ask: PendingScan, row: Any) -> str:
    """Whether the code is valid: only then are its event and its ticket trusted."""
    if ask.request.qr is not None:
        if (
            ask.claim is None
            or row["public_key"] is None
            or not signature.verify(ask.request.qr.strip(), row["public_key"])
        ):
            return "forged" if ask.claim else "unknown"
        if row["key_revoked"]:
            return "revoked"
    return "good" if row["ticket_id"] else "unknown"


def _is_replaced(ask: PendingScan, row: Any) -> bool:
    """Whether the code is a former holder's: its nonce or characters differ from the ticket's current ones."""
    if row["ticket_id"] is None:
        return False
    presented, current = (
        (ask.claim.nonce, row["nonce"]) if ask.claim else (parse_code(ask.request.code or ""), row["code"])
    )
    return bool(presented != current)


def _to_presence(row: Any) -> Presence:
    return Presence(
        inside=row["inside"],
        day=row["presence_day"],
        entries_today=row["entries_today"],
        entries=row["entries"],
        at=row["last_at"],
        gate=str(row["last_gate_id"]) if row["last_gate_id"] else None,
    )


def _matched_ticket_id(made: Scene, row: Any) -> UUID | None:
    """The ticket, if the code is valid and for this event."""
    return row["ticket_id"] if made.claim == "good" and made.same_event else None


def _assigned_spot(made: Scene, row: Any) -> int | None:
    """The spot number that the ticket already got today."""
    return row["place_no"] if made.presence.day == made.day else None


# --- responses


def to_response(decided: DecidedScan, place_no: int | None) -> ScanResponse:
    _, ask, row, made, verdict = decided
    since = verdict.reason in ("already_inside", "already_used")
    place_no = place_no or _assigned_spot(made, row)
    return ScanResponse(
        scan_id=decided.scan_id,
        admit=verdict.admit,
        reason=verdict.reason,
        message=_render_message(verdict, made, row),
        direction=ask.request.direction,
        test=made.test,
        at=made.now,
        day=made.day,
        since=row["last_at"] if since else None,
        gate=row["last_gate"] if since else None,
        ticket=_to_ticket(row, verdict.presence, made.day, place_no) if _matched_ticket_id(made, row) else None,
    )


def _render_message(verdict: Verdict, made: Scene, row: Any) -> str:
    if verdict.reason is None or verdict.admit:
        return "Welcome." if made.direction == "in" else "Goodbye."
    return policy.MESSAGES[verdict.reason]


def _to_ticket(row: Any, presence: Presence, day: date, place_no: int | None) -> TicketAtGate:
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


def _repeat_response(ask: PendingScan, row: Any) -> ScanResponse | CounterReused:
    """The response of the earlier scan with this counter, from its stored row. Refused if the ticket differs."""
    verdict = Verdict(row["prior_admitted"], row["prior_reason"], _to_presence(row))
    made = build_scene(ask, row)
    if row["prior_ticket_id"] != _matched_ticket_id(made, row):
        return CounterReused()
    return ScanResponse(
        scan_id=row["prior_id"],
        admit=verdict.admit,
        reason=verdict.reason,
        message=_render_message(verdict, made, row),
        direction=ask.request.direction,
        test=row["prior_test"],
        at=row["prior_at"],
        day=row["day"],
        repeated=True,
        ticket=_to_ticket(row, verdict.presence, row["day"], row["place_no"]) if row["prior_ticket_id"] else None,
    )


# --- the statements' row types


def _to_scan_ask(req: int, ask: PendingScan) -> ScanAsk:
    request, claim = ask.request, ask.claim
    code = parse_code(request.code) if request.code and not request.qr and not claim else None
    return ScanAsk(
        req=req,
        device_id=ask.device_id,
        counter=request.counter,
        gate_id=request.gate_id,
        ticket_id=claim.ticket_id if claim else None,
        code=code,
        key_id=(claim.key_id if claim.key_id < 2**15 else 0) if claim else None,
    )


def _to_scan_line(req: int, each: DecidedScan) -> ScanLine:
    scan_id, ask, row, made, verdict = each
    was, now = made.presence, verdict.presence
    was_in, is_in = policy.is_inside(was, made.day), policy.is_inside(now, made.day)
    gives = row["assign_places"] and row["zone_type"] == "ga_seated" and row["seat"] is None and made.direction == "in"
    kept_place = _assigned_spot(made, row)
    return ScanLine(
        req=req,
        scan_id=scan_id,
        event_id=row["event_id"],
        ticket_id=_matched_ticket_id(made, row),
        device_id=ask.device_id,
        counter=ask.request.counter,
        gate_id=row["gate_id"],
        direction=made.direction,
        admitted=verdict.admit,
        reason=verdict.reason,
        override=ask.request.override.reason if ask.request.override and verdict.reason and verdict.admit else None,
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
        battery=ask.request.battery,
        app_version=ask.request.app_version,
        device_name=ask.actor.name,
        ip=ask.actor.ip,
        user_agent=ask.actor.user_agent,
        request_id=ask.actor.request_id,
    )
