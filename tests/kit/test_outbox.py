"""A fact, its consequences and its outbox row: one transaction, in order, all or nothing."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar
from uuid import UUID

import msgspec
import pytest

from fullhouse.kit.db.database import WORKER, Tx, connect
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages import outbox
from fullhouse.kit.messages.outbox import Fact, SyncHandler, announce
from fullhouse.kit.services import Services
from tests.fixtures import Tenant


class Opened(Fact, frozen=True, kw_only=True):
    name: ClassVar[str] = "box.opened"
    by: UUID
    times: int = 1


class Closed(Fact, frozen=True, kw_only=True):
    name: ClassVar[str] = "box.closed"
    version: ClassVar[int] = 3


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> Any:
    """`outbox.wire`, taken back after the test."""
    monkeypatch.setattr(outbox, "_sync_handlers", {})

    def wire(table: Mapping[type[Fact], Sequence[SyncHandler]]) -> None:
        outbox.wire(table)

    return wire


async def facts_about(runner: Any, subject_id: UUID) -> list[Any]:
    rows = await runner.fetch("SELECT * FROM outbox WHERE subject_id = $1 ORDER BY seq", subject_id)
    return [dict(row) for row in rows]


async def test_a_fact_is_a_row_of_the_same_transaction(
    services: Services, tenant: Tenant, owner: Any, wire: Any
) -> None:
    box, person = new_id(), new_id()
    async with services.database.tenant(tenant.id) as tx:
        message_id = await announce(tx, Opened(subject_id=box, by=person))
        assert len(await facts_about(tx, box)) == 1
        assert await facts_about(owner, box) == []
    [row] = await facts_about(owner, box)
    assert (row["id"], row["organization_id"], row["name"]) == (message_id, tenant.id, "box.opened")
    assert msgspec.json.decode(row["payload"]) == {
        "version": 1,
        "subject_id": str(box),
        "by": str(person),
        "times": 1,
    }
    assert (row["sent_at"], row["attempts"], row["last_error"]) == (None, 0, None)
    assert row["due_at"] == row["created_at"]


async def test_a_fact_is_taken_back_with_its_transaction(
    services: Services, tenant: Tenant, owner: Any, wire: Any
) -> None:
    box = new_id()
    with pytest.raises(ZeroDivisionError):
        async with services.database.tenant(tenant.id) as tx:
            await announce(tx, Opened(subject_id=box, by=new_id()))
            raise ZeroDivisionError
    assert await facts_about(owner, box) == []


async def test_consequences_run_in_their_order_before_the_row_is_written(
    services: Services, tenant: Tenant, wire: Any
) -> None:
    ran: list[tuple[str, UUID, int]] = []

    def consequence(name: str) -> SyncHandler:
        async def run(tx: Tx, fact: Opened) -> None:
            ran.append((name, fact.subject_id, len(await facts_about(tx, fact.subject_id))))

        return run

    wire({Opened: [consequence("first"), consequence("second"), consequence("third")]})
    box = new_id()
    async with services.database.tenant(tenant.id) as tx:
        await announce(tx, Opened(subject_id=box, by=new_id()))
        await announce(tx, Closed(subject_id=box))
        assert [row["name"] for row in await facts_about(tx, box)] == ["box.opened", "box.closed"]
        assert (await facts_about(tx, box))[1]["payload"]["version"] == 3
    assert ran == [("first", box, 0), ("second", box, 0), ("third", box, 0)]


async def test_a_consequence_may_announce_in_turn(services: Services, tenant: Tenant, wire: Any) -> None:
    async def close(tx: Tx, fact: Opened) -> None:
        await announce(tx, Closed(subject_id=fact.subject_id))

    wire({Opened: [close]})
    box = new_id()
    async with services.database.tenant(tenant.id) as tx:
        await announce(tx, Opened(subject_id=box, by=new_id()))
        assert [row["name"] for row in await facts_about(tx, box)] == ["box.closed", "box.opened"]


async def test_an_exception_in_a_consequence_undoes_everything(
    services: Services, tenant: Tenant, owner: Any, wire: Any
) -> None:
    async def rename(tx: Tx, _fact: Opened) -> None:
        await tx.execute("UPDATE organizations SET name = 'renamed' WHERE id = $1", tx.organization_id)

    async def fail(_tx: Tx, _fact: Opened) -> None:
        raise ZeroDivisionError

    wire({Opened: [rename, fail]})
    box = new_id()
    with pytest.raises(ZeroDivisionError):
        async with services.database.tenant(tenant.id) as tx:
            await announce(tx, Closed(subject_id=box))
            await announce(tx, Opened(subject_id=box, by=new_id()))
    assert await facts_about(owner, box) == []
    assert await owner.fetchval("SELECT name FROM organizations WHERE id = $1", tenant.id) == "Test House"


@pytest.mark.req("TEN-1")
async def test_facts_are_their_organisations_own_and_only_workers_see_all(
    services: Services, tenant: Tenant, other_tenant: Tenant, server_url: str, wire: Any
) -> None:
    box = new_id()
    async with services.database.tenant(tenant.id) as tx:
        await announce(tx, Closed(subject_id=box))
    async with services.database.tenant(other_tenant.id) as tx:
        assert await facts_about(tx, box) == []
    worker = await connect(server_url, WORKER)
    assert len(await facts_about(worker, box)) == 1
    await worker.close()
