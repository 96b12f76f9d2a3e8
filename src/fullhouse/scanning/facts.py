"""The facts that this domain announces."""

from typing import ClassVar, Literal
from uuid import UUID

from fullhouse.kit.messages.outbox import Fact


class ScanFact(Fact, frozen=True, kw_only=True):
    """About a ticket at a gate. The subject is the ticket, or the device if the code belongs to no ticket."""

    event_id: UUID
    scan_id: UUID
    ticket_id: UUID | None = None
    gate_id: UUID
    device_id: UUID
    direction: Literal["in", "out"]
    reason: str | None = None


class TicketScanned(ScanFact, frozen=True, kw_only=True):
    """A ticket was admitted in or out. `reason` is what a supervisor overrode. Written by the statement that stores the
    scan; for an offline scan, when it is merged."""

    name: ClassVar[str] = "ticket.scanned"


class ScanRejected(ScanFact, frozen=True, kw_only=True):
    """A scan was refused; `reason` says why."""

    name: ClassVar[str] = "ticket.scan_rejected"


class ScanUndone(Fact, frozen=True, kw_only=True):
    """A scan was undone: the ticket's presence is as it was without it."""

    name: ClassVar[str] = "ticket.scan_undone"
    event_id: UUID
    scan_id: UUID
    reason: str


class ScansMerged(Fact, frozen=True, kw_only=True):
    """A device uploaded its offline scans."""

    name: ClassVar[str] = "scan_device.merged"
    event_id: UUID
    scans: int
    incidents: int


class IncidentResolved(Fact, frozen=True, kw_only=True):
    """An incident was resolved."""

    name: ClassVar[str] = "scan_incident.resolved"
    event_id: UUID
    ticket_id: UUID
    note: str


class DevicePaired(Fact, frozen=True, kw_only=True):
    """A device was paired for an event."""

    name: ClassVar[str] = "scan_device.paired"
    event_id: UUID


class DeviceRevoked(Fact, frozen=True, kw_only=True):
    """A device was revoked."""

    name: ClassVar[str] = "scan_device.revoked"
    event_id: UUID
