"""Rows that refer to a row that does not exist.

Foreign keys are read from the catalogue: they can be violated by deleting or loading rows with triggers disabled. For
columns without one (its check would cost as much as the insert, or the parent may be deleted), REFERENCES has the
parent table, and UNCHECKED the reason why there is none to check. A uuid column in neither fails
tests/prove/test_parents.py.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

LIVE_HOLD = "c.status IN ('active', 'suspended', 'converted')"
LIVE_CHECKOUT = (
    "EXISTS (SELECT FROM checkout_sessions s WHERE s.organization_id = c.organization_id AND s.id = c.session_id"
    " AND s.status IN ('open', 'paying', 'completed'))"
)


class Reference(NamedTuple):
    """`child.column` refers to a row of `parent`, for the rows (`c`) that satisfy `when`."""

    child: str
    column: str
    parent: str
    when: str = "true"
    key: str = "id"


REFERENCES = (
    *(
        Reference(table, "organization_id", "organizations")
        for table in (
            "outbox", "seat_holds", "processed_messages", "owed_reactions", "queue_entries", "scans",
            "ticket_presence", "scan_counts", "scan_incidents", "audit_log",
        )
    ),
    # An unpublished event is a draft again and can be deleted; its ended holds remain.
    Reference("seat_holds", "event_id", "events", LIVE_HOLD),
    Reference("seat_holds", "user_id", "users"),
    Reference("seat_holds", "seat_id", "seats", LIVE_HOLD),
    Reference("seat_holds", "zone_id", "zones", LIVE_HOLD),
    Reference("seat_holds", "ticket_type_id", "ticket_types", LIVE_HOLD),
    Reference("seat_holds", "attempt_id", "payment_attempts", "c.status = 'converted'"),
    Reference("event_seats", "seat_id", "seats"),
    Reference("event_seats", "zone_id", "zones"),
    Reference("event_seats", "companion_of", "seats"),
    Reference("event_zones", "zone_id", "zones"),
    Reference("seats", "companion_of", "seats"),
    Reference("seat_moves", "ticket_id", "tickets"),
    Reference("seat_moves", "from_seat_id", "seats"),
    Reference("seat_moves", "to_seat_id", "seats"),
    Reference("zone_guests", "zone_id", "zones"),
    Reference("pools", "ref_id", "events", "c.kind = 'event'"),
    Reference("pools", "ref_id", "zones", "c.kind = 'zone'"),
    Reference("pools", "ref_id", "ticket_types", "c.kind = 'ticket_type'"),
    Reference("charge_lists", "scope_id", "events", "c.scope_id <> c.organization_id"),
    Reference("queue_entries", "event_id", "queue_rooms", "c.status IN ('waiting', 'admitted')", "event_id"),
    Reference("queue_entries", "user_id", "users"),
    Reference("checkout_sessions", "user_id", "users"),
    Reference("checkout_items", "hold_id", "seat_holds"),
    Reference("checkout_items", "ticket_type_id", "ticket_types", LIVE_CHECKOUT),
    Reference("checkout_items", "seat_id", "seats", LIVE_CHECKOUT),
    Reference("checkout_items", "zone_id", "zones", LIVE_CHECKOUT),
    Reference("checkout_items", "membership_id", "memberships"),
    Reference("promo_uses", "checkout_id", "checkout_sessions"),
    Reference("orders", "event_id", "events"),
    Reference("orders", "user_id", "users"),
    Reference("orders", "attempt_id", "payment_attempts"),
    Reference("order_lines", "hold_id", "seat_holds"),
    Reference("order_lines", "seat_id", "seats"),
    Reference("order_lines", "zone_id", "zones"),
    Reference("order_lines", "membership_id", "memberships"),
    Reference("payment_attempts", "order_id", "orders"),
    Reference("refunds", "order_id", "orders"),
    Reference("refunds", "event_id", "events"),
    Reference("order_refunds", "event_id", "events"),
    Reference("refund_failures", "event_id", "events"),
    Reference("ledger_transactions", "order_id", "orders"),
    Reference("ledger_transactions", "event_id", "events"),
    Reference("ledger_transactions", "source_id", "payment_attempts", "c.kind IN ('capture', 'consent')"),
    Reference("ledger_transactions", "source_id", "refunds", "c.kind = 'refund'"),
    Reference("tickets", "seat_id", "seats"),
    Reference("tickets", "zone_id", "zones"),
    Reference("tickets", "holder_user_id", "users"),
    Reference("tickets", "membership_id", "memberships"),
    Reference("former_codes", "event_id", "events"),
    Reference("ticket_moves", "migration_id", "layout_migrations"),
    Reference("ticket_moves", "event_id", "events"),
    Reference("ticket_presence", "ticket_id", "tickets"),
    Reference("ticket_presence", "event_id", "events"),
    Reference("scans", "event_id", "events", "NOT c.test"),
    Reference("scans", "ticket_id", "tickets", "NOT c.test"),
    Reference("scan_counts", "event_id", "events"),
    Reference("scan_incidents", "event_id", "events"),
    Reference("scan_incidents", "ticket_id", "tickets"),
    Reference("scan_incidents", "first_scan_id", "scans"),
    Reference("scan_incidents", "second_scan_id", "scans"),
    Reference("waitlist_entries", "user_id", "users"),
)  # fmt: skip

_ACTOR = "the actor: a user, an API key, a device or platform staff; the audit row says which"
_LIST = "a list, stored as it was chosen"
UNCHECKED = {
    "api_keys.created_by": _ACTOR,
    "events.created_by": _ACTOR,
    "images.created_by": _ACTOR,
    "invitations.invited_by": _ACTOR,
    "layout_migrations.approved_by": _ACTOR,
    "layout_migrations.planned_by": _ACTOR,
    "layouts.created_by": _ACTOR,
    "order_refunds.requested_by": _ACTOR,
    "public_events.owner_id": _ACTOR,
    "refunds.requested_by": _ACTOR,
    "scan_devices.created_by": _ACTOR,
    "scan_incidents.resolved_by": _ACTOR,
    "zone_guests.added_by": _ACTOR,
    "audit_log.actor_id": _ACTOR,
    "audit_log.entity_id": "the audit row outlives the entity",
    "outbox.subject_id": "the fact outlives its subject",
    "owed_reactions.subject_id": "as the fact's",
    "owed_reactions.message_id": "checked by `delivered`",
    "processed_messages.message_id": "outlives the fact",
    "webhook_deliveries.message_id": "outlives the fact",
    "mails.about": "outlives the fact",
    "notices.event_id": "outlives the event",
    "participations.join_id": "an id of another service",
    "event_seats.hold_id": "checked by `one holder`",
    "event_seats.ticket_id": "checked by `paid`",
    "event_seats.reserved_for": "the person with the wheelchair space: checked by `companions`",
    "seat_holds.basket_id": "an id shared by holds that were made together",
    "waitlist_entries.basket_id": "checked by `offered`",
    "waitlist_entries.ticket_type_id": "a preference: the type may have been deleted",
    "waitlists.layout_id": "the layout that was read; it is read again when the event has another",
    "events.recurrence_group_id": "an id of a series, whose first event may be deleted",
    "layouts.family_id": "an id shared by a layout's versions, of which the first may be deleted",
    "scans.gate_id": "a gate may be deleted; its scans remain",
    "scans.device_id": "a device, or a person who checked somebody in",
    "ticket_presence.gate_id": "a gate may be deleted",
    "scan_counts.ref_id": "a gate may be deleted; events and zones are checked by `occupied`",
    "test_charges.key": "the test provider's own data: the key of an attempt",
    "event_layouts.disabled_zones": _LIST,
    "events.cover_image_ids": _LIST,
    "public_events.cover_image_ids": _LIST,
    "order_refunds.ticket_ids": _LIST,
    "promo_codes.ticket_type_ids": _LIST,
    "scan_devices.gate_ids": _LIST,
}

_FOREIGN_KEYS = """
SELECT c.conrelid::regclass::text AS child, c.confrelid::regclass::text AS parent,
       array_agg(a.attname::text ORDER BY k.n) AS columns, array_agg(b.attname::text ORDER BY k.n) AS keys
