"""Letters to people in a waiting room: that it opens soon, and that their turn has come while they were away.

A person's steps in the line are no facts, since there may be a million of them: a sweep looks who is to be told. What a
letter is about is made of what it tells of, so that looking twice writes it once.
"""

from uuid import UUID, uuid5

from fullhouse.events import actions as events
from fullhouse.kit.db.database import Tx
from fullhouse.kit.mail import mails
from fullhouse.mail.model import QueueOpens, QueueTurn
from fullhouse.mail.notices.actions import show_of
from fullhouse.mail.turns import store

PAGE = 1000  # letters about an opening in one transaction; the next sweep writes more
TURNS = 200  # letters about turns in one: each says another time, and is written by itself


async def tell_opening(tx: Tx, event_id: UUID) -> int:
    """Whoever gathers before the room opens may go away until then: they are told when it is time to be back."""
    opens_at = await store.opens_soon(tx, event_id)
    if opens_at is None:
        return 0
    about = uuid5(event_id, f"opens {opens_at.isoformat()}")
    people = await store.who_gathers(tx, event_id=event_id, about=about, template=QueueOpens.template, limit=PAGE)
    if not people:
        return 0
    show = await show_of(tx, await events.get_event(tx, event_id))
    letter = QueueOpens(show=show, opens_at=opens_at, queue_path=f"{show.path}/queue")
    return len(await mails.post_all(tx, [mails.To(person.email, letter) for person in people], about=about))


async def tell_turns(tx: Tx, event_id: UUID) -> int:
    """The next page; fewer than that were the last."""
    away = await store.who_is_away(tx, event_id=event_id, template=QueueTurn.template, limit=TURNS)
    if not away:
        return 0
    show = await show_of(tx, await events.get_event(tx, event_id))
    told = 0
    for person in away:
        letter = QueueTurn(show=show, queue_path=f"{show.path}/queue", until=person.until)
        told += await mails.post(tx, person.email, letter, about=person.about) is not None
    return told
