"""Whatever is audited leaves a state behind that asks for its audit row, or it is said why not."""

import re
from pathlib import Path
from typing import Any

import pytest

import fullhouse
from fullhouse.prove.check import texts
from tests.prove.sample import Sample
from tests.prove.test_corruptions import broken

pytestmark = pytest.mark.req("AUD-1")
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
# What leaves no state behind by which its row could be missed.
CHANGED = "a change of values: what they were is known to the audit alone"
GONE = "the thing is gone"
TRIED = "an attempt, a refusal or a message: nothing in the database changes by it"
APART = {
    **dict.fromkeys(
        (
            "venue.updated", "gate.updated", "event.updated", "layout.updated", "ticket_type.updated",
            "webhook.updated", "promo_code.updated", "organization.updated", "user.updated", "user.password_reset",
            "user.password_changed", "webhook.secret_rotated", "queue.settings_changed", "waitlist.settings_changed",
            "participants.recounted", "companions.released", "ticket_key.rotated", "seats.released", "order.consented",
            "refund.retried", "member.joined", "guest.signed_in", "checkout.handed_over", "ticket.moved",
            "event.layout_not_copied", "accessibility.booked", "notice.started", "webhook.given_up", "queue.closed",
            "waitlist.closed", "waitlist.left", "payment.{wrong}", "invitation.revoked",
        ),
        CHANGED,
    ),
    **dict.fromkeys(
        (
            "venue.deleted", "gate.deleted", "event.deleted", "image.deleted", "layout.deleted", "ticket_type.deleted",
            "promo_code.deleted", "charges.dropped", "webhook.deleted", "event.layout_removed", "zone.guest_removed",
            "session.closed",
        ),
        GONE,
    ),
    **dict.fromkeys(
        (
            "access.denied", "zone.access_denied", "session.refused", "event.{move}_refused", "order.sent_again",
            "webhook.tested", "webhook.redelivered", "webhook.failed_redelivered",
        ),
        TRIED,
    ),
    "scan_device.merged": "asked by the check `scanned`",
}  # fmt: skip


@pytest.mark.parametrize("action", DELETED)
async def test_a_row_that_was_deleted_is_missed(action: str, sample: Sample, owner: Any) -> None:
    assert await owner.fetchval("SELECT count(*) FROM audit_log WHERE action = $1", action), "the sample has none"
    await _is_missed(owner, action, f"DELETE FROM audit_log WHERE action = '{action}'")


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
    gone = "DELETE FROM audit_log WHERE action IN ('order.placed', 'ticket.issued', 'seat_reserved', 'user.created')"
    assert "audited" in await broken(owner, gone, "audited")
    assert "audited" not in await broken(owner, f"{older};{gone}", "audited")


def test_every_audited_action_is_decided() -> None:
    """As the code writes them; what SQL writes is in the statements that the sample runs."""
    written = {found for path in SOURCES.rglob("*.py") for found in WRITTEN.findall(path.read_text())}
    asked = {*DELETED, *MADE}

    def is_decided(action: str) -> bool:
        pattern = re.escape(re.sub(r"\{.*?\}", "§", action)).replace("§", r"\w+")
        return action in APART or any(re.fullmatch(pattern, each) for each in asked)

    assert {action for action in written if not is_decided(action)} == set()
    assert not asked & APART.keys()
    statement = texts("audit")["audited"]
    lists = " ".join(re.findall(r"ARRAY\[.*?\]", statement, re.DOTALL))
    named = {*re.findall(r"'([a-z_]+\.[a-z_]*[a-z])'", statement), *re.findall(r"'([a-z_.]*[a-z])'", lists)}
    assert named - asked == set(), "a corruption for each that the check names"