FROM pg_constraint c
CROSS JOIN LATERAL unnest(c.conkey, c.confkey) WITH ORDINALITY AS k (child, parent, n)
JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.child
JOIN pg_attribute b ON b.attrelid = c.confrelid AND b.attnum = k.parent
WHERE c.contype = 'f' AND c.conparentid = 0 AND c.connamespace = 'public'::regnamespace
  AND has_table_privilege(c.conrelid, 'SELECT') AND has_table_privilege(c.confrelid, 'SELECT')
GROUP BY c.oid, c.conrelid, c.confrelid ORDER BY 1, 3
"""


async def find_orphans(connection: Any) -> list[str]:
    """One statement for each reference, so that each reads one snapshot."""
    wrong = []
    for row in await connection.fetch(_FOREIGN_KEYS):
        pairs = list(zip(row["columns"], row["keys"], strict=True))
        wrong += await _find_orphans_of(connection, row["child"], row["parent"], pairs, "true")
    for each in REFERENCES:
        pairs = [(each.column, each.key)]
        if each.column != "organization_id":
            pairs.append(("organization_id", "organization_id"))
        wrong += await _find_orphans_of(connection, each.child, each.parent, pairs, each.when)
    return wrong


async def _find_orphans_of(
    connection: Any, child: str, parent: str, pairs: Iterable[tuple[str, str]], when: str
) -> list[str]:
    joined = " AND ".join(f'p."{key}" = c."{column}"' for column, key in pairs)
    there = " AND ".join(f'c."{column}" IS NOT NULL' for column, _ in pairs)
    name = next((column for column, _ in pairs if column != "organization_id"), "organization_id")
    row = await connection.fetchrow(
        f'SELECT count(*) AS rows, min(c."{name}"::text) AS first FROM {child} c'  # noqa: S608
        f" WHERE {there} AND ({when}) AND NOT EXISTS (SELECT FROM {parent} p WHERE {joined})"
    )
    if not row["rows"]:
        return []
    return [f"{row['rows']} rows of {child} have a {name} that is not in {parent}: {row['first']}"]
