"""Actions on the seating policy: the platform sets an organisation's, an organiser an event's."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from fullhouse.events import actions as events
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import FieldError
from fullhouse.kit.http import versions
from fullhouse.kit.messages.outbox import announce
from fullhouse.seating import facts, policy, store
from fullhouse.seating.model import (
    EventLayout,
    NoLayout,
    OverlayInvalid,
    PolicyInvalid,
    PolicyValue,
    SetEventPolicy,
    SetPolicy,
)
from fullhouse.seating.policy import Value


class OrganizationPolicy(NamedTuple):
    """What an organisation's policy changes in the defaults, and what its events may not override."""

    values: dict[str, Value]
    mandatory: list[str]


async def load_organization_policy(tx: Tx) -> OrganizationPolicy:
    stored = await store.seating_policy(tx)
    return OrganizationPolicy(stored.values, stored.mandatory) if stored else OrganizationPolicy({}, [])


def render_mistakes(mistakes: Sequence[FieldError]) -> str:
    return " ".join(f"{m.path}: {m.message}" for m in mistakes[:5])


async def load_effective_policy(tx: Tx, event_id: UUID | None = None) -> list[PolicyValue]:
    """Each field with its source: for the organisation, or for an event."""
    overlay = await store.event_layout(tx, event_id) if event_id else None
    return policy.explain_policy(*await load_organization_policy(tx), overlay.policy if overlay else {})


async def set_policy(tx: Tx, request: SetPolicy) -> list[PolicyValue]:
    """Sets an organisation's policy, on behalf of the platform."""
    wrong = policy.check_values(request.values, "values")
    wrong += [
        FieldError(f"mandatory.{n}", "There is no such field.") for n in request.mandatory if n not in policy.FIELDS
    ]
    if wrong:
        raise PolicyInvalid(fields=wrong)
    before = await store.seating_policy(tx)
    after = await store.put_seating_policy(tx, values=request.values, mandatory=sorted(set(request.mandatory)))
    assert after
    assert tx.organization_id
    await audit.write(
        tx,
        "seating_policy.updated",
        "organization",
        tx.organization_id,
        before=before and {**before.values, "mandatory": before.mandatory},
        after={**after.values, "mandatory": after.mandatory},
    )
    await announce(tx, facts.SeatingPolicyChanged(subject_id=tx.organization_id))
    return policy.explain_policy(after.values, after.mandatory, {})


async def set_event_policy(tx: Tx, event_id: UUID, request: SetEventPolicy, if_match: str | None) -> EventLayout:
    """Sets an event's own rules. Unlike its seats they may change during the sale; existing orders stay as they are."""
    await events.lock_event(tx, event_id)
    before = await store.lock_event_layout(tx, event_id)
    if before is None:
        raise NoLayout()
    versions.check_if_match(if_match, before.version)
    inherited = await load_organization_policy(tx)
    if wrong := policy.check_overrides(request.policy, inherited.mandatory):
        raise PolicyInvalid(render_mistakes(wrong), fields=wrong)
    zones = await store.zones_of_event(tx, event_id)
    if mistakes := policy.check_zones(zones, policy.merge_policy(*inherited, request.policy)):
        raise OverlayInvalid(render_mistakes(mistakes), fields=mistakes)
    after = await store.put_event_policy(tx, event_id=event_id, policy=request.policy)
    assert after
    await audit.write(tx, "event.policy_set", "event", event_id, before=before.policy, after=after.policy)
    await announce(tx, facts.EventPolicyChanged(subject_id=event_id))
    return after
