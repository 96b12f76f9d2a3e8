"""What a provider refuses to give back is still owed: it is tried again, once at a time, or paid by another way."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from fullhouse.kit.db.database import Database
from fullhouse.kit.services import Services
from fullhouse.payments import actions, jobs
from fullhouse.payments.model import Failed, Refunded, Unknown
from fullhouse.refunds import jobs as refund_jobs
from tests.accounts.helpers import data, refused
from tests.checkout.helpers import bought, rows, selling, wrong
from tests.events.helpers import move
from tests.fixtures import Client, Tenant
from tests.payments.test_refunds import back, booked, progress

pytestmark = pytest.mark.req("BUY-4")
OUTSIDE = {"reason": "By transfer, 17 May."}


def path(refund: Any, verb: str) -> str:
    return f"/api/orders/{refund['order_id']}/refunds/{refund['id']}/{verb}"


async def provider_says(owner: Any, tenant: Tenant, status: str) -> None:
    """The play money's charges: only what is captured can be given back."""
    await owner.execute(
        "UPDATE test_charges SET status = $2 WHERE organization_id = $1 AND kind = 'charge'", tenant.id, status
    )


async def statuses(owner: Any, tenant: Tenant) -> list[str]:
    return [row["status"] for row in await rows(owner, "refunds", tenant)]


@pytest.fixture
async def failed(client: Client, staff: Client, tenant: Tenant, owner: Any, finder: Database, process: Services) -> Any:
    """10.00 of an order, and the provider says no."""
    order = await bought(client, tenant, await selling(staff), 0)
    refund = data(await back(staff, order, amount=1000), 201)
    await provider_says(owner, tenant, "cancelled")
    await jobs.pay_refunds(finder, process)
    assert await statuses(owner, tenant) == ["failed"]
    return refund


async def test_it_is_tried_again_under_a_new_key(
    staff: Client, tenant: Tenant, owner: Any, failed: Any, finder: Database, process: Services, server_url: str
) -> None:
    assert (await booked(staff))["owed_to_buyers"] == 1000
    again = data(await staff.post(path(failed, "retry")))
    assert (again["status"], again["tries"], again["failure"]) == ("requested", 2, None)
    await jobs.pay_refunds(finder, process)
    assert await statuses(owner, tenant) == ["failed"]  # and once more
    data(await staff.post(path(failed, "retry")))
    await provider_says(owner, tenant, "captured")
    await jobs.pay_refunds(finder, process)
    (shown,) = data(await staff.get(f"/api/orders/{failed['order_id']}/refunds"))
    assert (shown["status"], shown["tries"], shown["paid_outside"]) == ("done", 3, None)
    assert refused(await staff.post(path(failed, "retry"))) == (409, "refund_not_failed")
    assert refused(await staff.post(path(failed, "paid-outside"), json=OUTSIDE)) == (409, "refund_not_failed")
    balance = await booked(staff)
    assert (balance["owed_to_buyers"], balance["at_providers"]) == (0, {"test": 1500})
    (key,) = [row["key"] for row in await rows(owner, "test_charges", tenant) if row["kind"] == "refund"]
    assert str(key) != failed["id"]
    said = await owner.fetch(
        "SELECT action, actor_type FROM audit_log WHERE entity_id = $1 ORDER BY created_at, id", failed["id"]
    )
    assert [row["action"].removeprefix("refund.") for row in said] == [
        "requested",
        "failed",
        "retried",
        "failed",
        "retried",
        "done",
    ]
    assert await wrong(server_url) == {}


