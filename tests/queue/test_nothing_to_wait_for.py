"""Nobody waits for a show that does not sell, is sold out, or is cancelled."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from fullhouse.events import actions as events
from fullhouse.events.policy import Move
from fullhouse.kit.db.database import Database
from fullhouse.kit.services import Services
from fullhouse.waiting_room.model import SalesClosed, SoldOut
from tests.checkout.helpers import add_type, selling_types
from tests.fixtures import Client, Tenant
from tests.holds.helpers import OnSale, hall, stage
from tests.queue.helpers import Shift, crowd, finish, join, keep, poll, sell_everything, settle, soon, statuses


@pytest.mark.req("BUY-6")
@pytest.mark.req("BUY-6")
async def test_what_is_no_longer_sold_is_nothing_to_wait_for(
    process: Services, client: Client, tenant: Tenant, owner: Any, clock: Any
) -> None:
    """Early birds were left when their time was over: all the others are sold."""
    staff = client.as_(tenant.tokens["owner"])
    show = (await selling_types(staff, 1)).show
    until = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    await add_type(staff, show.event_id, name="early", price=1000, quantity=5, kind="ga", sale_end_at=until)
    await owner.execute(
        "UPDATE pools SET sold = capacity WHERE event_id = $1 AND kind = 'ticket_type' AND capacity = 1", show.event_id
    )
    await settle(process, tenant, show, mode="on", slots=1)
    await clock(timedelta(minutes=59, seconds=30))
    assert (await join(process, tenant, show)).status in ("waiting", "admitted")
    await clock(timedelta(hours=1, seconds=1))
    with pytest.raises(SoldOut):
        await join(process, tenant, show)


async def test_the_line_is_open_from_the_sales_first_second_to_its_last(
    process: Services, tenant: Tenant, sale: OnSale, owner: Any, clock: Shift
) -> None:
    await settle(process, tenant, sale, mode="on", slots=1)
    begin = datetime.now(UTC) + timedelta(minutes=10)
    end = begin + timedelta(minutes=10)
    window = "UPDATE events SET sale_start_at = $2, sale_end_at = $3 WHERE id = $1"
    await owner.execute(window, sale.event_id, begin, end)
    for edge, inside in ((begin, 1), (end, -10)):  # the database's time runs on: the near side is some seconds wide
        await clock(edge - datetime.now(UTC) + timedelta(seconds=inside))
        assert (await join(process, tenant, sale)).status in ("admitted", "waiting")
        await clock(edge - datetime.now(UTC) + timedelta(seconds=-10 if inside > 0 else 1))
        with pytest.raises(SalesClosed):
            await join(process, tenant, sale)


async def test_nobody_waits_for_nothing(
    process: Services, finder: Database, tenant: Tenant, sale: OnSale, owner: Any
) -> None:
    await settle(process, tenant, sale, mode="on", slots=1)
    (inside, _), waiting = await crowd(process, tenant, sale, 2)
    await sell_everything(owner, sale, but=1)
    assert (await join(process, tenant, sale)).status == "waiting"  # one seat is left
    await sell_everything(owner, sale)
    with pytest.raises(SoldOut):
        await join(process, tenant, sale)
    await finish(process, tenant, sale, inside)
    await keep(process, finder)
    assert await statuses(owner, sale) == ["done", "waiting", "waiting"]

    async def told() -> bool:
        return (await poll(process, tenant, sale, *waiting)).status == "sold_out"

    await soon(told)
    await owner.execute(
        "UPDATE event_seats SET status = 'available', ticket_id = NULL WHERE event_id = $1 AND ordinal = 3",
        sale.event_id,
    )
    await keep(process, finder)  # a ticket came back
    assert await statuses(owner, sale) == ["done", "admitted", "waiting"]


@pytest.mark.req("QUEUE-1")
async def test_joining_needs_a_show_that_sells(
    process: Services, services: Services, tenant: Tenant, owner: Any, clock: Shift
) -> None:
    sale = await stage(services, tenant, hall(1, 4))
    await owner.execute("UPDATE events SET sale_start_at = now() + interval '1 day' WHERE id = $1", sale.event_id)
    with pytest.raises(SalesClosed):
        await join(process, tenant, sale)
    await clock(timedelta(days=2))
    assert (await join(process, tenant, sale)).status == "admitted"


async def test_a_show_that_is_cancelled_closes_its_room(
    process: Services, finder: Database, tenant: Tenant, sale: OnSale, owner: Any
) -> None:
    await settle(process, tenant, sale, mode="on", slots=1)
    _, waiting = await crowd(process, tenant, sale, 2)
    async with process.database.tenant(tenant.id) as tx:
        await events.move_event(tx, sale.event_id, Move.CANCEL, reason="storm")

    async def told() -> bool:
        return (await poll(process, tenant, sale, *waiting)).status == "closed"

    await soon(told)
    await keep(process, finder)
    assert await statuses(owner, sale) == ["admitted", "waiting"]  # nobody is let in; their time ends
