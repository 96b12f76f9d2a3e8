"""Counts an event's participants from messages of other services, and corrects the count if it is wrong."""

from uuid import UUID

import structlog

from fullhouse.broker import store
from fullhouse.broker.facts import JoinConfirmed, JoinFact
from fullhouse.events.public import actions as events
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.messages.outbox import Message, PoisonMessage

log = structlog.get_logger()


async def apply_join(tx: Tx, message: Message) -> None:
    """The async handler of `join.confirmed` and `join.canceled`, from the broker or from this installation.

    The latest message about a participation counts, and only a change of it changes the event's count: a message that
    is repeated under another id, or arrives late, changes nothing.
    """
    fact = message.fact(JoinFact)
    if not await store.lock_event(tx, fact.event_id):
        raise PoisonMessage(f"organisation {tx.organization_id} has no event {fact.event_id}")
    await store.insert_count(tx, fact.event_id)
    await store.lock_count(tx, fact.event_id)
    joins = message.name == JoinConfirmed.name
    if more := await store.record_join(
        tx, event_id=fact.event_id, join_id=fact.subject_id, active=joins, said_at=fact.at
    ):
        await store.change_count(tx, event_id=fact.event_id, change=more)
        events.invalidate_event(tx, fact.event_id)
        action = f"participation.{message.name.partition('.')[2]}"
        await audit.write(tx, action, "participation", fact.subject_id, after={"event_id": fact.event_id})


async def recount_participants(tx: Tx, event_id: UUID) -> tuple[int, int] | None:
    """Returns the old and the corrected count if they differ. A correction is audited."""
    before = await store.lock_count(tx, event_id)
    after = await store.set_count(tx, event_id)
    if before is None or after is None or before == after:
        return None
    events.invalidate_event(tx, event_id)
    old, new = {"active_participants": before}, {"active_participants": after}
    await audit.write(tx, "participants.recounted", "event", event_id, before=old, after=new)
    ids = {"organization_id": str(tx.organization_id), "event_id": str(event_id)}
    log.warning("participants.miscounted", detail="the count was corrected", **ids, was=before, participants=after)
    return before, after
