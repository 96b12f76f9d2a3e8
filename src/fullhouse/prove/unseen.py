"""Audited actions whose missing rows the check `audited` cannot detect, and why. `audit.sql` checks all others."""

from collections.abc import Mapping

CHANGED = "a change of values that the row does not show: only the audit knows the former ones"
GONE = "the entity is deleted"
TRIED = "an attempt, a refusal or a message: it changes nothing else in the database"
ASIDE = "it adds to an action that has a row of its own"
OPEN_AGAIN = "the state is the same as before"

UNSEEN: Mapping[str, str] = {
    "queue.settings_changed": CHANGED,
    "participants.recounted": CHANGED,
    "guest.signed_in": CHANGED,
    "seats.released": OPEN_AGAIN,
    "seats.unblocked": OPEN_AGAIN,
    "queue.resumed": OPEN_AGAIN,
    "waitlist.withdrawn": OPEN_AGAIN,
    "waitlist.closed": "its entries have left: without this row each of them lacks a `waitlist.left`",
    "event.layout_not_copied": ASIDE,
    "accessibility.booked": "only where the policy required it then, which may have changed",
    "scan_device.merged": "checked by `scanned`",
    "ticket.scanned": "checked by `scanned`",
    **dict.fromkeys(
        (
            "venue.deleted", "gate.deleted", "event.deleted", "image.deleted", "layout.deleted", "ticket_type.deleted",
            "promo_code.deleted", "charges.dropped", "webhook.deleted", "event.layout_removed", "zone.guest_removed",
        ),
        GONE,
    ),
    "session.closed": "a session also ends with a password, a person or an organisation, without a row of its own",
    **dict.fromkeys(
        (
            "access.denied", "zone.access_denied", "session.refused", "event.{move}_refused", "order.sent_again",
            "webhook.tested", "webhook.redelivered", "webhook.failed_redelivered", "seat_reserve_failed",
        ),
        TRIED,
    ),
}  # fmt: skip
