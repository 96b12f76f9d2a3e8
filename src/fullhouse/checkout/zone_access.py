"""Access to restricted zones: each ticket of a checkout names its own member or guest. Checked when the checkout begins
and again when it is bought, because a membership may end in between.
"""

from collections.abc import Mapping, Sequence
from uuid import UUID

from fullhouse.checkout import store
from fullhouse.checkout.model import Item
from fullhouse.kit.actors import Principal
from fullhouse.kit.db.database import Tx
from fullhouse.seating.model import ZoneAccessDenied
from fullhouse.tickets.types.actions import PricedItem


async def check_items(
    tx: Tx, who: Principal, event_id: UUID, items: Sequence[Item], priced: Sequence[PricedItem]
) -> list[UUID | None]:
    """The membership that grants access, by item; None where another right grants it or none is needed."""
    emails = [item.attendee.email if item.attendee else None for item in items]
    zones = [row.place.zone_id for row in priced]
    rights = await store.rights_to_enter(
        tx, event_id=event_id, user_id=who.id, role=who.role, zone_ids=zones, emails=emails
    )
    check_rights(rights, {n: row.item.quantity for n, row in enumerate(priced, 1)})
    found = {right.place: right.membership_id for right in rights}
    return [found.get(n) for n, _ in enumerate(items, 1)]


async def check_order(tx: Tx, who: Principal, event_id: UUID, order_id: UUID) -> None:
    """Checks an order that was just placed, under the event's lock, which keeps its zones unchanged. Stores the
    memberships that grant access now."""
    items = await store.rights_of_order(tx, event_id=event_id, user_id=who.id, role=who.role, order_id=order_id)
    check_rights([item.right for item in items], {item.right.place: item.quantity for item in items})
    changed = [item for item in items if item.right.membership_id != item.named]
    if changed:
        places, members = [item.right.place for item in changed], [item.right.membership_id for item in changed]
        await store.save_item_memberships(tx, order_id=order_id, positions=places, membership_ids=members)


def check_rights(rights: Sequence[store.EntryRight], quantities: Mapping[int, int]) -> None:
    """Refuses the first ticket whose attendee may not enter, or that has no attendee of its own."""
    named: set[tuple[UUID, str | None]] = set()
    for right in rights:
        if not right.allowed:
            detail = f"“{right.name}” is not open to {right.email or 'guests'}."
            raise ZoneAccessDenied(detail, zone=right.name, zone_id=right.zone_id)
        if quantities[right.place] > 1 or (right.zone_id, right.email) in named:
            detail = f"In “{right.name}” each ticket needs its own attendee."
            raise ZoneAccessDenied(detail, zone=right.name, zone_id=right.zone_id, item=right.place - 1)
        named.add((right.zone_id, right.email))
