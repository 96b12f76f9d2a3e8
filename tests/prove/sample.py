"""What a proof looks at: holds, orders, refunds, transfers, scans, codes, lists, webhooks, mail: one of each."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec

from fullhouse import wiring
from fullhouse.holds import jobs as hold_jobs
from fullhouse.kit.actors import SYSTEM
from fullhouse.kit.db.database import Database
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.mail.notices import actions
from fullhouse.payments import actions as payments
from fullhouse.payments import jobs as payment_jobs
from fullhouse.payments.model import Captured
from fullhouse.waitlist import jobs
from tests.accounts.helpers import data
from tests.checkout.helpers import add_promo, begun, bought, buy, hold, migrate, selling, selling_types
from tests.checkout.test_consent import ANOTHER
from tests.checkout.test_late import given_up
from tests.checkout.waiting import give_back, react, return_seats, sold_out, waiter
from tests.events.helpers import draft, move
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest, hall
from tests.scanning.helpers import Door, device, door, scan, seen, tell

FEES = [
    {"name": "Booking", "kind": "fee", "amount": 50},
    {"name": "VAT", "kind": "tax", "basis_points": 1500, "included": True},
    {"name": "Levy", "kind": "tax", "basis_points": 100},
]


# Nothing runs out while tests look at it: as if all that lasts had begun a day later. The audit only grows, so it says
# once more until when something is held.
TIME_ENOUGH = """
UPDATE seat_holds SET held_until = held_until + interval '1 day' WHERE status = 'active';
UPDATE event_seats SET held_until = held_until + interval '1 day', version = version + 1 WHERE status = 'held';
UPDATE checkout_sessions SET created_at = created_at + interval '1 day', expires_at = expires_at + interval '1 day'
WHERE status = 'open';
UPDATE queue_entries SET expires_at = expires_at + interval '1 day' WHERE status IN ('waiting', 'admitted');
INSERT INTO audit_log (id, organization_id, actor_type, action, entity_type, entity_id, after)
SELECT gen_random_uuid(), organization_id, 'system', 'seat_reserved', 'seat_hold', id,
       jsonb_build_object('held_until', held_until)
