"""Tickets and holds that are live though their event is cancelled or postponed: operators hear how many."""

from typing import Any

import pytest
from prometheus_client import REGISTRY
from structlog.testing import capture_logs

from fullhouse.holds.measures.sale_monitor import SaleMonitor
from fullhouse.kit.db.database import Database
from fullhouse.kit.services import Services
from tests.accounts.helpers import data
from tests.checkout.helpers import Sale, bought, hold, selling
from tests.events.helpers import move
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest

pytestmark = pytest.mark.req("OBS-1")
Live = dict[tuple[str, str], float]
NONE = {(status, kind): 0.0 for status in ("cancelled", "postponed") for kind in ("tickets", "holds")}


class Watched:
    """What a round of the watch says: counts beyond those that other tests have left, and lines about one event."""

    def __init__(self, process: Services, finder: Database, sale: Sale) -> None:
        self._watch, self._sale = SaleMonitor(process, finder), sale
        self._others: Live = {}

    async def round(self) -> tuple[Live, list[dict[str, Any]]]:
        with capture_logs() as logs:
            await self._watch.check_all()
        found = {key: _value(*key) - self._others.get(key, 0) for key in NONE}
        mine = [dict(entry) for entry in logs if entry.get("event_id") == str(self._sale.event_id)]
        return found, [entry for entry in mine if entry["event"] == "event.stopped_with_live"]

    async def start(self) -> None:
        self._others, _ = await self.round()


def _value(status: str, kind: str) -> float:
    return REGISTRY.get_sample_value("fullhouse_live_of_stopped_events", {"status": status, "kind": kind}) or 0.0


@pytest.fixture
async def sale(staff: Client) -> Sale:
    return await selling(staff)


@pytest.fixture
async def watched(process: Services, finder: Database, sale: Sale) -> Watched:
    found = Watched(process, finder, sale)
    await found.start()
    return found


async def test_live_tickets_and_holds_of_a_stopped_event_are_counted(
    watched: Watched, sale: Sale, staff: Client, client: Client, tenant: Tenant, owner: Any
) -> None:
    event = {"id": str(sale.event_id)}
    order = await bought(client, tenant, sale, 0, 1)
    await hold(await guest(client, tenant), sale, 2, 3, 4)
    assert await watched.round() == (NONE, [])
    data(await move(staff, event, "postpone"))
    live, lines = await watched.round()
    assert live == NONE | {("postponed", "tickets"): 2, ("postponed", "holds"): 3}
    venue = await owner.fetchval("SELECT venue_id FROM events WHERE id = $1", sale.event_id)
    said = {"organization_id": str(tenant.id), "event_id": event["id"], "venue_id": str(venue), "log_level": "warning"}
    name = {"event": "event.stopped_with_live"}
    assert lines == [said | name | {"status": "postponed", "tickets": 2, "holds": 3}]
    assert await watched.round() == (live, []), "it is not said anew"
    data(await move(staff, event, "cancel"))
    live, lines = await watched.round()
    assert live == NONE | {("cancelled", "tickets"): 2}
    assert lines == [said | name | {"status": "cancelled", "tickets": 2, "holds": 0}]
    refunds, once = f"/api/orders/{order['id']}/refunds", {"idempotency-key": "all of it"}
    data(await staff.post(refunds, json={"reason": "A storm."}, headers=once), 201)
    assert await watched.round() == (NONE, [])


async def test_an_event_with_a_new_date_is_not_stopped(
    watched: Watched, sale: Sale, staff: Client, client: Client, tenant: Tenant
) -> None:
    await bought(client, tenant, sale, 0)
    data(await move(staff, {"id": str(sale.event_id)}, "postpone"))
    assert (await watched.round())[0] == NONE | {("postponed", "tickets"): 1}
    data(await move(staff, {"id": str(sale.event_id)}, "reschedule"))
    assert await watched.round() == (NONE, [])
