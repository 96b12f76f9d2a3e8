"""Devices, scans and what is decided about them; what may be asked, and what is refused."""

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
Counter = Annotated[int, Meta(ge=0, le=2**53, description="The device's own number: the same scan again is one scan.")]
Battery = Annotated[int, Meta(ge=0, le=100)]
AppVersion = Annotated[str, Meta(min_length=1, max_length=40)]

BATCH_MAX = 5_000


class Request(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Bodies: what is not known is refused."""


# --- the decision


class Presence(msgspec.Struct, frozen=True, kw_only=True):
    """Where a ticket stands. `at` and `gate` are of the entry that counts; `day` is that of the last one."""

    inside: bool = False
    day: date | None = None
    entries_today: int = 0
    entries: int = 0
    at: datetime | None = None
    gate: str | None = None


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a decision is made of. `claim` is good, unknown, forged or revoked: what the code itself said."""

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
    """`reason` says why not; or, of somebody who was admitted, what a supervisor passed over."""

    admit: bool
    reason: str | None
    presence: Presence


# --- devices


class Device(msgspec.Struct, frozen=True, kw_only=True):
    """What scans at a gate. `clock_offset_s` is how far its clock was behind ours when it last sent a batch."""

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
    """A device that waits for whoever brings the code. It is good once, and not for long.

    `link` opens the scanner with the code filled in; `qr` is the link as a QR code, an SVG.
    """

    id: UUID
    code: str
    organization: str
    link: str
    qr: str
    expires_at: datetime
    device: Device


class GateShown(msgspec.Struct, frozen=True, kw_only=True):
    id: UUID
    gate_code: str
    name: str
    status: str
    capacity: int | None


class Paired(msgspec.Struct, frozen=True, kw_only=True):
    """What a device keeps. `key` opens its snapshots (AES-256-GCM), `verify_key` says who made them (Ed25519); both are
    base64. `locale` is what the organisation speaks."""

    token: str
    key: bytes
    verify_key: bytes
    device: Device
    gates: list[GateShown]
    locale: str


class NewDevice(Request, frozen=True, kw_only=True):
    event_id: UUID
    name: Annotated[str, Meta(min_length=1, max_length=100, pattern=r"\S")]
    gate_ids: Annotated[list[UUID], Meta(min_length=1, max_length=50)]
    rights: Annotated[tuple[Right, ...], Meta(min_length=1, max_length=3)] = ("scan",)


class Pair(Request, frozen=True, kw_only=True):
    """`organization` is its slug, as for signing in."""

    organization: Annotated[str, Meta(min_length=2, max_length=63)]
    code: Annotated[str, Meta(min_length=8, max_length=20)]
    app_version: AppVersion | None = None


# --- scans


class Override(Request, frozen=True, kw_only=True):
    reason: Reason


class ScanWish(Request, frozen=True, kw_only=True):
    """Either the text of the QR or the ticket's eight characters. Without `gate_id`, the device's first gate."""

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
    """What staff see of a ticket. `companion_seats` belong to a wheelchair place."""

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


class ScanAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """`reason` is a code to rely on, `message` a sentence to show. `since` and `gate` say when and where somebody came
    in who is inside already."""

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
    """Whose ticket. A device knows its own show."""

    q: Annotated[str, Meta(min_length=2, max_length=100, description="A name, an order, a ticket's code or number.")]
    event_id: UUID | None = None


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """A ticket that a search found: its code can be scanned by hand."""

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
    """A scan that was decided by the device. `at` is by its clock; `code` is the ticket's. `device_id` says under which
    former pairing it was seen, where it was not under this one: the counter is of that one."""

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
    """Who this device was before. `proof` is SHA-256 of `former pairing:` and of SHA-256 of the token that it
    had, in base64: whoever knows it has had the token, and can do nothing else with it."""

    device_id: UUID
    proof: Annotated[bytes, Meta(min_length=32, max_length=32)]


class Batch(Request, frozen=True, kw_only=True):
    """`device_now` is what the device's clock says while it sends this: the server puts its times right by it. `former`
    are the pairings with the same show that the scans name."""

    device_now: Annotated[datetime, Meta(tz=True)]
    scans: Annotated[list[OfflineScan], Meta(max_length=BATCH_MAX)]
    former: Annotated[list[FormerPairing], Meta(max_length=50)] = []
    battery: Battery | None = None
    app_version: AppVersion | None = None


class Merged(msgspec.Struct, frozen=True, kw_only=True):
    """`known` were here already. Send the next ones; what was taken need not be kept."""

    taken: int
    known: int
    unknown_tickets: int
    incidents: int
    clock_offset_s: int


class Incident(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody came in who should not have: which ticket, where and when it was first seen, and then again.

    Of kind `cancelled`, `refunded` or `transferred`, the device did not know what had become of the ticket, or nobody
    here knew of the entry: then there is no first scan, and `first_at` is when the ticket became void or another's."""

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


class NotItsFormerSelf(Forbidden):
    """A device tells what it saw under a former pairing with the proof that it was that one, and for the same show."""

    code, title = "former_pairing_unknown", "Not a former pairing of this device"


class PairingFailed(Invalid):
    """The code is wrong, was used already, or its time is over. Ask for another one."""

    code, title = "pairing_failed", "The code is not good"


class GateNotYours(Forbidden):
    """The device was not paired for this gate."""

    code, title = "gate_not_paired", "Not a gate of this device"


class NoOverride(Forbidden):
    """Overriding needs a device that was paired with this right."""

    code, title = "override_not_allowed", "This device may not override"


class CounterReused(Conflict):
    """This counter was another ticket's scan. A device must never use one twice, or its scans would be lost."""

    code, title = "counter_reused", "The counter was used before"


class ScanNotFound(NotFound):
    """There is no such scan, or it is of another show."""

    code, title = "scan_not_found", "No such scan"


class NothingToUndo(Conflict):
    """The scan changed nothing, or was undone already."""

    code, title = "nothing_to_undo", "There is nothing to undo"


class IncidentNotFound(NotFound):
    """There is no such incident, or it was resolved already."""

    code, title = "incident_not_found", "No such incident"
