"""Whatever is audited leaves a state behind that asks for its audit row, or it is said why not."""

import re
from pathlib import Path
from typing import Any

import pytest

import fullhouse
from fullhouse.prove.check import load_queries
from fullhouse.prove.undetectable import UNDETECTABLE
from tests.prove.sample import Sample
from tests.prove.test_corruptions import broken

pytestmark = pytest.mark.req("AUD-1", "PROVE-1")
SOURCES = Path(fullhouse.__file__).parent
WRITTEN = re.compile(r'audit(?:\.write|_difference)\(\s*tx,\s*f?"([^"]+)"')

# Actions of which rows are in the sample: somebody deletes them.
DELETED = (
    "seat_reserved", "hold.cancelled", "hold.converted", "organization.created", "user.created", "api_key.created",
    "member.invited", "membership.granted", "venue.created", "gate.created", "image.uploaded", "event.created",
    "event.publish", "event.start", "event.cancel", "layout.created", "layout.active", "event.layout_set",
    "ticket_type.created", "promo_code.created", "charges.updated", "checkout.started", "checkout.left",
    "order.placed", "order.paid", "order.cancelled", "payment.failed", "refund.requested", "refund.done",
    "ticket.issued", "ticket.refunded", "ticket.transferred", "waitlist.joined", "waitlist.offered",
    "scan_device.added", "scan_device.paired", "webhook.created", "session.opened", "ticket.scan_undone",
    "layout_migration.planned", "layout_migration.applied", "order.refunded", "seats.blocked",
)  # fmt: skip
# And states that nobody brought about.
NOW = "app.clock()"
ONE_HOLD = "(SELECT id FROM seat_holds WHERE status = 'active' AND seat_id IS NULL LIMIT 1)"
EXPIRED = ("seat_hold_expired", "hold.expired")  # the latter as it was called before
RUN_OUT = f"UPDATE seat_holds SET status = 'expired' WHERE id = {ONE_HOLD}"
MOVE_ANSWERED = (
    "INSERT INTO ticket_moves (organization_id, ticket_id, migration_id, event_id, from_place, to_place, respond_by,"
    " answer, answered_at) SELECT organization_id, id, gen_random_uuid(), event_id, 'A', 'B', now(),"
    f" '{{}}', {NOW} FROM tickets LIMIT 1"
)
MADE = {
    "organization.suspended": "UPDATE organizations SET status = 'suspended'",
    "member.updated": "UPDATE users SET status = 'disabled'",
    "api_key.revoked": f"UPDATE api_keys SET revoked_at = {NOW}",
    "membership.updated": "UPDATE memberships SET status = 'revoked'",
    "event.end": "UPDATE events SET status = 'ended' WHERE status = 'live'",
    "event.postpone": "UPDATE events SET status = 'postponed', postponement_reason = 'x' WHERE status = 'published'",
    "event.archive": "UPDATE events SET status = 'archived' WHERE status = 'cancelled'",
    "layout.archived": "UPDATE layouts SET status = 'archived';"
    " DELETE FROM audit_log WHERE action IN ('layout.active', 'layout.archived')",
    "event.policy_set": "UPDATE event_layouts SET policy = '{\"max_group_split\": 1}';"
    " DELETE FROM audit_log WHERE action = 'event.layout_set'",
    "seating_policy.updated": "INSERT INTO seating_policies (organization_id, values, mandatory)"
    " SELECT organization_id, '{}', '{}' FROM events LIMIT 1",
    "zone.guests_added": "INSERT INTO zone_guests (organization_id, event_id, zone_id, email, name)"
    " SELECT organization_id, event_id, zone_id, 'a@example.org', 'A' FROM event_zones LIMIT 1",
    **dict.fromkeys(EXPIRED, RUN_OUT),
    "checkout.expired": "UPDATE checkout_sessions SET status = 'expired' WHERE status = 'open'",
    "checkout.cancelled": "UPDATE checkout_sessions SET status = 'cancelled' WHERE status = 'open'",
    "order.needs_consent": f"UPDATE orders SET status = 'needs_consent', consent_by = {NOW} WHERE status = 'cancelled'",
    "refund.failed": "UPDATE refunds SET status = 'failed'",
    "refund.found": "DELETE FROM audit_log WHERE action = 'refund.requested'",
    "ticket.cancelled": "UPDATE tickets SET status = 'cancelled' WHERE status = 'refunded'",
    "ticket.move_accepted": MOVE_ANSWERED.format("accepted"),
    "ticket.move_refunded": MOVE_ANSWERED.format("refunded"),
    "refunds.started": "INSERT INTO refund_batches (organization_id, event_id, status, orders, reason, look_at)"
    " SELECT organization_id, id, 'running', 1, 'x', now() FROM events LIMIT 1",
    "refunds.finished": "INSERT INTO refund_batches (organization_id, event_id, status, orders, reason, look_at,"
    f" finished_at) SELECT organization_id, id, 'done', 1, 'x', now(), {NOW} FROM events LIMIT 1",
    "waitlist.taken": "UPDATE waitlist_entries SET status = 'taken' WHERE status = 'offered'",
    "waitlist.lapsed": "UPDATE waitlist_entries SET status = 'lapsed' WHERE status = 'offered'",
    "queue.opened": "UPDATE queue_rooms SET state = 'open'",
    "scan_device.revoked": f"UPDATE scan_devices SET revoked_at = {NOW}",
    "scan_incident.resolved": f"UPDATE scan_incidents SET resolved_at = {NOW}, note = 'x'",
    "participation.confirmed": "INSERT INTO participations SELECT organization_id, id, gen_random_uuid(), true, now()"
    " FROM events LIMIT 1",
    "layout_migration.discarded": "UPDATE layout_migrations SET status = 'discarded', applied_at = NULL",
}

