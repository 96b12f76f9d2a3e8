"""`fullhouse prove`, of messages: a fact that was passed over is found, and lateness alone is none."""

from typing import Any

import pytest

from fullhouse import prove
from fullhouse.kit.ids import new_id
from tests.fixtures import Tenant
from tests.messaging.helpers import clear_outbox, put

pytestmark = pytest.mark.req("MSG-1")


@pytest.fixture(autouse=True)
async def empty(owner: Any, tenant: Tenant) -> None:
    await clear_outbox(owner)
    await owner.execute("DELETE FROM outbox")


async def wrong(url: str) -> list[str]:
    [found] = [sentences for check, sentences in (await prove.run(url)).items() if check.name == "delivered"]
    return found


async def test_a_house_that_is_late_with_everything_is_only_late(owner: Any, tenant: Tenant, server_url: str) -> None:
    for _ in range(3):
        await put(owner, tenant.id, "event.updated", new_id())
    await owner.execute("UPDATE outbox SET created_at = now() - interval '2 days', due_at = now() - interval '2 days'")
    assert await wrong(server_url) == []


@pytest.mark.parametrize(
    ("mark", "says"), [("sent_at", "it was never sent to the broker"), ("handled_at", "it was never handled")]
)
async def test_a_fact_that_was_passed_over_is_found(
    mark: str, says: str, owner: Any, tenant: Tenant, server_url: str
) -> None:
    first, _ = [await put(owner, tenant.id, "event.updated", new_id()) for _ in range(2)]
    await owner.execute(
        "UPDATE outbox SET created_at = now() - interval '1 hour', due_at = now() - interval '1 hour',"
        " sent_at = now() - interval '50 minutes', handled_at = now() - interval '50 minutes'"
    )
    assert await wrong(server_url) == []
    await owner.execute(f"UPDATE outbox SET {mark} = NULL WHERE id = $1", first)
    [sentence] = await wrong(server_url)
    assert f"fact {first} (event.updated) of" in sentence
    assert sentence.endswith(f"was skipped: {says}")
    if mark == "sent_at":  # unless somebody knows of it
        await owner.execute("UPDATE outbox SET parked_at = now() WHERE id = $1", first)
        assert await wrong(server_url) == []


async def test_a_fact_behind_one_that_the_broker_refuses_waits_rightly(
    owner: Any, tenant: Tenant, server_url: str
) -> None:
    show = new_id()
    refused, behind, _ = [await put(owner, tenant.id, "event.updated", each) for each in (show, show, new_id())]
    await owner.execute(
        "UPDATE outbox SET created_at = now() - interval '1 hour', due_at = now() - interval '1 hour',"
        " handled_at = now() - interval '50 minutes', sent_at = now() - interval '50 minutes'"
    )
    await owner.execute("UPDATE outbox SET sent_at = NULL WHERE id = ANY ($1)", [refused, behind])
    assert len(await wrong(server_url)) == 2
    await owner.execute("UPDATE outbox SET attempts = 3, due_at = now() + interval '1 hour' WHERE id = $1", refused)
    assert await wrong(server_url) == []


async def test_a_debt_without_its_fact_is_found(owner: Any, tenant: Tenant, server_url: str) -> None:
    gone = new_id()
    await owner.execute(
        "INSERT INTO owed_reactions VALUES ($1, 'a.reaction', $2, $3, 1, 1, now(), NULL, NULL)",
        tenant.id,
        gone,
        new_id(),
    )
    assert await wrong(server_url) == [f"a.reaction is to retry fact {gone}, which does not exist"]
    await owner.execute("DELETE FROM owed_reactions")
