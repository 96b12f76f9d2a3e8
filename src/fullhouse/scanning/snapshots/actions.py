"""Builds snapshots for devices: everything that the decision needs, without people's names."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

from fullhouse.events import actions as events
from fullhouse.events.model import Event
from fullhouse.kit.actors import Principal
from fullhouse.kit.db.database import Tx
from fullhouse.kit.secrets import Keyring
from fullhouse.scanning import device_actions, policy, store
from fullhouse.scanning.model import Device
from fullhouse.scanning.snapshots import codec
from fullhouse.scanning.snapshots.codec import IndexedValues, Row
from fullhouse.scanning.store import SnapshotTicket
from fullhouse.tickets.signing import signing_keys

# `updated_at` is the start of a transaction, but its rows are visible only after commit: a margin covers the gap.
OVERLAP = timedelta(minutes=1)
DAYS_MAX = 60


class SnapshotBuilder:
    """Builds a snapshot: its lists, and the rows that refer to them by index."""

    def __init__(self, event: Event, today: date, now: datetime) -> None:
        self.event, self.now = event, now
        self.base = now - timedelta(days=400)
        self.first_day = today - timedelta(days=400)
        self.types, self.zones, self.gates, self.members = (
            IndexedValues(),
            IndexedValues(),
            IndexedValues(),
            IndexedValues(),
        )
        self.sections, self.rows, self.seats = IndexedValues(), IndexedValues(), IndexedValues()

    def to_row(self, ticket: SnapshotTicket) -> Row:
        category = ticket.category if ticket.category in codec.CATEGORIES else ""
        numbers = (
            codec.seconds_since(ticket.at, self.base),
            self.types.index_of(ticket.ticket_type_id),
            self.zones.index_of(ticket.zone_id),
            self.members.index_of(ticket.membership_id),
            self.sections.index_of(ticket.section),
            self.rows.index_of(ticket.row_label),
            self.seats.index_of(ticket.seat),
            codec.days_since(ticket.day, self.first_day),
            min(ticket.entries or 0, codec.NONE),
            self.gates.index_of(ticket.gate_id),
            min(ticket.entries_today or 0, 255),
            codec.STATUSES.index(ticket.status),
            codec.CATEGORIES.index(category or ""),
            int(bool(ticket.inside)),
        )
        return Row(ticket.id, ticket.nonce, ticket.code, numbers)


async def build_snapshot(tx: Tx, keyring: Keyring, who: Principal, since_ms: int | None) -> Callable[[], bytes]:
    """Reads the rows and returns a function that packs them, to run in a thread. `since_ms` limits them to changes."""
    device = await device_actions.require_device(tx, who)
    organization_id, event = tx.organization_id, await events.require_event(tx, device.event_id)
    assert organization_id
    sealed_key = await store.sealed_key(tx, device.id)
    key = keyring.open(device_actions.KEY, sealed_key) if sealed_key else None
    if key is None:
        raise RuntimeError(
            "the device's key cannot be decrypted: FULLHOUSE_SECRET_KEY may have changed; pair the device again"
        )
    now = await tx.now()
    today = policy.day_of(now, event.timezone, policy.parse_day_boundary(event.settings))
    since = datetime.fromtimestamp(since_ms / 1000, UTC) - OVERLAP if since_ms is not None else None
    sheet = SnapshotBuilder(event, today, now)
    header = await _build_header(tx, sheet, device, today)
    tickets = await store.tickets_of_snapshot(tx, event_id=event.id, since=since)
    await store.record_device_seen(tx, device_id=device.id, battery=None, app_version=None, clock_offset_s=None)
    signer = device_actions.signing_key(keyring, organization_id)

    def packed() -> bytes:
        rows = [sheet.to_row(ticket) for ticket in tickets]
        lists = {
            "sections": list(sheet.sections.indexes),
            "rows": list(sheet.rows.indexes),
            "seats": list(sheet.seats.indexes),
        }
        whole = codec.pack(header | lists | {"since": since_ms}, rows)
        return codec.seal(whole, key, signer, device.id)

    return packed


async def _build_header(tx: Tx, sheet: SnapshotBuilder, device: Device, today: date) -> dict[str, Any]:
    event = sheet.event
    shift = policy.day_shift(event.start_at, event.rescheduled_at, event.timezone)
    types = await store.types_of_snapshot(tx, event.id)
    zones = await store.zones_of_snapshot(tx, event_id=event.id, day=today)
    gates = await store.list_gates(tx, event_id=event.id, gate_ids=None)
    members = await store.members_of_snapshot(tx, event.id)
    keys = await signing_keys.list_keys(tx)
    counts = {row.id: row.inside for row in await store.occupancy(tx, event_id=event.id, day=today)}
    sheet.types, sheet.zones = IndexedValues(t.id for t in types), IndexedValues(z.id for z in zones)
    sheet.gates, sheet.members = IndexedValues(g.id for g in gates), IndexedValues(m.id for m in members)
    return {
        "version": _ms(sheet.now),
        "base": _ms(sheet.base),
        "first_day": sheet.first_day,
        "device": {"id": device.id, "gates": device.gate_ids, "rights": device.rights},
        "event": {
            "id": event.id, "name": event.name, "status": event.status, "timezone": event.timezone,
            "new_window": _new_window(event),
        },
        "days": _days(event, today),
        "keys": [{"id": k.key_id, "public": k.public_key, "revoked": k.revoked_at is not None} for k in keys],
        "gates": [
            {"id": g.id, "code": g.gate_code, "name": g.name, "open": g.status == "open", "capacity": g.capacity,
             "inside": counts.get(g.id, 0)}
            for g in gates
        ],
        "types": [
            {"id": t.id, "name": t.name, "entitlement": t.entitlement, "max_daily_entries": t.max_daily_entries,
             "valid_days": [day + shift for day in t.valid_days]}
            for t in types
        ],
        "zones": [{"id": z.id, "name": z.name, "capacity": z.capacity, "inside": z.inside} for z in zones],
        "members": [
            {"id": m.id, "status": m.status, "from": _ms(m.valid_from), "until": m.valid_until and _ms(m.valid_until)}
            for m in members
        ],
        "companions": dict(await store.companions_of_snapshot(tx, event.id)),
        "former": dict(await store.former_codes_of_snapshot(tx, event.id)),
        "rules": {
            "entitlements": {name: rule._asdict() for name, rule in policy.ENTITLEMENTS.items()},
            "overridable": sorted(policy.OVERRIDABLE),
            "messages": policy.MESSAGES,
        },
    }  # fmt: skip


def _new_window(event: Event) -> list[int] | None:
    new = event.rescheduled_at
    return [_ms(new), _ms(new + (event.end_at - event.start_at))] if new else None


def _days(event: Event, today: date) -> list[dict[str, Any]]:
    """Days with their start and end times, so that a device needs no time zone database."""
    zone, until = event.timezone, policy.parse_day_boundary(event.settings)
    opens = policy.day_of(event.rescheduled_at or event.doors_at, zone, until)
    ends = policy.day_of((event.rescheduled_at or event.start_at) + (event.end_at - event.start_at), zone, until)
    days = {opens + timedelta(days=n) for n in range(min((ends - opens).days + 1, DAYS_MAX))}
    days |= {today + timedelta(days=n) for n in range(-1, 8)}  # a test scan may be on any day

    def begins(day: date) -> int:
        return _ms(policy.day_start(day, zone, until))

    return [{"day": day, "from": begins(day), "until": begins(day + timedelta(days=1))} for day in sorted(days)]


def _ms(at: datetime) -> int:
    return round(at.timestamp() * 1000)
