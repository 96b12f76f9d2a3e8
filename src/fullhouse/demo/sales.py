"""The demo's sales of the past weeks.

The random generator is seeded with the event's name, so that sales are the same on every installation. `choices` says
which seats are sold, and when; `bookings` writes the rows.
"""

import random
from collections.abc import Sequence
from datetime import datetime

from fullhouse.accounts.model import User
from fullhouse.demo import stock
from fullhouse.demo.bookings import Sale, write_rows
from fullhouse.demo.choices import Choice, choose_seats, choose_spots, draw_times
from fullhouse.events.model import Event
from fullhouse.kit.db.database import Tx
from fullhouse.kit.secrets import Keyring
from fullhouse.tickets.pricing import Charge, PriceLine, quote
from fullhouse.tickets.promo_codes import actions as promos
from fullhouse.tickets.types import actions as types
from fullhouse.tickets.types.model import TicketType

REFUNDED_SHARE = 0.03
ABANDONED_SHARE = 0.9  # abandoned holds for each order


async def sell_share(
    tx: Tx, keyring: Keyring, event: Event, buyers: Sequence[User], share: float, first: User | None = None
) -> int:
    """Sells a share of an event's capacity since its sale opened; `first` is the first buyer. Returns the number of
    tickets.
    """
    chance = random.Random(event.name)  # noqa: S311
    kinds = await types.list_types(tx, event.id)
    charges = (await promos.load_charges(tx, event.id)).charges
    parties = [*choose_seats(chance, await stock.list_seats(tx, event.id), share)]
    parties += choose_spots(chance, await stock.list_zones(tx, event.id), share)
    times = draw_times(chance, event.sale_start_at, min(await tx.now(), event.sale_end_at), len(parties))
    chance.shuffle(parties)
    people = [first or chance.choice(buyers), *chance.choices(buyers, k=len(parties))]
    sold = [
        _make_sale(chance, at, buyer, party, kinds, charges, keep=number == 0 or share >= 1)
        for number, (at, buyer, party) in enumerate(zip(times, people, parties, strict=False))
    ]
    return await write_rows(tx, keyring, event, sold)


# --- what is bought


def _make_sale(
    chance: random.Random, at: datetime, buyer: User, party: list[Choice], kinds: Sequence[TicketType],
    charges: Sequence[Charge], *, keep: bool,
) -> Sale:  # fmt: skip
    lines = []
    for choice in party:
        fitting = [
            kind
            for kind in kinds
            if kind.kind == ("seated" if choice.seat_id else "ga") and (not kind.zones or choice.zone_key in kind.zones)
        ]
        lines.append((choice, fitting[0] if chance.random() < 0.8 else fitting[-1]))
    priced = [
        PriceLine(ticket_type_id=kind.id, name=kind.name, unit=kind.price_in(choice.price), quantity=choice.quantity)
        for choice, kind in lines
    ]
    bill = quote(priced, lines[0][1].currency, charges)
    given_back, abandoned = chance.random() < REFUNDED_SHARE, chance.random() < ABANDONED_SHARE
    return Sale(at, buyer, lines, bill, given_back and not keep, abandoned)


# --- the rows that the domains would have written
