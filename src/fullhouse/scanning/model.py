"""Devices, scans and verdicts; request bodies, responses and refusals."""

from datetime import date, datetime
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from fullhouse.kit.errors import Conflict, Forbidden, Invalid, NotFound

Right = Literal["scan", "search", "override"]
Direction = Literal["in", "out"]
Reason = Annotated[str, Meta(min_length=1, max_length=500, pattern=r"\S")]
Code = Annotated[str, Meta(min_length=8, max_length=20, description="The eight characters on the ticket.")]
Qr = Annotated[str, Meta(min_length=1, max_length=400)]
Counter = Annotated[int, Meta(ge=0, le=2**53, description="The device's number for the scan: repeats count once.")]
Battery = Annotated[int, Meta(ge=0, le=100)]
AppVersion = Annotated[str, Meta(min_length=1, max_length=40)]

BATCH_MAX = 5_000


class Request(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of request bodies: unknown fields are refused."""


# --- the decision


class Presence(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a ticket is inside. `at` and `gate` are of the first entry since the last exit; `day` is of the last."""

    inside: bool = False
    day: date | None = None
    entries_today: int = 0
    entries: int = 0
    at: datetime | None = None
    gate: str | None = None


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """All inputs of the decision. `claim` is the check of the code itself: good, unknown, forged or revoked."""

    now: datetime
    day: date
    direction: str = "in"
    test: bool = False
    override: bool = False
    claim: str = "good"
    same_event: bool = True
    replaced: bool = False
    event_status: str = "live"
    in_new_window: bool = False
    ticket_status: str = "valid"
    entitlement: str = "single"
    max_daily_entries: int | None = None
    valid_days: tuple[date, ...] = ()
    membership_status: str | None = None
    member_from: datetime | None = None
    member_until: datetime | None = None
    gate: str = ""
    gate_open: bool = True
    gate_inside: int = 0
    gate_capacity: int | None = None
    zone_inside: int = 0
    zone_capacity: int | None = None
    presence: Presence = Presence()


class Verdict(msgspec.Struct, frozen=True):
    """`reason` says why entry was refused; if admitted, which reason a supervisor overrode."""

    admit: bool
    reason: str | None
    presence: Presence


# --- devices


class Device(msgspec.Struct, frozen=True, kw_only=True):
    """A scanning device. `clock_offset_s` is how far its clock was behind the server's at its last batch."""

    id: UUID
    event_id: UUID
    name: str
    gate_ids: list[UUID]
    rights: list[str]
    paired_at: datetime | None
    revoked_at: datetime | None
    last_seen_at: datetime | None
    battery: int | None
    app_version: str | None
    clock_offset_s: int | None
    created_at: datetime


class NewPairing(msgspec.Struct, frozen=True, kw_only=True):
    """A device that can be paired with the code, once and until `expires_at`.

    `link` opens the scanner with the code filled in; `qr` is the link as a QR code (SVG).
    """

    id: UUID
    code: str
    organization: str
    link: str
    qr: str
    expires_at: datetime
    device: Device


class GateInfo(msgspec.Struct, frozen=True, kw_only=True):
    id: UUID
    gate_code: str
    name: str
    status: str
    capacity: int | None


class PairingResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a device stores. `key` decrypts its snapshots (AES-256-GCM), `verify_key` checks their signature (Ed25519);
    both are base64. `locale` is the organisation's language."""

    token: str
    key: bytes
    verify_key: bytes
    device: Device
    gates: list[GateInfo]
    locale: str


class NewDevice(Request, frozen=True, kw_only=True):
    event_id: UUID
    name: Annotated[str, Meta(min_length=1, max_length=100, pattern=r"\S")]
    gate_ids: Annotated[list[UUID], Meta(min_length=1, max_length=50)]
    rights: Annotated[tuple[Right, ...], Meta(min_length=1, max_length=3)] = ("scan",)


class Pair(Request, frozen=True, kw_only=True):
    """`organization` is the slug, as for signing in."""

    organization: Annotated[str, Meta(min_length=2, max_length=63)]
    code: Annotated[str, Meta(min_length=8, max_length=20)]
    app_version: AppVersion | None = None


# --- scans


class Override(Request, frozen=True, kw_only=True):
    reason: Reason


class ScanRequest(Request, frozen=True, kw_only=True):
    """Either the QR code's text or the ticket's eight-character code. `gate_id` defaults to the device's first gate."""

    qr: Qr | None = None
    code: Code | None = None
    direction: Direction = "in"
    test: bool = False
    gate_id: UUID | None = None
    counter: Counter | None = None
    override: Override | None = None
    battery: Battery | None = None
    app_version: AppVersion | None = None


class TicketAtGate(msgspec.Struct, frozen=True, kw_only=True):
    """What gate staff see of a ticket. `companion_seats` are those of a wheelchair space."""

    id: UUID
    number: str
    code: str
    holder_name: str
    type_name: str
    status: str
    zone_name: str | None = None
    section: str | None = None
    row: str | None = None
    seat: str | None = None
    place_no: int | None = None
    accessibility: str | None = None
    companion_seats: str | None = None
    entries_today: int = 0
    inside: bool = False


class ScanResponse(msgspec.Struct, frozen=True, kw_only=True):
    """`reason` is a stable code, `message` a sentence to display. `since` and `gate` tell the time and gate of the
    earlier entry if the ticket is already inside or used."""

    scan_id: UUID
    admit: bool
    reason: str | None
    message: str
    direction: str
    test: bool
    at: datetime
    day: date
    repeated: bool = False
    since: datetime | None = None
    gate: str | None = None
    ticket: TicketAtGate | None = None


class Scan(msgspec.Struct, frozen=True, kw_only=True):
    id: UUID
    event_id: UUID
    ticket_id: UUID | None
    device_id: UUID
    counter: int | None
    gate_id: UUID
    direction: str
    admitted: bool
    reason: str | None
    override: str | None
    test: bool
    offline: bool
    at: datetime
    day: date
    undone_at: datetime | None
    undone_reason: str | None


class Undo(Request, frozen=True, kw_only=True):
    reason: Reason


class FindTickets(Request, frozen=True, kw_only=True):
    """A ticket search. For a device, `event_id` defaults to its own event."""

    q: Annotated[str, Meta(min_length=2, max_length=100, description="A name, an order, a ticket's code or number.")]
    event_id: UUID | None = None


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """A search result. Its code can be entered by hand."""

    ticket_id: UUID
    number: str
    code: str
    status: str
    holder_name: str
    order_code: str
    type_name: str
    zone_name: str | None
    section: str | None
    row: str | None
    seat: str | None
    inside: bool
    entries: int
    last_at: datetime | None


# --- offline


class OfflineScan(Request, frozen=True, kw_only=True):
    """A scan that the device decided offline. `at` is by its clock; `code` is the ticket's. `device_id` is the former
    pairing of the scan and its counter, if it was not made under the current one."""

    counter: Counter
    at: Annotated[datetime, Meta(tz=True)]
    code: Code | None = None
    qr: Qr | None = None
    direction: Direction = "in"
    admitted: bool
    reason: Annotated[str, Meta(min_length=1, max_length=40)] | None = None
    test: bool = False
    gate_id: UUID | None = None
    override: Override | None = None
    device_id: UUID | None = None


class FormerPairing(Request, frozen=True, kw_only=True):
    """A former pairing of this device. `proof` is the SHA-256 of `former pairing:` followed by the SHA-256 of its
    former token, in base64: it proves possession of the token, and grants nothing else."""

    device_id: UUID
    proof: Annotated[bytes, Meta(min_length=32, max_length=32)]


class Batch(Request, frozen=True, kw_only=True):
    """`device_now` is the device's clock when it sends the batch: the server corrects the scans' times by it. `former`
    are the former pairings, for the same event, that scans refer to."""

    device_now: Annotated[datetime, Meta(tz=True)]
    scans: Annotated[list[OfflineScan], Meta(max_length=BATCH_MAX)]
    former: Annotated[list[FormerPairing], Meta(max_length=50)] = []
    battery: Battery | None = None
    app_version: AppVersion | None = None


class MergeResult(msgspec.Struct, frozen=True, kw_only=True):
    """`taken` scans were new, `known` ones were merged before. The device may delete both, and send the next batch."""

    taken: int
    known: int
    unknown_tickets: int
    incidents: int
    clock_offset_s: int


class Incident(msgspec.Struct, frozen=True, kw_only=True):
    """An entry that should not have happened: the ticket, and the time and gate of the first and of the second scan.

    Kinds `cancelled`, `refunded` and `transferred` come from offline entries with a ticket that had become void or been
    transferred: there is no first scan, and `first_at` is when that happened."""

    id: UUID
    event_id: UUID
    ticket_id: UUID
    number: str
    holder_name: str
    kind: str
    first_scan_id: UUID | None
    first_at: datetime
    first_gate: str | None
    second_scan_id: UUID
    second_at: datetime
    second_gate: str | None
    created_at: datetime
    resolved_at: datetime | None
    resolved_by: UUID | None
    note: str | None


class Resolve(Request, frozen=True, kw_only=True):
    note: Reason


# --- refusals


class DeviceNotFound(NotFound):
    """There is no such device."""

    code, title = "device_not_found", "No such device"


class FormerPairingUnknown(Forbidden):
    """Scans of a former pairing need its proof, and must be for the same event."""

    code, title = "former_pairing_unknown", "Not a former pairing of this device"


class PairingFailed(Invalid):
    """The code is wrong, was already used, or has expired. Create a new one in the console."""

    code, title = "pairing_failed", "The pairing code is not valid"


class GateNotPaired(Forbidden):
    """The device was not paired for this gate."""

    code, title = "gate_not_paired", "The device is not paired for this gate"


class OverrideNotAllowed(Forbidden):
    """An override needs a device that was paired with the right to override."""

    code, title = "override_not_allowed", "This device may not override"


class CounterReused(Conflict):
    """The counter belongs to a scan of another ticket. A device must never reuse a counter, or scans would be lost."""

    code, title = "counter_reused", "The counter was already used"


class ScanNotFound(NotFound):
    """There is no such scan, or it belongs to another event."""

    code, title = "scan_not_found", "No such scan"


class NothingToUndo(Conflict):
    """The scan had no effect, or was already undone."""

    code, title = "nothing_to_undo", "There is nothing to undo"


class IncidentNotFound(NotFound):
    """There is no such incident, or it was already resolved."""

    code, title = "incident_not_found", "No such incident"
