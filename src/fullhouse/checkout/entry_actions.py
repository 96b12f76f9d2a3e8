"""Who may enter a zone that is not open to all: each ticket of a checkout names its own member or guest. Judged when
the checkout begins and again when it is bought: a membership may have ended in between.
"""

from collections.abc import Mapping, Sequence
from uuid import UUID

from fullhouse.checkout import store
from fullhouse.checkout.model import Item
from fullhouse.kit.actors import Principal
from fullhouse.kit.db.database import Tx
from fullhouse.seating.model import ZoneAccessDenied
from fullhouse.tickets.types.actions import Priced


async def memberships(
    tx: Tx, who: Principal, event_id: UUID, items: Sequence[Item], priced: Sequence[Priced]
) -> list[UUID | None]:
    """By item: whose right it is, if it is by a membership."""
    emails = [item.attendee.email if item.attendee else None for item in items]
    zones = [row.place.zone_id for row in priced]
    rights = await store.rights_to_enter(
        tx, event_id=event_id, user_id=who.id, role=who.role, zone_ids=zones, emails=emails
    )
    check_rights(rights, {n: row.wanted.quantity for n, row in enumerate(priced, 1)})
    found = {right.place: right.membership_id for right in rights}
    return [found.get(n) for n, _ in enumerate(items, 1)]


async def check_order(tx: Tx, who: Principal, event_id: UUID, order_id: UUID) -> None:
    """Of an order that was just placed, under the event's lock: its zones stay as they are. The tickets are by the
    memberships that count now."""
    lines = await store.rights_of_order(tx, event_id=event_id, user_id=who.id, role=who.role, order_id=order_id)
    check_rights([line.right for line in lines], {line.right.place: line.quantity for line in lines})
    other = [line for line in lines if line.right.membership_id != line.named]
    if other:
        places, rights = [line.right.place for line in other], [line.right.membership_id for line in other]
        await store.enter_by(tx, order_id=order_id, positions=places, membership_ids=rights)


def check_rights(rights: Sequence[store.Right], quantities: Mapping[int, int]) -> None:
    """Refuses the first ticket that nobody may use, or that names nobody of its own."""
    named: set[tuple[UUID, str | None]] = set()
    for right in rights:
        if not right.allowed:
            said = f"“{right.name}” is not open to {right.email or 'guests'}."
            raise ZoneAccessDenied(said, zone=right.name, zone_id=right.zone_id)
        if quantities[right.place] > 1 or (right.zone_id, right.email) in named:
            said = f"In “{right.name}” each ticket names who goes."
            raise ZoneAccessDenied(said, zone=right.name, zone_id=right.zone_id, item=right.place - 1)
        named.add((right.zone_id, right.email))
