"""`fullhouse prove --log`: what a client bought, gave back, passed on and scanned is there, once, and whole."""

from typing import Any
from uuid import UUID

import msgspec
import pytest

from fullhouse import prove
from fullhouse.kit.ids import new_id
from fullhouse.prove.client import sales as client_sales
from fullhouse.prove.client.log import Call
from fullhouse.prove.client.sales import Found, Order, Refund, Scan, Ticket, compare
from tests.accounts.helpers import data
from tests.checkout.helpers import begun, buy
from tests.checkout.waiting import give_back
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest
from tests.prove.test_corruptions import broken
from tests.scanning.helpers import device, door, scan

pytestmark = pytest.mark.req("BUY-1", "SCAN-2", "PROVE-2")
E, U, C, O, T, T2, R, S = (new_id() for _ in range(8))  # noqa: E741
OTHER = new_id()


def there(**more: Any) -> Found:
    """An order of two tickets, one of them refunded, one passed on and scanned."""
    orders = [Order(O, E, U, C, is_paid=True, places=2, tickets=2)]
    tickets = [Ticket(T, O, "used", "Grace@example.org"), Ticket(T2, O, "refunded", "ada@example.org")]
    rows: dict[str, Any] = {
        "orders": orders,
        "tickets": tickets,
        "refunds": [Refund(R, O, (T2,))],
        "scans": [Scan(S, T, "in")],
    } | more
    return Found(**{name: {row.id: row for row in found} for name, found in rows.items()})


def calls(**ends: Any) -> list[Call]:
    """What the client did, all of it acknowledged unless told otherwise."""
    done = {
        "buy": Call("buy", kind="purchase", event=E, user=U, checkout=C, order=O, tickets=[T, T2], end="ok"),
        "back": Call("back", kind="refund", order=O, tickets=[T2], refund=R, end="ok"),
        "pass": Call("pass", kind="transfer", ticket=T, to="grace@example.org", end="ok"),
        "scan": Call("scan", kind="scan", ticket=T, scan=S, end="ok"),
    }
    return [ends.get(name, call) for name, call in done.items() if ends.get(name, call) is not None]


def asked(name: str, end: Any, **more: Any) -> Call:
    (call,) = [call for call in calls() if call.call == name]
    return msgspec.structs.replace(call, end=end, **more)


UNTOLD: dict[str, dict[str, Any]] = {
    "buy": {"order": None, "tickets": []},
    "back": {"refund": None},
    "pass": {},
    "scan": {"scan": None},
}
NEVER = {"buy": "orders", "back": "refunds", "scan": "scans"}


def test_what_was_told_is_there() -> None:
    assert compare(calls(), there()) == []


@pytest.mark.parametrize("name", UNTOLD)
def test_what_is_unknown_may_be_there(name: str) -> None:
    for end in ("unknown", None):
        assert compare(calls(**{name: asked(name, end, **UNTOLD[name])}), there()) == []


def test_what_is_unknown_may_be_absent() -> None:
    unsold = [asked(name, "unknown", **more) for name, more in UNTOLD.items()]
    assert compare(unsold, Found({}, {}, {}, {})) == []
    assert compare([msgspec.structs.replace(call, end="fail") for call in unsold], Found({}, {}, {}, {})) == []


