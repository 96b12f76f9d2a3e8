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


class Words(NamedTuple):
    """What an organisation's policy changes in the defaults, and what its events may not override."""

    values: dict[str, Value]
    mandatory: list[str]


async def words_of_organization(tx: Tx) -> Words:
    stored = await store.seating_policy(tx)
    return Words(stored.values, stored.mandatory) if stored else Words({}, [])


def sentence(mistakes: Sequence[FieldError]) -> str:
    return " ".join(f"{m.path}: {m.message}" for m in mistakes[:5])


async def effective(tx: Tx, event_id: UUID | None = None) -> list[PolicyValue]:
    """Each field with its source: for the organisation, or for an event."""
    overlay = await store.event_layout(tx, event_id) if event_id else None
    return policy.effective(*await words_of_organization(tx), overlay.policy if overlay else {})


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
    return policy.effective(after.values, after.mandatory, {})


async def set_event_policy(tx: Tx, event_id: UUID, request: SetEventPolicy, if_match: str | None) -> EventLayout:
    """Sets an event's own rules. Unlike its seats they may change during the sale; existing orders stay as they are."""
    await events.lock_event(tx, event_id)
    before = await store.lock_event_layout(tx, event_id)
    if before is None:
        raise NoLayout()
    versions.check(if_match, before.version)
    inherited = await words_of_organization(tx)
    if wrong := policy.check_overrides(request.policy, inherited.mandatory):
        raise PolicyInvalid(sentence(wrong), fields=wrong)
    zones = await store.zones_of_event(tx, event_id)
    if mistakes := policy.check_zones(zones, policy.merged(*inherited, request.policy)):
        raise OverlayInvalid(sentence(mistakes), fields=mistakes)
    after = await store.put_event_policy(tx, event_id=event_id, policy=request.policy)
    assert after
    await audit.write(tx, "event.policy_set", "event", event_id, before=before.policy, after=after.policy)
    await announce(tx, facts.EventPolicyChanged(subject_id=event_id))
    return after
