"""A show without anything left, places that come back, and people who wait for them."""

from typing import Any
from uuid import UUID

import httpx
import msgspec

from fullhouse import wiring
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages.async_handlers import run_handlers_once
from fullhouse.kit.messages.outbox import Message
from fullhouse.kit.services import Services
from fullhouse.seating.plans.plan import Plan
from tests.accounts.helpers import data
from tests.checkout.helpers import Sale, bought, selling, selling_types
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest, hall


class SoldOut(msgspec.Struct, frozen=True):
    """All seats in one order, and all of the pit in another, if there is one."""

    sale: Sale
    order: Any
    pit: Any = None

    def path(self, rest: str) -> str:
        return self.sale.path(rest)

    def ticket(self, ordinal: int) -> str:
        seat = self.sale.show.seat(ordinal)
        return next(str(ticket["id"]) for ticket in self.order["tickets"] if ticket["seat_id"] == seat)


async def sold_out(
    client: Client,
    tenant: Tenant,
    staff: Client,
    plan: Plan | None = None,
    *,
    seats: int = 6,
    pit: int = 0,
    **more: Any,
) -> SoldOut:
    sale = await selling(staff, plan or hall(1, seats, pit=pit), **more)
    order = await bought(client, tenant, sale, *range(seats))
    return SoldOut(sale, order, await bought(client, tenant, sale, pit=pit) if pit else None)


async def sold_out_types(client: Client, tenant: Tenant, staff: Client, quantity: int) -> SoldOut:
    sale = await selling_types(staff, quantity)
    return SoldOut(sale, await bought(client, tenant, sale, entry=quantity))


async def give_back(staff: Client, order: Any, *tickets: str) -> None:
    wish = {"reason": "They cannot come.", "ticket_ids": list(tickets)}
    headers = {"idempotency-key": new_id().hex}
    data(await staff.post(f"/api/orders/{order['id']}/refunds", json=wish, headers=headers), 201)


async def return_seats(house: SoldOut, *ordinals: int) -> None:
    await give_back(house.sale.staff, house.order, *map(house.ticket, ordinals))


async def join(who: Client, house: SoldOut, party: int = 1, **more: Any) -> httpx.Response:
    wish = {"party": party, "email": f"{new_id().hex}@example.org"} | more
    return await who.post(house.path("waitlist"), json=wish)


async def waiter(client: Client, tenant: Tenant, house: SoldOut, party: int = 1, **more: Any) -> Client:
    """A guest on the list."""
    who = await guest(client, tenant)
    data(await join(who, house, party, **more), 201)
    return who


async def standing(who: Client, house: SoldOut) -> Any:
    return data(await who.get(house.path("waitlist")))


async def states(*people: Client, house: SoldOut) -> list[str]:
    return [(await standing(who, house))["status"] for who in people]


def ordinals(house: SoldOut, entry: Any) -> list[int]:
    """The seats of an offer."""
    known = {house.sale.show.seat(n): n for n in range(200)}
    return [known[hold["seat_id"]] for hold in entry["offer"]]


async def reserve(who: Client, house: SoldOut, ordinal: int) -> httpx.Response:
    return await who.post(house.path(f"seats/{house.sale.show.seat(ordinal)}/reserve"), json={})


_FACTS = """
SELECT id, organization_id, name, subject_id, 1 AS version, payload, created_at, seq FROM outbox
WHERE organization_id = $1 AND name = $2 ORDER BY seq
"""


async def react(services: Services, tenant: Tenant, name: str) -> list[UUID]:
    """As a worker does, and as one does that was not sure whether it had: twice."""
    table = {fact.name: handlers for fact, handlers in wiring.async_handlers(services).items()}
    for _ in range(2):
        async with services.database.tenant(tenant.id) as tx:
            messages = [Message(**row) for row in await tx.fetch(_FACTS, tenant.id, name)]
            for message in messages:
                await run_handlers_once(tx, [(message, handler) for handler in table[name]])
    return [message.id for message in messages]


async def letters(services: Services, tenant: Tenant, template: str) -> list[Any]:
    async with services.database.tenant(tenant.id) as tx:
        return list(await tx.fetch("SELECT recipient, body FROM mails WHERE template = $1 ORDER BY id", template))


async def offered(client: Client, tenant: Tenant, staff: Client, serve: Any, party: int = 1) -> tuple[SoldOut, Client]:
    house = await sold_out(client, tenant, staff)
    who = await waiter(client, tenant, house, party)
    await return_seats(house, *range(party))
    await serve()
    return house, who


def to_buy(house: SoldOut, entry: Any) -> list[dict[str, Any]]:
    return [{"hold_id": hold["hold_id"], "ticket_type_id": house.sale.types["seat"]} for hold in entry["offer"]]
