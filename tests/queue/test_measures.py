"""What the metrics say of lines."""

import warnings
from typing import Any

import pytest
from prometheus_client import REGISTRY

from fullhouse.kit.db.database import Database
from fullhouse.kit.services import Services
from fullhouse.waiting_room import jobs
from tests.fixtures import Tenant
from tests.holds.helpers import OnSale
from tests.queue.helpers import crowd, leave, settle


@pytest.mark.req("OBS-1")
async def test_a_line_that_everybody_has_left_is_empty(
    process: Services, finder: Database, tenant: Tenant, sale: OnSale
) -> None:
    """Where several processes share their measurements none can be taken back, only written anew."""

    async def counted() -> tuple[Any, Any]:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            await jobs.count_people(finder)
        names = {"organization": str(tenant.id), "event": str(sale.event_id)}
        waiting, admitted = (
            REGISTRY.get_sample_value("fullhouse_queue_people", names | {"status": status})
            for status in ("waiting", "admitted")
        )
        return waiting, admitted

    await settle(process, tenant, sale, mode="on", slots=1)
    people = await crowd(process, tenant, sale, 3)
    assert await counted() == (2, 1)
    for user_id, _ in reversed(people):
        await leave(process, tenant, sale, user_id)
    assert await counted() == (0, 0)
