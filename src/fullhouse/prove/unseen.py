"""Audited actions of which the check `audited` cannot miss a row, and why. `audit.sql` asks for all others."""

from collections.abc import Mapping

CHANGED = "a change of values that leaves no mark in the row: what they were is known to the audit alone"
GONE = "the thing is gone"
TRIED = "an attempt, a refusal or a message: nothing in the database changes by it"
ASIDE = "it says more about an act that has a row of its own"
OPEN_AGAIN = "the state is what it was before"

UNSEEN: Mapping[str, str] = {
    "queue.settings_changed": CHANGED,
    "participants.recounted": CHANGED,
    "guest.signed_in": CHANGED,
    "seats.released": OPEN_AGAIN,
    "seats.unblocked": OPEN_AGAIN,
    "queue.resumed": OPEN_AGAIN,
    "waitlist.withdrawn": OPEN_AGAIN,
    "waitlist.closed": "who waited has left: without the row each of them is missed as `waitlist.left`",
    "event.layout_not_copied": ASIDE,
    "accessibility.booked": "only where the policy of that time asked for it, which may be another one now",
    "scan_device.merged": "asked by the check `scanned`",
    "ticket.scanned": "asked by the check `scanned`",
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
