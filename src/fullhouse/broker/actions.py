"""Who takes part in a show: counted by what others tell us, and counted anew when in doubt."""

from uuid import UUID

import structlog

from fullhouse.broker import store
from fullhouse.broker.facts import JoinConfirmed, JoinFact
from fullhouse.events.public import actions as events
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.messages.outbox import Message, Poison

log = structlog.get_logger()


async def follow_join(tx: Tx, message: Message) -> None:
    """The reaction to `join.confirmed` and `join.canceled`, from a broker or from the house itself.

    The last word about a participation counts, and only a change of it moves the show's count: a word that comes
    again under another id, or late, moves nothing.
    """
    fact = message.fact(JoinFact)
    if not await store.show_exists(tx, fact.event_id):
        raise Poison(f"organisation {tx.organization_id} has no show {fact.event_id}")
    await store.begin_count(tx, fact.event_id)
    await store.lock_count(tx, fact.event_id)
    joins = message.name == JoinConfirmed.name
    if more := await store.note_join(
        tx, event_id=fact.event_id, join_id=fact.subject_id, active=joins, said_at=fact.at
    ):
        await store.change_count(tx, event_id=fact.event_id, change=more)
        events.forget_event(tx, fact.event_id)
        action = f"participation.{message.name.partition('.')[2]}"
        await audit.write(tx, action, "participation", fact.subject_id, after={"event_id": fact.event_id})


async def recount(tx: Tx, event_id: UUID) -> tuple[int, int] | None:
    """The count as it was and as it is, if they differ. A correction is written down."""
    before = await store.lock_count(tx, event_id)
    after = await store.set_count(tx, event_id)
    if before is None or after is None or before == after:
        return None
    events.forget_event(tx, event_id)
    told = {"active_participants": before}, {"active_participants": after}
    await audit.write(tx, "participants.recounted", "event", event_id, before=told[0], after=told[1])
    said = {"organization_id": str(tx.organization_id), "event_id": str(event_id)}
    log.warning("participants were miscounted", **said, was=before, participants=after)
    return before, after