SAID: dict[str, tuple[list[Call], dict[str, Any], str]] = {
    "a lost order": (calls(), {"orders": []}, "call buy was acknowledged, but order {O} is not there"),
    "an order that is not paid": (
        calls(),
        {"orders": [Order(O, E, U, C, is_paid=False, places=2, tickets=2)]},
        "call buy was acknowledged, but order {O} is not paid",
    ),
    "somebody else's": (
        calls(),
        {"orders": [Order(O, E, OTHER, C, is_paid=True, places=2, tickets=2)]},
        "call buy was acknowledged, but order {O} is somebody else's",
    ),
    "a lost ticket": (
        calls(back=None),
        {"tickets": [Ticket(T, O, "used", "grace@example.org")], "refunds": []},
        "call buy was acknowledged, but ticket {T2} of order {O} is not there",
    ),
    "an order in part": (
        calls(buy=asked("buy", "unknown", **UNTOLD["buy"])),
        {"orders": [Order(O, E, U, C, is_paid=True, places=3, tickets=2)]},
        "call buy ended unknown, and is there in part: 2 tickets of 3",
    ),
    "a told order in part": (
        calls(),
        {"orders": [Order(O, E, U, C, is_paid=True, places=3, tickets=2)]},
        "order {O} is there in part: 2 tickets of 3",
    ),
    "a checkout bought twice": (
        calls(buy=asked("buy", "unknown", **UNTOLD["buy"])),
        {"orders": [Order(i, E, U, C, is_paid=True, places=2, tickets=2) for i in (O, OTHER)]},
        "checkout {C} was bought 2 times",
    ),
    "a refused order": (
        calls(buy=asked("buy", "fail", **UNTOLD["buy"])),
        {},
        "order {O} is paid, but call buy was refused",
    ),
    "an order that nobody asked for": (
        [*calls(buy=None), asked("buy", "fail", checkout=OTHER, **UNTOLD["buy"])],
        {},
        "order {O} is paid, but no call asked for it",
    ),
    "a lost refund": (
        calls(),
        {"refunds": []},
        "call back was acknowledged, but refund {R} of order {O} is not there",
    ),
    "a refund of a good ticket": (
        calls(),
        {"tickets": [Ticket(T, O, "used", "grace@example.org"), Ticket(T2, O, "valid", "ada@example.org")]},
        "call back was acknowledged, but ticket {T2} is valid",
    ),
    "a refund of another order": (
        calls(back=asked("back", "ok", tickets=[])),
        {"refunds": [Refund(R, OTHER, (T2,))]},
        "call back was acknowledged, but refund {R} of order {O} is not there",
    ),
    "a refund of a lost ticket": (
        calls(buy=None),
        {"tickets": [Ticket(T, O, "used", "grace@example.org")]},
        "call back was acknowledged, but ticket {T2} is not there",
    ),
    "a refund that nobody asked for": (
        [*calls(back=asked("back", "unknown", refund=None, tickets=[T]))],
        {},
        "refund {R} of order {O} is there, but no call asked for it, or one did twice",
    ),
    "a refused refund": (
        calls(back=asked("back", "fail", refund=None)),
        {},
        "refund {R} of order {O} is there, but call back was refused",
    ),
    "a refund twice": (
        calls(),
        {"refunds": [Refund(i, O, (T2,)) for i in (R, OTHER)]},
        "refund {OTHER} of order {O} is there, but no call asked for it, or one did twice",
    ),
    "a refund in part": (
        calls(back=asked("back", "unknown", refund=None)),
        {"refunds": []},
        "call back ended unknown, and is there in part: 1 tickets are void without a refund",
    ),
    "a lost transfer": (
        calls(),
        {"tickets": [Ticket(T, O, "used", "ada@example.org"), Ticket(T2, O, "refunded", "ada@example.org")]},
        "call pass was acknowledged, but ticket {T} is not grace@example.org's",
    ),
    "a transfer of nothing": (
        calls(buy=None, scan=None),
        {"tickets": [Ticket(T2, O, "refunded", "ada@example.org")]},
        "call pass was acknowledged, but ticket {T} is not there",
    ),
    "a refused transfer": (
        calls(**{"pass": asked("pass", "fail")}),
        {},
        "ticket {T} is grace@example.org's, but call pass was refused",
    ),
    "a lost scan": (calls(), {"scans": []}, "call scan was acknowledged, but scan {S} of ticket {T} is not there"),
    "a scan of another ticket": (
        calls(),
        {"scans": [Scan(S, T2, "in")]},
        "call scan was acknowledged, but scan {S} of ticket {T} is not there",
    ),
    "a scan the other way": (
        calls(),
        {"scans": [Scan(S, T, "out")]},
        "call scan was acknowledged, but scan {S} of ticket {T} is not there",
    ),
    "a ticket of another order": (
        calls(back=None),
        {
            "tickets": [Ticket(T, O, "used", "grace@example.org"), Ticket(T2, OTHER, "valid", "ada@example.org")],
            "refunds": [],
        },
        "call buy was acknowledged, but ticket {T2} of order {O} is not there",
    ),
    "an order of another show": (
        calls(),
        {"orders": [Order(O, OTHER, U, C, is_paid=True, places=2, tickets=2)]},
        "call buy was acknowledged, but order {O} is somebody else's",
    ),
    "a doubled scan": (
        calls(),
        {"scans": [Scan(S, T, "in"), Scan(OTHER, T, "in")]},
        "scan {OTHER} of ticket {T} is there, but no call asked for it, or one did twice",
    ),
    "an unknown scan, doubled": (
        calls(scan=asked("scan", "unknown", scan=None)),
        {"scans": [Scan(S, T, "in"), Scan(OTHER, T, "in")]},
        "scan {OTHER} of ticket {T} is there, but no call asked for it, or one did twice",
    ),
    "a refused scan": (
        calls(scan=asked("scan", "fail", scan=None)),
        {},
        "scan {S} of ticket {T} is there, but call scan was refused",
    ),
}


