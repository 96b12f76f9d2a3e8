"""Copies an event's seating to a new event: the layout and the overlay, with every seat available."""

import msgspec

from fullhouse.events.facts import EventCreated
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.seating import actions, store
from fullhouse.seating.model import LayoutNotActive, OtherVenue, OverlayInvalid, PolicyInvalid
from fullhouse.seating.overlay import actions as overlay_actions


async def copy_seating(tx: Tx, fact: EventCreated) -> None:
    """Sync handler. Uses the active version of the layout. An overlay that does not fit any more is not copied, and the
    audit says why: the copy of the event is made even if it has no seats.
    """
    overlay = await store.event_layout(tx, fact.copy_of) if fact.copy_of else None
    if overlay is None:
        return
    layout = await actions.get_layout(tx, overlay.layout_id)
    active = await store.active_version(tx, layout.family_id)
    request = await overlay_actions.carry_over(tx, overlay, active or layout.id)
    stored = await store.seating_policy(tx)
    mandatory = stored.mandatory if stored else ()
    request = msgspec.structs.replace(
        request, policy={n: value for n, value in request.policy.items() if n not in mandatory}
    )
    try:
        await overlay_actions.attach(tx, fact.subject_id, request, None)
    except (LayoutNotActive, OtherVenue, OverlayInvalid, PolicyInvalid) as refusal:
        reason = str(refusal.detail)
        await audit.write(tx, "event.layout_not_copied", "event", fact.subject_id, reason=reason)
