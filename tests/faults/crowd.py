"""People who hold, buy, give back, pass on and come in without a pause, and write down what they were told."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, ClassVar, Literal, NamedTuple
from uuid import UUID

import httpx
from bench._log import ClientLog, end_of

from fullhouse.kit.ids import new_id
from fullhouse.prove.client.log import Item, Kind
from tests.faults.theatre import IN_A_ROW, PATIENCE_S, PAUSE_S, ROWS, Person, Theatre

MOST = 3  # holds that become one order: some are of several places, and an order has ten at most
BUYER = {"name": "A Buyer", "email": "buyer@example.org"}
HOLDING: tuple[Kind, ...] = ("hold", "release")
ALL_KINDS: tuple[Kind, ...] = (*HOLDING, "purchase", "refund", "transfer", "scan")
End = Literal["ok", "fail", "unknown"]


class Held(NamedTuple):
    id: UUID
    kind: str  # of ticket


class Bought(NamedTuple):
    """A ticket, and the code that its buyer knows: whom it is passed on to has another."""

    id: UUID
    order: UUID
    code: str | None


class Visitor(NamedTuple):
    """What somebody has, as far as they know."""

    me: Person
    client: httpx.AsyncClient
    dice: random.Random
    held: list[Held]
    bought: list[Bought]


class Crowd:
    """Each of them goes to any of the servers. Of `kinds`, what they do (the words of a client's log)."""

    def __init__(self, at: Theatre, log: ClientLog, *ports: int, kinds: tuple[Kind, ...] = ALL_KINDS) -> None:
        self.at, self.log, self.ports, self.kinds = at, log, ports, kinds
        self.ends: Counter[str] = Counter()
        self.done: Counter[Kind] = Counter()  # what was acknowledged
        self.codes: Counter[str] = Counter()  # of refusals
        self.over, self.late = False, list[str]()  # calls that were sent when it was over, and acknowledged

    @asynccontextmanager
    async def buying(self) -> AsyncIterator["Crowd"]:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._live(n, person)) for n, person in enumerate(self.at.crowd)]
            try:
                yield self
            finally:
                for task in tasks:
                    task.cancel()

    async def more(self, end: End, count: int) -> None:
        """Waits until so many more calls have ended so."""
        goal = self.ends[end] + count
        await self._wait(lambda: self.ends[end] >= goal)

    async def more_of_each(self, count: int) -> None:
        """Waits until so many more of every kind were acknowledged."""
        goal = {kind: self.done[kind] + count for kind in self.kinds}
        await self._wait(lambda: all(self.done[kind] >= goal[kind] for kind in goal))

    async def _wait(self, enough: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 60
        while not enough():
            assert time.monotonic() < deadline, f"nothing happens any more: {self.ends}, {self.done}, {self.codes}"
            await asyncio.sleep(0.005)

    async def _live(self, seed: int, me: Person) -> None:
        dice = random.Random(seed)
        acts, often = zip(*(act for kind in self.kinds for act in self._ACTS[kind]), strict=True)
        async with httpx.AsyncClient(timeout=PATIENCE_S) as client:
            visitor = Visitor(me, client, dice, [], [])
            while True:
                await dice.choices(acts, often)[0](self, visitor)
                await asyncio.sleep(PAUSE_S)

    # --- holds

    async def _hold_one(self, by: Visitor) -> None:
        seat = self._seat(by.dice)
        await self._hold(by, f"seats/{seat}/reserve", {}, items=[Item(seat=seat)])

    async def _hold_several(self, by: Visitor) -> None:
        pit = UUID(self.at.sale.zones["pit"])
        items = [Item(seat=seat) for seat in {self._seat(by.dice), self._seat(by.dice)}]
        items.append(Item(zone=pit, quantity=by.dice.randint(1, 3)))
        body = [{"seat_id": str(i.seat)} if i.seat else {"zone_id": str(i.zone), "quantity": i.quantity} for i in items]
        await self._hold(by, "holds", {"items": body}, items=items)

    async def _hold_best(self, by: Visitor) -> None:
        await self._hold(by, "holds", {"best_available": {"quantity": 2}}, best=2)

    async def _hold(self, by: Visitor, path: str, body: Any, **said: Any) -> None:
        name, late = self.log.call(kind="hold", event=self.at.sale.event_id, user=by.me.id, **said), self.over
        answer = await self._post(by, self.at.sale.path(path), body)
        data = answer.json()["data"] if answer and answer.is_success else {}
        lines = data.get("items") or ([data] if data else [])
        held = [Held(UUID(line["hold_id"]), "seat" if line["seat_id"] else "pit") for line in lines]
        self._end(name, "hold", answer, holds=[each.id for each in held])
        by.held.extend(held)
        if late and held:
            self.late.append(name)

    async def _give_back(self, by: Visitor) -> None:
        if not by.held:
            return
        hold = by.held.pop(by.dice.randrange(len(by.held))).id
        name = self.log.call(kind="release", hold=hold)
        answer = await self._ask(by.client.delete(f"{self._address(by)}/api/holds/{hold}", headers=_as(by.me.token)))
        self._end(name, "release", answer)

    # --- what follows them

    async def _buy(self, by: Visitor) -> None:
        """What was asked to be bought, nobody gives back: whether it was is not always known."""
        mine = by.held[:MOST]
        del by.held[:MOST]
        items = [{"hold_id": str(each.id), "ticket_type_id": self.at.types[each.kind]} for each in mine]
        began = await self._post(by, self.at.sale.path("checkout"), {"items": items}) if items else None
        if not began or began.status_code != 201:
            self.codes[f"no checkout: {began.json()['code'] if began else 'no answer'}"] += bool(items)
            return
        checkout = UUID(began.json()["data"]["id"])
        show, me = self.at.sale.event_id, by.me.id
        name = self.log.call(kind="purchase", event=show, user=me, checkout=checkout)
        wish = {"provider": "test", "method": "approve", "buyer": BUYER}
        answer = await self._post(by, f"/api/checkout/{checkout}/purchase", wish, key=new_id().hex)
        order = answer.json()["data"] if answer and answer.is_success else {}
        if order and order["status"] != "paid":  # the payment's end is not known yet
            self._end(name, "purchase", None)
            return
        tickets = [Bought(UUID(t["id"]), UUID(order["id"]), t["code"]) for t in order.get("tickets", ())]
        told: dict[str, Any] = (
            {"order": tickets[0].order, "tickets": [ticket.id for ticket in tickets]} if tickets else {}
        )
        self._end(name, "purchase", answer, **told)
        by.bought.extend(tickets)

    async def _refund(self, by: Visitor) -> None:
        if not by.bought:
            return
        ticket = by.bought.pop(by.dice.randrange(len(by.bought)))
        name = self.log.call(kind="refund", order=ticket.order, tickets=[ticket.id])
        wish = {"reason": "They cannot come.", "ticket_ids": [str(ticket.id)]}
        path = f"/api/orders/{ticket.order}/refunds"
        answer = await self._post(by, path, wish, token=self.at.staff, key=new_id().hex)
        self._end(name, "refund", answer, **_told(answer, refund="id"))

    async def _pass_on(self, by: Visitor) -> None:
        known = [ticket for ticket in by.bought if ticket.code]
        if not known:
            return
        ticket = by.dice.choice(known)
        by.bought[by.bought.index(ticket)] = ticket._replace(code=None)
        to = f"{new_id().hex}@example.org"
        name = self.log.call(kind="transfer", ticket=ticket.id, to=to)
        answer = await self._post(by, f"/api/tickets/{ticket.id}/transfer", {"name": "A Friend", "email": to})
        self._end(name, "transfer", answer)

    async def _come_in(self, by: Visitor) -> None:
        known = [ticket for ticket in by.bought if ticket.code]
        if not known:
            return
        ticket = by.dice.choice(known)
        name = self.log.call(kind="scan", ticket=ticket.id)
        answer = await self._post(by, "/api/scan", {"code": ticket.code}, token=self.at.gate)
        admitted = bool(answer and answer.is_success and answer.json()["data"]["admit"])
        end: End | None = "fail" if answer and answer.is_success and not admitted else None
        self._end(name, "scan", answer, end, **(_told(answer, scan="scan_id") if admitted else {}))

    # How often each is done: orders are dearer than holds.
    _ACTS: ClassVar[Mapping[Kind, Any]] = {
        "hold": ((_hold_one, 10), (_hold_several, 5), (_hold_best, 2)),
        "release": ((_give_back, 3),),
        "purchase": ((_buy, 5),),
        "refund": ((_refund, 2),),
        "transfer": ((_pass_on, 2),),
        "scan": ((_come_in, 3),),
    }

    # --- calls

    async def _post(
        self, by: Visitor, path: str, body: Any, *, token: str | None = None, key: str | None = None
    ) -> httpx.Response | None:
        headers = _as(token or by.me.token) | ({"idempotency-key": key} if key else {})
        return await self._ask(by.client.post(f"{self._address(by)}{path}", json=body, headers=headers))

    def _address(self, by: Visitor) -> str:
        return f"http://127.0.0.1:{by.dice.choice(self.ports)}"

    def _seat(self, dice: random.Random) -> UUID:
        return UUID(self.at.sale.seat(dice.randrange(ROWS * IN_A_ROW)))

    async def _ask(self, asking: Awaitable[httpx.Response]) -> httpx.Response | None:
        try:
            async with asyncio.timeout(PATIENCE_S):  # of the whole call, whatever it waits for
                return await asking
        except (httpx.HTTPError, TimeoutError):
            return None

    def _end(self, name: str, kind: Kind, answer: httpx.Response | None, end: End | None = None, **said: Any) -> None:
        end = end or (end_of(answer.status_code) if answer else "unknown")
        self.log.end(name, end, **said)
        self.ends[end] += 1
        if end == "ok":
            self.done[kind] += 1
        elif answer and "code" in (said := answer.json()):
            self.codes[said["code"]] += 1


def _as(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def _told(answer: httpx.Response | None, **names: str) -> dict[str, Any]:
    """Of an answer that is an acknowledgement, these fields, by their names in the log."""
    data = answer.json()["data"] if answer and answer.is_success else {}
    return {name: UUID(data[field]) for name, field in names.items() if data}