# The same for rows that say that they were changed, whoever made them.
LATER = "updated_at = created_at + interval '1 minute'"
NOT_AS_MADE = "DELETE FROM audit_log WHERE entity_type = 'event' AND action <> 'event.created'"
OPENED = (
    "INSERT INTO audit_log (id, organization_id, actor_type, action, entity_type, entity_id)"
    " SELECT gen_random_uuid(), organization_id, 'system', 'queue.opened', 'event', event_id FROM queue_rooms"
)
WRONG_MONEY = "UPDATE payment_attempts SET status = 'unknown', failure_code = '{}' WHERE status = 'failed'"
CHANGED = {
    **dict.fromkeys(("organization.updated", "organization.active"), f"UPDATE organizations SET {LATER}"),
    **dict.fromkeys(
        ("user.updated", "member.joined", "user.password_reset", "user.password_changed"), f"UPDATE users SET {LATER}"
    ),
    "invitation.revoked": f"UPDATE invitations SET revoked_at = {NOW}",
    "membership.updated": f"UPDATE memberships SET {LATER}",
    "venue.updated": "UPDATE venues SET version = 2",
    "gate.updated": "UPDATE gates SET version = 2",
    **dict.fromkeys(("event.updated", "event.unpublish"), f"UPDATE events SET version = 2; {NOT_AS_MADE}"),
    "event.reschedule": "UPDATE events SET status = 'postponed', postponement_reason = 'x',"
    " rescheduled_at = start_at + interval '1 day' WHERE status = 'published'",
    "layout.updated": f"UPDATE layouts SET status = 'draft', {LATER}",
    "companions.released": "UPDATE event_zones SET companions_released = true",
    "ticket_type.updated": "UPDATE ticket_types SET version = 2",
    "promo_code.updated": "UPDATE promo_codes SET version = 2",
    "payment.wrong_amount": WRONG_MONEY.format("wrong_amount"),
    "payment.wrong_currency": WRONG_MONEY.format("wrong_currency"),
    "order.consented": "INSERT INTO ledger_transactions (id, organization_id, kind, source_id, order_id, event_id)"
    " SELECT gen_random_uuid(), organization_id, 'consent', gen_random_uuid(), id, event_id FROM orders LIMIT 1",
    "refund.retried": "UPDATE refunds SET tries = 2",
    "ticket.moved": "INSERT INTO ticket_moves (organization_id, ticket_id, migration_id, event_id, from_place,"
    " to_place, respond_by) SELECT t.organization_id, t.id, g.id, t.event_id, 'A', 'B', now() FROM layout_migrations g"
    " JOIN tickets t ON t.organization_id = g.organization_id WHERE g.status = 'applied' LIMIT 1",
    "ticket_key.rotated": f"UPDATE ticket_keys SET retired_at = {NOW}",
    "waitlist.left": "UPDATE waitlist_entries SET status = 'left' WHERE status = 'waiting'",
    "waitlist.settings_changed": "UPDATE waitlists SET window_s = 900",
    "queue.paused": "UPDATE queue_rooms SET state = 'paused'",
    "queue.draining": "UPDATE queue_rooms SET state = 'draining'",
    "queue.closed": f"UPDATE queue_rooms SET state = 'closed'; {OPENED}",
    "webhook.updated": "UPDATE webhooks SET version = 2",
    "webhook.secret_rotated": "UPDATE webhooks SET previous_secret = secret, previous_secret_until = now()",
    "webhook.given_up": "UPDATE webhooks SET enabled = false, disabled_because = 'gone'",
    "notice.started": "INSERT INTO notices (id, organization_id, event_id, template, letter, total)"
    " SELECT gen_random_uuid(), organization_id, id, 'x', '{}', 1 FROM events LIMIT 1",
    "hold.handed_over": "UPDATE seat_holds SET user_id = gen_random_uuid()",
    "checkout.handed_over": "UPDATE checkout_sessions SET user_id = gen_random_uuid()",
}


@pytest.mark.parametrize("action", DELETED)
async def test_a_row_that_was_deleted_is_missed(action: str, sample: Sample, owner: Any) -> None:
    assert await owner.fetchval("SELECT count(*) FROM audit_log WHERE action = $1", action), "the sample has none"
    gone = f"DELETE FROM audit_log WHERE action = '{action}'"
    await _is_missed(owner, action, gone)
    assert (await broken(owner, gone)).keys() == {"audited"}


