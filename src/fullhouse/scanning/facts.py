"""What this room announces."""

from typing import ClassVar, Literal
from uuid import UUID

from fullhouse.kit.messages.outbox import Fact


class ScanFact(Fact, frozen=True, kw_only=True):
    """About a ticket at a gate; about the device, where there was no ticket."""

    event_id: UUID
    scan_id: UUID
    ticket_id: UUID | None = None
    gate_id: UUID
    device_id: UUID
    direction: Literal["in", "out"]
    reason: str | None = None


class TicketScanned(ScanFact, frozen=True, kw_only=True):
    """Somebody came in, or went out. `reason` is what a supervisor passed over. The statement that writes it writes
    this too; of a scan without a connection it comes when the device tells it."""

    name: ClassVar[str] = "ticket.scanned"


class ScanRejected(ScanFact, frozen=True, kw_only=True):
    """Somebody was not let in, and `reason` says why."""

    name: ClassVar[str] = "ticket.scan_rejected"


class ScanUndone(Fact, frozen=True, kw_only=True):
    """A wrong scan was taken back: the ticket stands where it stood before."""

    name: ClassVar[str] = "ticket.scan_undone"
    event_id: UUID
    scan_id: UUID
    reason: str


class ScansMerged(Fact, frozen=True, kw_only=True):
    """A device was without a connection, and has told what it saw meanwhile."""

    name: ClassVar[str] = "scan_device.merged"
    event_id: UUID
    scans: int
    incidents: int


class IncidentResolved(Fact, frozen=True, kw_only=True):
    """The duty manager has looked at a double entry."""

    name: ClassVar[str] = "scan_incident.resolved"
    event_id: UUID
    ticket_id: UUID
    note: str


class DevicePaired(Fact, frozen=True, kw_only=True):
    """A device scans for a show from now on."""

    name: ClassVar[str] = "scan_device.paired"
    event_id: UUID


class DeviceRevoked(Fact, frozen=True, kw_only=True):
    """A device is not believed any more."""

    name: ClassVar[str] = "scan_device.revoked"
    event_id: UUID
