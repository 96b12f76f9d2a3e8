"""The verbs of the seating policy: the platform's word for an organisation, and a show's own."""

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
    """What an organisation's policy says beyond the defaults, and what its shows may not change."""

    values: dict[str, Value]
    mandatory: list[str]


async def words_of_organization(tx: Tx) -> Words:
    stored = await store.seating_policy(tx)
    return Words(stored.values, stored.mandatory) if stored else Words({}, [])


def sentence(mistakes: Sequence[FieldError]) -> str:
    return " ".join(f"{m.path}: {m.message}" for m in mistakes[:5])


async def effective(tx: Tx, event_id: UUID | None = None) -> list[PolicyValue]:
    """Each field with whose word it is: for the organisation, or for a show."""
    overlay = await store.event_layout(tx, event_id) if event_id else None
    return policy.effective(*await words_of_organization(tx), overlay.policy if overlay else {})


async def set_policy(tx: Tx, wish: SetPolicy) -> list[PolicyValue]:
    """The platform's word for an organisation."""
    wrong = policy.check_values(wish.values, "values")
    wrong += [FieldError(f"mandatory.{n}", "There is no such field.") for n in wish.mandatory if n not in policy.FIELDS]
    if wrong:
        raise PolicyInvalid(fields=wrong)
    before = await store.seating_policy(tx)
    after = await store.put_seating_policy(tx, values=wish.values, mandatory=sorted(set(wish.mandatory)))
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


async def set_event_policy(tx: Tx, event_id: UUID, wish: SetEventPolicy, if_match: str | None) -> EventLayout:
    """A show's own rules: unlike its seats, they may change while it sells. What is bought already stays bought."""
    await events.lock_event(tx, event_id)
    before = await store.lock_event_layout(tx, event_id)
    if before is None:
        raise NoLayout()
    versions.check(if_match, before.version)
    said = await words_of_organization(tx)
    if wrong := policy.check_overrides(wish.policy, said.mandatory):
        raise PolicyInvalid(sentence(wrong), fields=wrong)
    zones = await store.zones_of_event(tx, event_id)
    if mistakes := policy.check_zones(zones, policy.merged(*said, wish.policy)):
        raise OverlayInvalid(sentence(mistakes), fields=mistakes)
    after = await store.put_event_policy(tx, event_id=event_id, policy=wish.policy)
    assert after
    await audit.write(tx, "event.policy_set", "event", event_id, before=before.policy, after=after.policy)
    await announce(tx, facts.EventPolicyChanged(subject_id=event_id))
    return after
