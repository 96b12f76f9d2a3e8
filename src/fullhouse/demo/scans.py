"""Entries at the demo's events: two scanners at the gates, and their scans."""

import os
import random
from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from fullhouse.demo.rows import Row, insert_rows, to_hex_bytea
from fullhouse.events.model import Event, Gate
from fullhouse.kit import secrets
from fullhouse.kit.db.database import Tx
from fullhouse.kit.ids import new_id
from fullhouse.kit.secrets import Keyring, TokenKind
from fullhouse.scanning.device_actions import KEY
from fullhouse.scanning.policy import day_of

ENTERED_SHARE = 0.93
REPEATED_SHARE = 0.015  # the share of tickets that are shown again, and rejected

_TICKETS = """
    SELECT t.id, t.zone_id, y.entitlement FROM tickets t
    JOIN ticket_types y ON y.organization_id = t.organization_id AND y.id = t.ticket_type_id
    WHERE t.organization_id = $1 AND t.event_id = $2 AND t.status = 'valid' ORDER BY t.number
"""
_MARK_USED = """
    UPDATE tickets SET status = 'used', version = version + 1, updated_at = w.at
    FROM unnest($2::uuid[], $3::timestamptz[]) AS w (id, at)
    WHERE organization_id = $1 AND tickets.id = w.id AND status = 'valid'
"""


async def record_entries(tx: Tx, keyring: Keyring, event: Event, gates: Sequence[Gate], until: datetime) -> int:
    """Writes the scans of everyone who enters by `until`, most of them just before. Returns how many entered."""
    chance = random.Random(event.name)  # noqa: S311
    devices = [_make_device(tx, keyring, event, gate, until) for gate in gates[:2]]
    await insert_rows(tx, "scan_devices", devices)
    scans: list[Row] = []
    presence: list[Row] = []
    audited: list[Row] = [_make_device_audit_row(device, what) for device in devices for what in ("added", "paired")]
    inside: Counter[tuple[date, str, UUID]] = Counter()
    used: dict[UUID, datetime] = {}
    crowd = [t for t in await tx.fetch(_TICKETS, tx.organization_id, event.id) if chance.random() < ENTERED_SHARE]
    times = sorted(_draw_arrival(chance, event.doors_at, until) for _ in crowd)
    chance.shuffle(crowd)
    for counter, (ticket, at) in enumerate(zip(crowd, times, strict=True)):
        device = chance.choices(devices, [gate.capacity or 1 for gate in gates[:2]])[0]
        gate_id, day = device["gate_ids"][0], day_of(at, event.timezone)
        entry = _make_scan(event, device, 2 * counter, ticket["id"], at, day, version=1)
        scans.append(entry)
        if chance.random() < REPEATED_SHARE:
            again = at + timedelta(minutes=2)
            scans.append(_make_scan(event, device, 2 * counter + 1, ticket["id"], again, day, reason="already_inside"))
        presence.append(_make_presence(event, ticket["id"], gate_id, at, day))
        inside.update(((day, "event", event.id), (day, "gate", gate_id), (day, "zone", ticket["zone_id"])))
        audited.append(_make_scan_audit_row(device, entry))
        if ticket["entitlement"] == "single":
            used[ticket["id"]] = at
    await insert_rows(tx, "scans", scans)
    await insert_rows(tx, "ticket_presence", presence)
    counts = [
        {"event_id": event.id, "day": day, "kind": kind, "ref_id": ref_id, "inside": n, "entered": n}
        for (day, kind, ref_id), n in inside.items()
    ]
    await insert_rows(tx, "scan_counts", counts)
    await insert_rows(tx, "audit_log", audited)
    await tx.execute(_MARK_USED, tx.organization_id, list(used), list(used.values()))
    return len(crowd)


def _draw_arrival(chance: random.Random, doors_at: datetime, until: datetime) -> datetime:
    return doors_at + (until - doors_at) * chance.betavariate(2.6, 2.2)


def _make_device(tx: Tx, keyring: Keyring, event: Event, gate: Gate, until: datetime) -> Row:
    """A paired device that does not exist: its token is discarded."""
    assert tx.organization_id
    token = secrets.mint(TokenKind.DEVICE, tx.organization_id)
    return {
        "id": new_id(), "event_id": event.id, "name": f"Handheld {gate.name}", "gate_ids": [gate.id],
        "rights": ["scan", "search"], "token_hash": to_hex_bytea(secrets.digest_token(token)),
        "sealed_key": to_hex_bytea(keyring.seal(KEY, os.urandom(32))), "paired_at": event.doors_at,
        "last_seen_at": until, "battery": 64, "app_version": "demo", "created_at": event.doors_at,
    }  # fmt: skip


def _make_scan(
    event: Event, device: Row, counter: int, ticket_id: UUID, at: datetime, day: date, **outcome: Any
) -> Row:
    return {
        "id": new_id(), "event_id": event.id, "ticket_id": ticket_id, "device_id": device["id"], "counter": counter,
        "gate_id": device["gate_ids"][0], "direction": "in", "admitted": "reason" not in outcome,
        "reason": outcome.get("reason"), "test": False, "offline": False, "at": at, "day": day,
        "version": outcome.get("version"), "recorded_at": at,
    }  # fmt: skip


def _make_presence(event: Event, ticket_id: UUID, gate_id: UUID, at: datetime, day: date) -> Row:
    return {
        "ticket_id": ticket_id, "event_id": event.id, "version": 1, "inside": True, "day": day, "entries_today": 1,
        "entries": 1, "at": at, "gate_id": gate_id, "updated_at": at,
    }  # fmt: skip


def _make_device_audit_row(device: Row, what: str) -> Row:
    return {
        "id": new_id(), "created_at": device["paired_at"], "actor_type": "system", "actor_id": None,
        "actor_name": device["name"], "action": f"scan_device.{what}", "entity_type": "scan_device",
        "entity_id": device["id"], "after": {"name": device["name"]},
    }  # fmt: skip


def _make_scan_audit_row(device: Row, scan: Row) -> Row:
    about = {name: scan[name] for name in ("event_id", "gate_id", "direction", "day")}
    return {
        "id": new_id(), "created_at": scan["at"], "actor_type": "device", "actor_id": device["id"],
        "actor_name": device["name"], "action": "ticket.scanned", "entity_type": "ticket",
        "entity_id": scan["ticket_id"], "after": {"scan_id": scan["id"], **about},
    }  # fmt: skip