FROM seat_holds WHERE status = 'active';
"""
# The provider gives back what it has captured, and nothing else.
REFUSED = "UPDATE test_charges SET status = 'cancelled' WHERE key = (SELECT attempt_id FROM orders WHERE id = $1)"
UNANSWERED = "UPDATE seat_holds SET held_until = app.clock() - interval '1 second' WHERE source = 'waitlist'"


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    tenant: Tenant
    event_id: UUID


FIRST_DAY = "2090-07-07T10:00:00Z"


async def fill(client: Client, tenant: Tenant, process: Services, finder: Database, owner: Any) -> Sample:
    staff = client.as_(tenant.tokens["owner"])
    data(await staff.put("/api/org/charges", json={"charges": FEES}, headers={"if-match": "*"}))
    limits = {"capacity": 95, "venue": {"max_capacity": 99}}
    at = await door(client, tenant, 0, 1, 2, pit=2, gates="AB", more=limits)
    sale = at.sale
    await _hold_and_sell(client, tenant, staff, at)
    await _come_in(client, staff, at, owner)
    await _pay_late(client, tenant, staff, owner, process)
    await _give_back(client, tenant, staff, sale, process, finder, owner)
    await _wait(client, tenant, staff, process, finder, owner)
    await _run_the_house(client, tenant, staff)
    await _move_events(client, tenant, staff)
    await _move_seats(client, tenant, staff, owner)
    await _react(process, tenant, owner)
    await owner.execute(TIME_ENOUGH)
    return Sample(tenant=tenant, event_id=sale.event_id)


async def _hold_and_sell(client: Client, tenant: Tenant, staff: Client, at: Door) -> None:
    """Somebody who holds, one who has given back, one in a checkout, one who left, one who was declined."""
    sale = at.sale
    one, two, three, four, five = [await guest(client, tenant) for _ in range(5)]
    await hold(one, sale, 3, pit=1)
    (item,) = await hold(two, sale, 4)
    assert (await two.delete(f"/api/holds/{item['hold_id']}")).status_code == 204
    await add_promo(staff, sale, code="HALF", amount=100, max_uses=5, budget=1000)
    await begun(three, sale, 4, promo_code="HALF")
    left = await begun(four, sale, 5, promo_code="HALF")
    assert (await four.delete(f"/api/checkout/{left['id']}")).status_code == 204
    assert (await buy(five, await begun(five, sale, 5), method="decline")).status_code == 402
    await bought(client, tenant, sale, 6, promo_code="HALF")
    order = await bought(client, tenant, sale, 7, 8, 9)
    to = {"name": "Grace Guest", "email": "customer@example.org"}
    data(await staff.post(f"/api/tickets/{order['tickets'][0]['id']}/transfer", json=to))
    free = await selling_types(staff, 5, price=0)
    data(await buy(one, await begun(one, free, entry=1), provider="free"), 201)
    days = await selling_types(
        staff,
        5,
        price=0,
        event={"start_at": FIRST_DAY, "end_at": "2090-07-08T20:00:00Z", "capacity": 9},
        valid_days=[FIRST_DAY[:10]],
    )
    data(await buy(one, await begun(one, days, entry=1), provider="free"), 201)
    await hold(two, days, entry=1)


async def _come_in(client: Client, staff: Client, at: Door, owner: Any) -> None:
    one, told = await device(at, client, "A")
    other, _ = await device(at, client, "B")
    first, second, third, void, *_ = at.tickets
    await scan(one, first)
    inside = await scan(one, second)
    data(await staff.post(f"/api/scan/{inside['scan_id']}/undo", json={"reason": "A mistake."}))
    now = datetime.now(UTC)
    await tell(one, seen(third, 1, now))
    await tell(other, seen(third, 1, now))  # twice, offline: an incident
    data(await staff.post(f"/api/tickets/{void['id']}/cancel", json={"reason": "Printed twice."}))
    await tell(one, seen(void, 2, now))  # another
    assert told


async def _pay_late(client: Client, tenant: Tenant, staff: Client, owner: Any, process: Services) -> None:
    """Money for seats that are gone: without others, with others to consent to; and money for what was paid."""
    for plan in (hall(1, 1, pit=5), hall(1, 4, pit=5)):
        sale = await selling(staff, plan)
        late = await given_up(client, tenant, owner, process, sale, 0)
        await late.leaves()
        await bought(client, tenant, sale, 0)
        await late.comes()
    order, attempt_id = await bought(client, tenant, sale, 3), new_id()
    await owner.execute(ANOTHER, order["id"], attempt_id)
    async with process.database.tenant(tenant.id, SYSTEM) as tx:
        await payments.record_outcome(tx, attempt_id, Captured(str(attempt_id), order["total"]["amount"]))


async def _give_back(
    client: Client, tenant: Tenant, staff: Client, sale: Any, process: Services, finder: Database, owner: Any
) -> None:
    """One refund that the provider makes, one that it refuses, and one that it has not been asked for."""
    order, refused = await bought(client, tenant, sale, 10, 11), await bought(client, tenant, sale, 12)
    await give_back(staff, order, order["tickets"][0]["id"])
    await give_back(staff, refused, refused["tickets"][0]["id"])
    await owner.execute(REFUSED, refused["id"])
    await payment_jobs.pay_refunds(finder, process)
    await give_back(staff, order, order["tickets"][1]["id"])  # this one is owed still


async def _wait(client: Client, tenant: Tenant, staff: Client, process: Services, finder: Database, owner: Any) -> None:
    """Three on a list: one whose offer lapsed, one with an offer, one without."""
    house = await sold_out(client, tenant, staff)
    for _ in range(3):
        await waiter(client, tenant, house)
    await return_seats(house, 0)
    await jobs.serve_lists(finder, process.database)
    await owner.execute(UNANSWERED)
    await hold_jobs.sweep_holds(finder, process.database)
    await jobs.serve_lists(finder, process.database)


async def _run_the_house(client: Client, tenant: Tenant, staff: Client) -> None:
    data(await staff.post("/api/org/webhooks", json={"url": "https://93.184.215.14/hook", "events": ["*"]}), 201)
    data(await staff.post("/api/org/api-keys", json={"name": "Till", "scopes": ["events:read"]}), 201)
    data(await staff.post("/api/org/invitations", json={"email": f"{new_id().hex}@example.org", "role": "staff"}), 201)
    wish = {"email": "member@example.org", "name": "A Member", "tier": "gold", "number": "1"}
    data(await staff.post("/api/org/memberships", json=wish), 201)
    event = await draft(staff)
    data(await staff.post(f"/api/events/{event['id']}/cancel", json={"reason": "No hall."}))


async def _move_events(client: Client, tenant: Tenant, staff: Client) -> None:
    """Whoever has a ticket hears of another date, and of the cancellation; at the end of an event nobody does."""
    for moves in (("postpone", "reschedule"), ("cancel",), ("start", "end")):
        sale = await selling_types(staff, 5, price=0)
        buyer = await guest(client, tenant)
        data(await buy(buyer, await begun(buyer, sale, entry=1), provider="free"), 201)
        for name in moves:
            data(await move(staff, {"id": str(sale.event_id)}, name))


async def _react(process: Services, tenant: Tenant, owner: Any) -> None:
    """As a worker does: every handler of every fact, then the pages of the notices."""
    for fact in wiring.async_handlers(process):
        await react(process, tenant, fact.name)
    for notice in await owner.fetch("SELECT id FROM notices WHERE organization_id = $1", tenant.id):
        page = {"notice_id": str(notice["id"]), "posted": 0}
        await actions.send_page(process.database, tenant.id, page)


async def _move_seats(client: Client, tenant: Tenant, staff: Client, owner: Any) -> None:
    """A show on another version of its layout, and a seat that staff have blocked."""
    sale = await selling(staff, hall(2, 6, pit=5))
    await bought(client, tenant, sale, 0)
    await bought(client, tenant, sale, 11)
    await migrate(staff, sale, hall(1, 7, pit=5))  # the second row goes
    free = "SELECT seat_id FROM event_seats WHERE event_id = $1 AND status = 'available' LIMIT 1"
    wish = {"seat_ids": [str(await owner.fetchval(free, sale.event_id))], "reason": "Broken."}
    data(await staff.post(sale.path("seats/block"), json=wish))