@pytest.mark.parametrize("action", MADE)
async def test_a_state_that_nobody_brought_about_is_seen(action: str, sample: Sample, owner: Any) -> None:
    await _is_missed(owner, action, MADE[action])


@pytest.mark.parametrize("action", EXPIRED)
async def test_a_hold_that_ran_out_has_one_of_two_rows(action: str, sample: Sample, owner: Any) -> None:
    written = (
        "INSERT INTO audit_log (id, organization_id, actor_type, action, entity_type, entity_id)"
        f" SELECT gen_random_uuid(), organization_id, 'system', '{action}', 'seat_hold', id FROM seat_holds"
        " WHERE status = 'expired'"
    )
    assert "audited" not in await broken(owner, f"{RUN_OUT};{written}", "audited")


@pytest.mark.parametrize("action", CHANGED)
async def test_a_change_that_nobody_made_is_seen(action: str, sample: Sample, owner: Any) -> None:
    await _is_missed(owner, action, CHANGED[action])


async def test_a_waiting_list_that_was_switched_off_is_seen(sample: Sample, owner: Any) -> None:
    await _is_missed(owner, "waitlist.settings_changed", "UPDATE waitlists SET enabled = false")


async def test_what_has_another_row_is_not_missed(sample: Sample, owner: Any) -> None:
    """Who left with a whole list, an invitation with a newer one, a refund that a person paid."""
    closed = OPENED.replace("'queue.opened'", "'waitlist.closed'").replace("queue_rooms", "waitlists")
    newer = (
        f"UPDATE invitations SET revoked_at = {NOW}; INSERT INTO invitations (id, organization_id, email, role,"
        " token_hash, invited_by, expires_at, created_at) SELECT gen_random_uuid(), organization_id, upper(email),"
        f" role, sha256('x'), invited_by, now() + interval '1 day', {NOW} FROM invitations;"
        " INSERT INTO audit_log (id, organization_id, actor_type, action, entity_type, entity_id)"
        " SELECT gen_random_uuid(), organization_id, 'system', 'member.invited', 'invitation', id FROM invitations"
    )
    by_hand = "UPDATE refunds SET tries = 2, paid_outside = 'Cash.' WHERE status = 'done'"
    for sql in (f"{CHANGED['waitlist.left']}; {closed}", newer, by_hand, "UPDATE queue_rooms SET state = 'closed'"):
        assert "audited" not in await broken(owner, sql, "audited"), sql


async def _is_missed(owner: Any, action: str, sql: str) -> None:
    said = (await broken(owner, sql, "audited")).get("audited", [])
    assert any(re.search(rf"audit row (.* or )?{re.escape(action)}( or|$)", each) for each in said), said


async def test_of_months_that_were_detached_nothing_is_asked(sample: Sample, owner: Any) -> None:
    """Everything becomes older by a year, except the audit."""
    tables = ("orders", "tickets", "seat_holds", "checkout_sessions", "refunds", "layouts", "users")
    ages = {"tickets": "issued_at"}
    older = ";".join(
        f"UPDATE {table} SET {ages.get(table, 'created_at')} = now() - interval '1 year'" for table in tables
    )
    older += ";UPDATE users SET updated_at = created_at"
    gone = "DELETE FROM audit_log WHERE action IN ('order.placed', 'ticket.issued', 'seat_reserved', 'user.created')"
    assert "audited" in await broken(owner, gone, "audited")
    assert "audited" not in await broken(owner, f"{older};{gone}", "audited")


async def test_what_statements_write_is_decided_too(sample: Sample, owner: Any) -> None:
    """What SQL writes, as far as the sample has it."""
    written = {row["action"] for row in await owner.fetch("SELECT DISTINCT action FROM audit_log")}
    assert written - {*DELETED, *MADE, *CHANGED, *UNDETECTABLE} == set()


def test_every_audited_action_is_decided() -> None:
    """As the code writes them; what SQL writes is in the statements that the sample runs."""
    written = {found for path in SOURCES.rglob("*.py") for found in WRITTEN.findall(path.read_text())}
    asked = {*DELETED, *MADE, *CHANGED}

    def is_decided(action: str) -> bool:
        pattern = re.escape(re.sub(r"\{.*?\}", "§", action)).replace("§", r"\w+")
        return action in UNDETECTABLE or any(re.fullmatch(pattern, each) for each in asked)

    assert {action for action in written if not is_decided(action)} == set()
    assert not asked & UNDETECTABLE.keys()
    statement = load_queries("audit")["audited"].text
    lists = " ".join(re.findall(r"ARRAY\[.*?\]", statement, re.DOTALL))
    named = {*re.findall(r"'([a-z_]+\.[a-z_]*[a-z])'", statement), *re.findall(r"'([a-z_.]*[a-z])'", lists)}
    assert named - asked - UNDETECTABLE.keys() == set(), "a corruption for each that the check names"