@pytest.mark.parametrize("name", SAID)
def test_it_is_said(name: str) -> None:
    told, rows, sentence = SAID[name]
    names = {"O": O, "T": T, "T2": T2, "C": C, "R": R, "S": S, "OTHER": OTHER}
    assert compare(told, there(**rows)) == [sentence.format(**names)]


async def test_a_client_that_buys_gives_back_passes_on_and_comes_in(
    client: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    """What it was told by HTTP is what the database has; with an order deleted it is not."""
    at = await door(client, tenant)
    buyer = await guest(client, tenant)
    session = await begun(buyer, at.sale, 0, 1, 2)
    order = data(await buy(buyer, session), 201)
    one, two, three = [UUID(ticket["id"]) for ticket in order["tickets"]]
    me = await owner.fetchval("SELECT user_id FROM orders WHERE id = $1", order["id"])
    sold = {"event": at.sale.event_id, "user": me, "checkout": UUID(session["id"])}
    log = [Call("1", kind="purchase", end="ok", order=UUID(order["id"]), tickets=[one, two, three], **sold)]
    await give_back(at.staff, order, str(one))
    refund = await owner.fetchval("SELECT id FROM order_refunds WHERE order_id = $1", order["id"])
    log.append(Call("2", kind="refund", end="ok", order=UUID(order["id"]), tickets=[one], refund=refund))
    to = {"name": "Grace Guest", "email": "customer@example.org"}
    data(await buyer.post(f"/api/tickets/{two}/transfer", json=to))
    log.append(Call("3", kind="transfer", end="ok", ticket=two, to=to["email"]))
    gate, _ = await device(at, client)
    admitted = await scan(gate, order["tickets"][2])
    log.append(Call("4", kind="scan", end="ok", ticket=three, scan=UUID(admitted["scan_id"])))
    again = await scan(gate, order["tickets"][2])
    assert not again["admit"]
    log.append(Call("5", kind="scan", end="fail", ticket=three))
    assert await _told(server_url, log) == []
    lied = [msgspec.structs.replace(log[3], scan=new_id()), *log[:3]]
    assert len(await _told(server_url, lied)) == 2  # one is not there, one nobody asked for
    assert await _told(server_url, log[1:]) == []  # of whom the log does not speak, nothing is asked
    lost = await broken(owner, f"DELETE FROM orders WHERE id = '{order['id']}'")
    assert "parents" in lost
    await owner.execute("BEGIN; SET LOCAL session_replication_role = replica")
    try:
        await owner.execute(f"DELETE FROM orders WHERE id = '{order['id']}'")
        found = await client_sales.find_disagreements(owner, log)
    finally:
        await owner.execute("ROLLBACK")
    assert f"call 1 was acknowledged, but order {order['id']} is not there" in found


async def _told(url: str, log: list[Call]) -> list[str]:
    (found,) = [said for check, said in (await prove.run(url, log)).items() if check.name == "client log"]
    return found
