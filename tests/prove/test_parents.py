"""Every column that names another row is asked about, or it is said why not."""

from typing import Any

import pytest

from fullhouse.prove.parents import REFERENCES, UNCHECKED, Reference
from tests.prove.sample import Sample
from tests.prove.test_corruptions import broken

pytestmark = pytest.mark.req("TEN-3", "PROVE-1")
COLUMNS = """
SELECT c.relname || '.' || a.attname AS name
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  AND a.atttypid IN ('uuid'::regtype, 'uuid[]'::regtype) AND a.attname <> 'id' AND NOT EXISTS (
      SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'f' AND a.attnum = ANY (k.conkey))
"""
FOREIGN_KEYS = """
SELECT c.conrelid::regclass::text AS child, c.confrelid::regclass::text AS parent,
       (SELECT string_agg(quote_ident(a.attname), ' AND ' ORDER BY k.n) FROM unnest(c.conkey) WITH ORDINALITY k (at, n)
        JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.at
        WHERE a.attname <> 'organization_id') AS columns
FROM pg_constraint c
WHERE c.contype = 'f' AND c.conparentid = 0 AND c.connamespace = 'public'::regnamespace
  AND array_length(c.conkey, 1) = 2
  AND has_table_privilege('fullhouse_auditor', c.conrelid, 'SELECT') ORDER BY 1, 3
"""


async def test_every_column_without_a_key_is_decided(owner: Any) -> None:
    there = {row["name"] for row in await owner.fetch(COLUMNS)}
    asked = {f"{each.child}.{each.column}" for each in REFERENCES}
    assert not asked & UNCHECKED.keys()
    assert there == asked | UNCHECKED.keys()


@pytest.mark.parametrize("reference", REFERENCES, ids=lambda r: f"{r.child}.{r.column} in {r.parent}")
async def test_a_row_whose_parent_is_gone_is_seen(reference: Reference, sample: Sample, owner: Any) -> None:
    child, column, parent, when, _ = reference
    if column == "organization_id":
        sql = f"UPDATE {child} SET organization_id = gen_random_uuid()"
        if not await owner.fetchval(f"SELECT count(*) FROM {child}"):
            sql = MADE[child]
    else:
        which = f"SELECT c.ctid FROM {child} c WHERE c.{column} IS NOT NULL AND ({when}) LIMIT 1"
        sql = f"UPDATE {child} SET {column} = gen_random_uuid() WHERE ctid = ({which})"
        if not await owner.fetchval(f"SELECT count(*) FROM ({which}) w"):
            sql = MADE[f"{child}.{column}"]
    found = await broken(owner, sql, "parents")
    assert any(
        f"rows of {child} have a {column} that is not in {parent}:" in said for said in found.get("parents", [])
    ), found


# What the sample has none of, made without its parent.
MOVED = (
    "INSERT INTO ticket_moves (organization_id, ticket_id, migration_id, event_id, from_place, to_place, respond_by)"
    " SELECT organization_id, id, gen_random_uuid(), gen_random_uuid(), 'A', 'B', now() FROM tickets LIMIT 1"
)
MADE = {
    "owed_reactions": "INSERT INTO owed_reactions SELECT gen_random_uuid(), 'a.reaction', id, subject_id, 1, 1, now(),"
    " NULL, NULL FROM outbox LIMIT 1",
    "seat_holds.ticket_type_id": "UPDATE seat_holds SET ticket_type_id = gen_random_uuid(), seat_id = NULL,"
    " zone_id = NULL WHERE id = (SELECT id FROM seat_holds WHERE status = 'active' LIMIT 1)",
    "event_seats.companion_of": "UPDATE event_seats SET companion_of = gen_random_uuid()",
    "seats.companion_of": "UPDATE seats SET companion_of = gen_random_uuid(), category = 'companion'",
    "zone_guests.zone_id": "INSERT INTO zone_guests (organization_id, event_id, zone_id, email, name)"
    " SELECT organization_id, id, gen_random_uuid(), 'a@example.org', 'A' FROM events LIMIT 1",
    "charge_lists.scope_id": "UPDATE charge_lists SET scope_id = gen_random_uuid()",
    "checkout_items.membership_id": "UPDATE checkout_items SET membership_id = gen_random_uuid()",
    "order_lines.membership_id": "UPDATE order_lines SET membership_id = gen_random_uuid()",
    "tickets.membership_id": "UPDATE tickets SET membership_id = gen_random_uuid()",
    "refund_failures.event_id": "INSERT INTO refund_failures (organization_id, event_id, order_id, error, try_at)"
    " SELECT organization_id, gen_random_uuid(), id, 'x', now() FROM orders LIMIT 1",
    "pools.ref_id": "UPDATE pools SET ref_id = gen_random_uuid() WHERE kind <> 'event';"
    "INSERT INTO pools (organization_id, event_id, kind, ref_id, capacity)"
    " SELECT organization_id, id, 'event', gen_random_uuid(), 5 FROM events LIMIT 1;"
    "INSERT INTO pools (organization_id, event_id, kind, ref_id, capacity)"
    " SELECT organization_id, id, 'ticket_type', gen_random_uuid(), 5 FROM events LIMIT 1",
    "scan_incidents.first_scan_id": "UPDATE scan_incidents SET first_scan_id = gen_random_uuid()",
    "former_codes.event_id": "INSERT INTO former_codes (organization_id, code, ticket_id, event_id)"
    " SELECT organization_id, 'ABCDEFGH', id, gen_random_uuid() FROM tickets LIMIT 1",
    "ticket_moves.migration_id": MOVED,
    "ticket_moves.event_id": MOVED,
}


async def test_a_foreign_key_that_was_passed_by_is_seen(sample: Sample, owner: Any) -> None:
    """By whoever loads or deletes rows with triggers off."""
    seen = 0
    for row in await owner.fetch(FOREIGN_KEYS):
        column = row["columns"]
        where = f"SELECT ctid FROM {row['child']} WHERE {column} IS NOT NULL LIMIT 1"
        if not await owner.fetchval(f"SELECT count(*) FROM ({where}) w"):
            continue
        gone = f"UPDATE {row['child']} SET {column} = gen_random_uuid() WHERE ctid = ({where})"
        found = await broken(owner, gone, "parents")
        said = f"rows of {row['child']} have a {column.strip(chr(34))} that is not in {row['parent']}:"
        assert any(said in each for each in found.get("parents", [])), (row, found)
        seen += 1
    assert seen > 35


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("orders", "rows of tickets have a order_id that is not in orders:"),
        ("events", "rows of seat_holds have a event_id that is not in events:"),
        ("checkout_sessions", "rows of promo_uses have a checkout_id that is not in checkout_sessions:"),
        ("organizations", "rows of outbox have a organization_id that is not in organizations:"),
        ("payment_attempts", "rows of orders have a attempt_id that is not in payment_attempts:"),
    ],
)
async def test_parents_that_were_deleted_are_missed(table: str, says: str, sample: Sample, owner: Any) -> None:
    found = await broken(owner, f"DELETE FROM {table}", "parents")
    assert any(says in said for said in found["parents"])
