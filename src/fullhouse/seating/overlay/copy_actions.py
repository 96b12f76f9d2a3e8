"""A show that repeats another one has its seating too: the layout and what differs from it, with every seat free."""

import msgspec

from fullhouse.events.facts import EventCreated
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.seating import actions, store
from fullhouse.seating.model import LayoutNotActive, OtherVenue, OverlayInvalid, PolicyInvalid
from fullhouse.seating.overlay import actions as overlay_actions


async def copy_seating(tx: Tx, fact: EventCreated) -> None:
    """On the version of the layout that shows take now. What does not fit any more is not copied, and the audit says
    why: somebody who wants the show on another date gets it, if need be without seats.
    """
    overlay = await store.event_layout(tx, fact.copy_of) if fact.copy_of else None
    if overlay is None:
        return
    layout = await actions.get_layout(tx, overlay.layout_id)
    active = await store.active_version(tx, layout.family_id)
    wish = await overlay_actions.carried_over(tx, overlay, active or layout.id)
    stored = await store.seating_policy(tx)
    fixed = stored.mandatory if stored else ()
    wish = msgspec.structs.replace(wish, policy={n: value for n, value in wish.policy.items() if n not in fixed})
    try:
        await overlay_actions.attach(tx, fact.subject_id, wish, None)
    except (LayoutNotActive, OtherVenue, OverlayInvalid, PolicyInvalid) as refusal:
        reason = str(refusal.detail)
        await audit.write(tx, "event.layout_not_copied", "event", fact.subject_id, reason=reason)
