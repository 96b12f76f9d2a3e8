"""People in an on-sale: they queue, hold, pay, change their minds, lose the line and come back, until all is sold.

Each of them goes to whichever server answers, follows every purchase to its end, and remembers what it was told.
"""

import asyncio
import random
from collections import Counter
from typing import Any
from uuid import UUID

from bench._log import ClientLog

from fullhouse.kit.ids import new_id
from tests.faults.caller import Answer, Caller
from tests.faults.theatre import Person

MOST = 5  # seats that somebody wants together
PATIENCE_S = 15.0
POLL_S = 2.0  # how long somebody who waits pauses at most
BUYER = {"name": "A Buyer", "email": "buyer@example.org"}
# What the play money does with a payment: mostly what it should.
METHODS = ("approve", "twice", "delay", "drop", "error", "decline")
OFTEN = (12, 2, 2, 1, 1, 2)


class Rush:
    """The show, the servers, what people were told, and when it is over."""

    def __init__(self, show: UUID, ticket_type: str, ports: list[int], log: ClientLog) -> None:
        self.show, self.ticket_type, self.ports = f"/api/events/{show}", ticket_type, ports
        self.event, self.log = show, log
        self.over = asyncio.Event()
        self.happened: Counter[str] = Counter()
        self.wrong: list[str] = []


