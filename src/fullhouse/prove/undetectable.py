"""Audited actions whose missing rows the check `audited` cannot detect, and why. `audit.sql` checks all others."""

from collections.abc import Mapping

CHANGED = "a change of values that the row does not show: only the audit knows the former ones"
DELETED = "the entity is deleted"
ATTEMPT = "an attempt, a refusal or a message: it changes nothing else in the database"
ADDITION = "it adds to an action that has a row of its own"
RESTORED = "the state is the same as before"

UNDETECTABLE: Mapping[str, str] = {
    "queue.settings_changed": CHANGED,
    "participants.recounted": CHANGED,
    "guest.signed_in": CHANGED,
    "seats.released": RESTORED,
    "seats.unblocked": RESTORED,
    "queue.resumed": RESTORED,
    "waitlist.withdrawn": RESTORED,
    "waitlist.closed": "its entries have left: without this row each of them lacks a `waitlist.left`",
    "event.layout_not_copied": ADDITION,
    "accessibility.booked": "only where the policy required it then, which may have changed",
    "scan_device.merged": "checked by `scanned`",
    "ticket.scanned": "checked by `scanned`",
    **dict.fromkeys(
        (
            "venue.deleted", "gate.deleted", "event.deleted", "image.deleted", "layout.deleted", "ticket_type.deleted",
            "promo_code.deleted", "charges.dropped", "webhook.deleted", "event.layout_removed", "zone.guest_removed",
        ),
        DELETED,
    ),
    "session.closed": "a session also ends with a password, a person or an organisation, without a row of its own",
    **dict.fromkeys(
        (
            "access.denied", "zone.access_denied", "session.refused", "event.{move}_refused", "order.sent_again",
            "webhook.tested", "webhook.redelivered", "webhook.failed_redelivered", "seat_reserve_failed",
        ),
        ATTEMPT,
    ),
}  # fmt: skip
