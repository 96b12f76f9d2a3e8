"""People who wait, and who runs the room."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import msgspec

from fullhouse.kit.actors import Actor, Principal
from fullhouse.kit.db.database import Database
from fullhouse.kit.ids import new_id
from fullhouse.kit.secrets import digest_token
from fullhouse.kit.services import Services
from fullhouse.waiting_room import actions, entry_actions, jobs
from fullhouse.waiting_room.model import Place, Room, RoomSettings
from fullhouse.waiting_room.policy import RoomCommand
from fullhouse.waiting_room.rooms import WaitingRooms
from tests.accounts.helpers import data
from tests.fixtures import Client, Tenant
from tests.holds.helpers import OnSale

Shift = Callable[[timedelta], Any]


class Waiting(msgspec.Struct, frozen=True):
    """Somebody who has joined over HTTP: polls with the token of the place."""

    client: Client
    place: dict[str, Any]
    path: str

    async def poll(self, **headers: str) -> Any:
        return await self.client.get(self.path, headers={"x-queue-token": self.place["token"]} | headers)

    async def now(self) -> Any:
        return data(await self.poll())


async def come(client: Client, sale: OnSale) -> Waiting:
    path = sale.path("queue")
    return Waiting(client, data(await client.post(path)), path)


def person(tenant: Tenant, user_id: UUID | None = None) -> Principal:
    user_id = user_id or new_id()
    actor = Actor(type="user", id=user_id, name="Somebody")
    allowed = frozenset({"queue.join"})
    return Principal(
        organization_id=tenant.id, actor=actor, role="customer", allowed=allowed, credential=digest_token(str(user_id))
    )


async def join(process: Services, tenant: Tenant, sale: OnSale, user_id: UUID | None = None) -> Place:
    return entry_actions.to_place(*await entry_actions.join(process, person(tenant, user_id), sale.event_id))


async def crowd(process: Services, tenant: Tenant, sale: OnSale, people: int) -> list[tuple[UUID, Place]]:
    """One after the other, so that their order is known."""
    ids = [new_id() for _ in range(people)]
    return [(user_id, await join(process, tenant, sale, user_id)) for user_id in ids]


async def poll(process: Services, tenant: Tenant, sale: OnSale, user_id: UUID, place: Place) -> Place:
    asking = await entry_actions.poll(process, sale.event_id, place.token, f"Bearer {user_id}", None)
    return entry_actions.to_place(*asking)


async def settle(process: Services, tenant: Tenant, sale: OnSale, **wish: Any) -> Room:
    async with process.database.tenant(tenant.id, tenant.principal("owner").actor) as tx:
        return await actions.change_settings(tx, process.keyring, sale.event_id, RoomSettings(**wish))


async def order(process: Services, tenant: Tenant, sale: OnSale, name: RoomCommand) -> Room:
    async with process.database.tenant(tenant.id, tenant.principal("owner").actor) as tx:
        return await actions.move(tx, process.keyring, sale.event_id, name)


async def finish(process: Services, tenant: Tenant, sale: OnSale, user_id: UUID, *, bought: bool = True) -> None:
    async with process.database.tenant(tenant.id) as tx:
        await actions.end_slot(tx, sale.event_id, user_id, bought=bought)


async def leave(process: Services, tenant: Tenant, sale: OnSale, user_id: UUID) -> None:
    async with process.database.tenant(tenant.id) as tx:
        await actions.leave_queue(tx, sale.event_id, user_id)


async def keep(process: Services, finder: Database) -> None:
    """What the worker's loop does every second."""
    await jobs.advance_waiting_rooms(process, finder)
    await process.clock.measure()


async def idle(process: Services) -> None:
    """Until nobody is being let in. Somebody who is back after an absence starts that, and it may have their row locked
    when their next sign of life comes: that one would be skipped."""
    while process.part(WaitingRooms)._admitting:
        await asyncio.sleep(0.01)


async def entries(owner: Any, sale: OnSale) -> list[dict[str, Any]]:
    rows = await owner.fetch("SELECT * FROM queue_entries WHERE event_id = $1 ORDER BY seq", sale.event_id)
    return [dict(row) for row in rows]


async def statuses(owner: Any, sale: OnSale) -> list[str]:
    return [row["status"] for row in await entries(owner, sale)]


async def state(owner: Any, sale: OnSale) -> str:
    found: str = await owner.fetchval("SELECT state FROM queue_rooms WHERE event_id = $1", sale.event_id)
    return found


async def soon(check: Any, seconds: float = 60) -> None:
    """Until `await check()` says yes: what comes over the bus comes when it comes."""
    async with asyncio.timeout(seconds):
        while not await check():
            await asyncio.sleep(0.02)


async def sell_everything(owner: Any, sale: OnSale, *, but: int = 0) -> None:
    await owner.execute(
        "UPDATE event_seats SET status = 'sold', ticket_id = gen_random_uuid(), hold_id = NULL, held_until = NULL"
        " WHERE event_id = $1 AND ordinal >= $2",
        sale.event_id,
        but,
    )
