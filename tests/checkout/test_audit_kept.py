"""Whoever changes something by its own verb leaves the row that `fullhouse prove` asks for."""

from typing import Any

import pytest

from fullhouse.kit.ids import new_id
from tests.accounts.helpers import data
from tests.checkout.helpers import add_promo, hold, selling, wrong
from tests.checkout.waiting import offered, sold_out, waiter
from tests.events.helpers import move
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest, hall

pytestmark = pytest.mark.req("AUD-1", "PROVE-1")


async def missing(server_url: str) -> set[str]:
    return set((await wrong(server_url)).get("audited", []))


async def test_of_what_staff_change_nothing_is_missed(
    client: Client, staff: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    before = await missing(server_url)
    sale = await selling(staff, hall(1, 6))
    venue_id = await owner.fetchval("SELECT venue_id FROM events WHERE id = $1", sale.event_id)
    gate = data(await staff.post(f"/api/venues/{venue_id}/gates", json={"gate_code": "A", "name": "A"}), 201)
    await add_promo(staff, sale, code="HALF", amount=100)
    promo = (await _rows(owner, "promo_codes", sale))[0]
    hook = data(await staff.post("/api/org/webhooks", json={"url": "https://93.184.215.14/h", "events": ["*"]}), 201)
    wish = {"email": "m@example.org", "name": "M", "tier": "gold", "number": "1"}
    member = data(await staff.post("/api/org/memberships", json=wish), 201)
    changes = {
        f"/api/venues/{venue_id}": {"name": "Another hall"},
        f"/api/gates/{gate['id']}": {"name": "North"},
        sale.path(""): {"description": "Anew."},
        sale.path(f"ticket-types/{sale.types['seat']}"): {"description": "Anew."},
        sale.path(f"promo-codes/{promo['id']}"): {"active": False},
        f"/api/org/webhooks/{hook['id']}": {"description": "Anew."},
        f"/api/org/memberships/{member['id']}": {"tier": "silver"},
        f"/api/org/members/{tenant.people['staff'].id}": {"role": "scanner"},
        "/api/org": {"name": "Another house"},
        "/api/me": {"name": "Owner"},
    }
    for path, change in changes.items():
        answer = await staff.patch(path.rstrip("/"), json=change, headers={"if-match": "*"})
        assert answer.status_code == 200, (path, answer.text)
    data(await staff.post(f"/api/org/webhooks/{hook['id']}/secret", json={}), 201)
    assert (await staff.post("/api/org/ticket-keys", json={})).status_code in (200, 201)
    for _ in "ab":  # the second takes the first one's place
        invited = data(await staff.post("/api/org/invitations", json={"email": "n@example.org", "role": "staff"}), 201)
    assert (await staff.delete(f"/api/org/invitations/{invited['id']}")).status_code == 204
    for verb in ("open", "pause", "resume", "drain"):
        data(await staff.post(sale.path(f"queue/{verb}"), json={"reason": "A try."}))
    for verb in ("postpone", "reschedule"):
        data(await move(staff, {"id": str(sale.event_id)}, verb))
    assert await missing(server_url) == before


async def test_of_what_people_change_nothing_is_missed(
    client: Client, staff: Client, tenant: Tenant, serve: Any, server_url: str
) -> None:
    before = await missing(server_url)
    house, who = await offered(client, tenant, staff, serve)
    assert (await who.delete(house.path("waitlist"))).status_code == 204
    waits = await waiter(client, tenant, await sold_out(client, tenant, staff, hall(1, 4), seats=4))
    assert waits
    sale = await selling(staff)
    await hold(await guest(client, tenant), sale, 0)
    customer = client.as_(tenant.tokens["customer"])
    data(await customer.patch("/api/me", json={"name": new_id().hex}))
    data(await move(staff, {"id": str(house.sale.event_id)}, "cancel"))
    assert await missing(server_url) == before


async def _rows(owner: Any, table: str, sale: Any) -> list[Any]:
    return list(await owner.fetch(f"SELECT id FROM {table} WHERE event_id = $1", sale.event_id))