async def test_it_is_paid_outside(staff: Client, tenant: Tenant, owner: Any, failed: Any, server_url: str) -> None:
    assert refused(await staff.post(path(failed, "paid-outside"), json={"reason": " "})) == (422, "invalid")
    paid = data(await staff.post(path(failed, "paid-outside"), json=OUTSIDE))
    assert (paid["status"], paid["paid_outside"]) == ("done", OUTSIDE["reason"])
    balance = await booked(staff)
    assert (balance["owed_to_buyers"], balance["at_providers"]) == (0, {"test": 2500, "outside": -1000})
    assert balance["organizer"] == 1500
    (said,) = await owner.fetch(
        "SELECT actor_type, reason FROM audit_log WHERE entity_id = $1 AND action = 'refund.done'", failed["id"]
    )
    assert (said["actor_type"], said["reason"]) == ("user", OUTSIDE["reason"])
    assert refused(await staff.post(path(failed, "retry"))) == (409, "refund_not_failed")
    assert await wrong(server_url) == {}
    rest = data(await back(staff, {"id": failed["order_id"]}), 201)  # the others' money is as it was
    assert rest["amount"]["amount"] == 1500
    assert (await booked(staff))["organizer"] == 0
    assert await wrong(server_url) == {}


async def test_of_many_at_once_one_does_it(
    staff: Client, tenant: Tenant, owner: Any, failed: Any, server_url: str
) -> None:
    """Seen to fail without `status = 'failed'` in `retry_refund` and `pay_outside`."""
    event_id = (await rows(owner, "refunds", tenant))[0]["event_id"]
    answers = await asyncio.gather(
        *(staff.post(path(failed, "retry")) for _ in range(8)),
        *(staff.post(path(failed, "paid-outside"), json=OUTSIDE) for _ in range(8)),
        *(staff.post(f"/api/events/{event_id}/refunds/retry") for _ in range(4)),
    )
    (refund,) = await rows(owner, "refunds", tenant)
    assert refund["tries"] == 2
    assert sum(answer.status_code == 200 for answer in answers[:16]) <= 1
    assert {refused(answer) for answer in answers[:16] if answer.status_code != 200} == {(409, "refund_not_failed")}
    assert {answer.status_code for answer in answers[16:]} == {200}
    assert await wrong(server_url) == {}


async def test_news_of_an_earlier_try_is_old(
    staff: Client, tenant: Tenant, owner: Any, failed: Any, process: Services, server_url: str
) -> None:
    data(await staff.post(path(failed, "retry")))
    async with process.database.tenant(tenant.id) as tx:
        for outcome in (Failed("x", "x"), Refunded("x"), Unknown()):
            await actions.record_refund(tx, failed["id"], outcome, 1)
    assert await statuses(owner, tenant) == ["requested"]
    assert await wrong(server_url) == {}


async def test_only_of_its_own_order(client: Client, staff: Client, tenant: Tenant, failed: Any) -> None:
    other = await bought(client, tenant, await selling(staff), 0)
    strange = failed | {"order_id": other["id"]}
    assert (await staff.post(path(strange, "retry"))).status_code == 404
    assert (await staff.post(path(strange, "paid-outside"), json=OUTSIDE)).status_code == 404


async def test_a_cancelled_show_goes_on_with_what_was_refused(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    finder: Database,
    process: Services,
    clock: Any,
    server_url: str,
) -> None:
    sale = await selling(staff)
    orders = [await bought(client, tenant, sale, n) for n in range(3)]
    data(await move(staff, {"id": str(sale.event_id)}, "cancel"))
    await refund_jobs.refund_cancelled_events(finder, process.database)
    await provider_says(owner, tenant, "cancelled")
    await jobs.pay_refunds(finder, process)
    seen = await progress(staff, sale)
    assert {one["order_id"] for one in seen["refused"]} == {order["id"] for order in orders}
    assert (seen["amounts"][0]["failed"], seen["refused"][0]["tries"]) == (7500, 1)
    data(await staff.post(path(seen["refused"][0], "paid-outside"), json=OUTSIDE))
    await provider_says(owner, tenant, "captured")
    after = data(await staff.post(sale.path("refunds/retry")))
    assert (after["refused"], after["amounts"][0]["paid_out"]) == ([], 2500)
    await clock(timedelta(seconds=1))
    await jobs.pay_refunds(finder, process)
    (sums,) = (await progress(staff, sale))["amounts"]
    assert (sums["requested"], sums["paid_out"], sums["failed"]) == (7500, 7500, 0)
    assert await wrong(server_url) == {}
