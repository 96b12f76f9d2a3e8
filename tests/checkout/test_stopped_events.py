"""Tickets that are still valid for an event that is cancelled or postponed: operators are told how many."""

import pytest
from prometheus_client import REGISTRY

from fullhouse.holds.watch import Watch
from fullhouse.kit.db import WORKER, Database
from fullhouse.kit.services import Services
from tests.accounts.helpers import data
from tests.checkout.helpers import bought, selling
from tests.events.helpers import move
from tests.fixtures import Client, Tenant


@pytest.mark.req("OBS-1")
async def test_valid_tickets_of_a_stopped_event_are_counted(
    staff: Client, client: Client, process: Services, tenant: Tenant, server_url: str
) -> None:
    sale = await selling(staff)
    order = await bought(client, tenant, sale, 0, 1)
    finder = await Database.open(server_url, WORKER, size=1)
    watching = Watch(process, finder)

    async def valid() -> tuple[float, float]:
        await watching.round()
        name = "fullhouse_tickets_of_stopped_events"
        found = [REGISTRY.get_sample_value(name, {"status": status}) for status in ("cancelled", "postponed")]
        return found[0] or 0.0, found[1] or 0.0

    cancelled, postponed = await valid()
    data(await move(staff, {"id": str(sale.event_id)}, "postpone"))
    assert await valid() == (cancelled, postponed + 2)
    data(await move(staff, {"id": str(sale.event_id)}, "cancel"))
    assert await valid() == (cancelled + 2, postponed)
    refunds, once = f"/api/orders/{order['id']}/refunds", {"idempotency-key": "all of it"}
    data(await staff.post(refunds, json={"reason": "A storm."}, headers=once), 201)
    assert await valid() == (cancelled, postponed)
    await finder.close()
