"""A small model of an on-sale: people in a line, seats, checkouts and money. It knows none of our statements."""

from math import inf
from uuid import UUID

from tests.queue.test_state_machine import WINDOW_S, Entry
from tests.queue.test_state_machine import Model as Waiting

SEATS, SLOTS, PRICE = 3, 2, 1000
HOLD_S, CHOOSING_S, SESSION_S = 300, 1800, 600


class Hold:
    def __init__(self, id: UUID, user: UUID, seat: int, until: float) -> None:
        self.id, self.user, self.seat, self.until = id, user, seat, until
        self.status, self.before = "active", until
        self.for_payment: UUID | None = None
        self.in_checkout = False

    def enter(self, checkout: float) -> None:
        """It is held for as long as its first checkout."""
        if not self.in_checkout:
            self.in_checkout, self.until = True, max(self.until, checkout)

    def freeze(self, attempt: UUID) -> None:
        self.for_payment, self.before, self.until = attempt, self.until, inf

    def thaw(self) -> None:
        self.for_payment, self.until = None, self.before


class Checkout:
    def __init__(self, id: UUID, hold: Hold, expires: float) -> None:
        self.id, self.hold, self.expires, self.status = id, hold, expires, "open"


class Sale:
    """An order and its one attempt to be paid."""

    def __init__(self, id: UUID, attempt: UUID, checkout: Checkout) -> None:
        self.id, self.attempt, self.checkout, self.hold = id, attempt, checkout, checkout.hold
        self.status, self.money = "pending", "pending"


class Model(Waiting):
    def __init__(self) -> None:
        super().__init__()
        self.slots = SLOTS
        self.rows: list[Hold | str | None] = [None] * SEATS  # what a seat's own row says: a hold, `sold`, or nothing
        self.holds: dict[UUID, Hold] = {}  # by person: the last one
        self.checkouts: dict[UUID, Checkout] = {}
        self.sales: list[Sale] = []

    @property
    def sold_out(self) -> bool:
        return all(row == "sold" for row in self.rows)

    def let_in(self) -> None:
        if self.sold_out:
            return
        before = self.some("admitted")
        super().let_in()
        for entry in self.some("admitted"):
            if entry not in before:
                entry.since = self.now  # type: ignore[attr-defined]

    def slot(self, user: UUID) -> Entry | None:
        return next((e for e in self.line if e.user == user and e.status == "admitted"), None)

    def finish(self, user: UUID, status: str) -> None:
        if entry := self.slot(user):
            entry.status = status
            self.let_in()

    def is_live(self, hold: Hold) -> bool:
        return hold.status == "active" and hold.until > self.now and hold.for_payment is None

    def end(self, hold: Hold, status: str) -> None:
        if hold.status == "active" and hold.for_payment is None:
            hold.status = status
            if self.rows[hold.seat] is hold:
                self.rows[hold.seat] = None

    def sell(self, sale: Sale) -> None:
        sale.status, sale.hold.status, self.rows[sale.hold.seat] = "paid", "converted", "sold"
        self.complete(sale)

    def complete(self, sale: Sale) -> None:
        """A slot ends with its own checkout. If that was over before, the slot is another visit's."""
        if sale.checkout.status in ("open", "paying"):
            sale.checkout.status = "completed"
            self.finish(sale.hold.user, "done")

    def fail(self, sale: Sale) -> None:
        sale.status = "cancelled"
        sale.hold.thaw()
        if sale.checkout.status == "paying":
            sale.checkout.status = "open"
            if sale.checkout.expires > self.now:
                self.regain(sale)
            else:
                sale.checkout.status = "expired"
                self.finish(sale.hold.user, "left")

    def regain(self, sale: Sale) -> None:
        """A payment may outlast its slot: the checkout goes on with another, if one is free and nobody waits for it."""
        user, until = sale.hold.user, int(sale.checkout.expires)
        if entry := self.slot(user):
            entry.until = max(entry.until, until)
        elif self.paused or self.some("waiting") or len(self.some("admitted")) >= self.slots:
            sale.checkout.status = "left"
        else:
            entry = self.stand(user)
            entry.status, entry.until = "admitted", max(min(until, self.now + CHOOSING_S), self.now + WINDOW_S)
            entry.since = self.now  # type: ignore[attr-defined]