class Buyer:
    def __init__(self, rush: Rush, me: Person, seed: int) -> None:
        self.rush, self.me, self.dice = rush, me, random.Random(seed)
        self.orders: dict[str, int] = {}  # what was bought, and how many tickets came with it
        self.retired = False  # whoever leaves the line cannot join again for an hour
        self._port, self._caller = self.dice.choice(rush.ports), Caller()

    async def live(self) -> None:
        await asyncio.sleep(self.dice.random() * 2)
        while not self.rush.over.is_set() and not self.retired:
            if await self._queue():
                await self._shop()
            await asyncio.sleep(self.dice.random() * 0.3)
        self._caller.close()

    def _note(self, what: str) -> None:
        self.rush.happened[what] += 1

    def _chance(self, percent: float) -> bool:
        return self.dice.random() * 100 < percent

    # --- calls

    async def _ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Again and elsewhere until there is an answer: each of these calls may be made twice."""
        headers["authorization"] = f"Bearer {self.me.token}"
        while True:
            try:
                answer = await self._caller.ask(self._port, method, path, body, headers, patience_s=PATIENCE_S)
            except (OSError, EOFError):  # a timeout too
                self._note("reconnected")
                self._port = self.dice.choice(self.rush.ports)
                await asyncio.sleep(0.1 + self.dice.random() * 0.3)
                continue
            if answer.status_code == 503 or (answer.status_code == 429 and "cooldown" not in answer.text):
                await asyncio.sleep(0.2 + self.dice.random() * 0.5)
                continue
            if answer.status_code >= 500:
                self.rush.wrong.append(f"{method} {path}: {answer.text}")
            return answer

    # --- the line

    async def _queue(self) -> bool:
        """In line until it is our turn. Who joins again, for whatever reason, has the same number."""
        place = await self._join()
        while place and place["status"] == "waiting":
            if self.rush.over.is_set():
                return False
            if self._chance(0.3):
                await self._leave_the_line()
                return False
            seq, token = place["seq"], place["token"]
            if self._chance(5):
                self._note("joined again")
                again = await self._join()
                if again and again["status"] == "waiting" and again["seq"] != seq:
                    self.rush.wrong.append(f"{self.me.id} had number {seq}, and has {again['seq']}")
                place = again
                continue
            await asyncio.sleep(min(POLL_S, place["next_poll_s"]) * (0.5 + self.dice.random() / 2))
            answer = await self._ask("GET", f"{self.rush.show}/queue", **{"x-queue-token": token})
            place = answer.json()["data"] | {"token": token}
            if place["seq"] != seq:
                self.rush.wrong.append(f"{self.me.id} had number {seq}, and is told of {place['seq']}")
        return place is not None and place["status"] == "admitted"

    async def _join(self) -> Any:
        answer = await self._ask("POST", f"{self.rush.show}/queue")
        if answer.is_success:
            return answer.json()["data"]
        if answer.json()["code"] not in ("sold_out", "queue_cooldown"):
            self.rush.wrong.append(f"joining: {answer.text}")
        return None

    async def _leave_the_line(self) -> None:
        left = await self._ask("DELETE", f"{self.rush.show}/queue")
        again = await self._ask("POST", f"{self.rush.show}/queue")
        # If the turn came between the two, it was a slot that was given back: that costs nothing.
        if left.is_success and not again.is_success and again.json()["code"] == "queue_cooldown":
            self._note("left the line")
            self.retired = True

    # --- inside

    async def _shop(self) -> None:
        held = await self._hold(self.dice.randint(1, MOST)) or await self._hold(1)
        if not held:
            await self._ask("DELETE", f"{self.rush.show}/queue")
            await asyncio.sleep(1)
            return
        if self._chance(4):
            self._note("walked away")
            await asyncio.sleep(1)
            return
        if self._chance(4):
            self._note("gave the slot back")
            await self._ask("DELETE", f"{self.rush.show}/queue")
            return
        session = await self._check_out(held)
        if session is None:
            return
        if self._chance(5):
            self._note("left the checkout")
            await self._ask("DELETE", f"/api/checkout/{session['id']}")
        elif self._chance(1):
            self._note("abandoned the checkout")
        else:
            await self._pay(session)

    async def _hold(self, seats: int) -> list[str]:
        wish = {"best_available": {"quantity": seats}}
        name = self.rush.log.call(kind="hold", event=self.rush.event, user=self.me.id, best=seats)
        answer = await self._ask("POST", f"{self.rush.show}/holds", wish, **{"idempotency-key": new_id().hex})
        if not answer.is_success:
            self.rush.log.end(name, "fail")
            self._note(f"no seats: {answer.json()['code']}")
            return []
        holds = [line["hold_id"] for line in answer.json()["data"]["items"]]
        self.rush.log.end(name, "ok", holds=[UUID(hold) for hold in holds])
        return holds

    async def _check_out(self, held: list[str]) -> Any:
        items = [{"hold_id": hold, "ticket_type_id": self.rush.ticket_type} for hold in held]
        answer = await self._ask("POST", f"{self.rush.show}/checkout", {"items": items})
        if answer.status_code != 201:
            self._note(f"no checkout: {answer.json().get('code', 'no slot')}")
            return None
        session = answer.json()["data"]
        if self._chance(10):
            self._note("found the checkout again")
            found = await self._ask("GET", f"{self.rush.show}/checkout")
            if found.is_success and found.json()["data"]["id"] != session["id"]:
                self.rush.wrong.append(f"{self.me.id} began {session['id']} and finds {found.text}")
        return session

    async def _pay(self, session: Any) -> None:
        """Followed to its end, whoever is killed meanwhile. Who is declined tries once more."""
        for method in (self.dice.choices(METHODS, OFTEN)[0], "approve"):
            name = self.rush.log.call(
                kind="purchase", event=self.rush.event, user=self.me.id, checkout=UUID(session["id"])
            )
            order = await self._buy(session, method)
            self._end_purchase(name, order)
            if order is None:
                return
            self._note(f"{order['status']} by {method}")
            if order["status"] == "paid":
                self.orders[order["id"]] = len(order["tickets"])
                return

    def _end_purchase(self, name: str, order: Any) -> None:
        if order is None or order["status"] != "paid":
            self.rush.log.end(name, "fail")
            return
        tickets = [UUID(ticket["id"]) for ticket in order["tickets"]]
        self.rush.log.end(name, "ok", order=UUID(order["id"]), tickets=tickets)

    async def _buy(self, session: Any, method: str) -> Any:
        """An order that is paid or cancelled; None if there is nothing to be bought any more."""
        key, body = new_id().hex, {"provider": "test", "method": method, "buyer": BUYER}
        while True:
            answer = await self._ask(
                "POST", f"/api/checkout/{session['id']}/purchase", body, **{"idempotency-key": key}
            )
            said = answer.json()
            if answer.is_success:
                return await self._settled(said["data"])
            if said["code"] == "payment_declined":
                return await self._settled({"id": said["order_id"]})
            if said["code"] == "idempotency_in_flight":
                continue
            self._note(f"not bought: {said['code']}")
            return None

    async def _settled(self, order: Any) -> Any:
        while order.get("status", "pending") == "pending":
            await asyncio.sleep(0.5)
            order = (await self._ask("GET", f"/api/orders/{order['id']}")).json()["data"]
        return order
