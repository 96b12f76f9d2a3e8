"""Seats that staff take out of the sale, and give back to it."""

from typing import Any
from uuid import UUID

import msgspec
import pytest

from fullhouse.kit.db.database import Tx
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages import outbox
from fullhouse.seating import facts
from fullhouse.seating.plans.plan import Group, Plan
from tests.accounts.helpers import audited, data, refused
from tests.fixtures import Client, Tenant
from tests.seating.helpers import (
    hold,
    rows_of,
    seat_of,
    seated_show,
    sell,
    states_of,
)

SEATS = ["A-1", "A-2", "A-3", "A-4", "A-5"]


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


class Recorder:
    """Stands in for the holds: writes down the fact, and what the seats look like from inside the transaction."""

    def __init__(self) -> None:
        self.seen: list[tuple[facts.SeatsBlocked, dict[str, str]]] = []

    async def __call__(self, tx: Tx, fact: facts.SeatsBlocked) -> None:
        rows = await tx.fetch("SELECT seat_id, status FROM event_seats WHERE seat_id = ANY ($1)", fact.seat_ids)
        self.seen.append((fact, {str(row["seat_id"]): row["status"] for row in rows}))


@pytest.fixture
def recorder(admin: Client, monkeypatch: pytest.MonkeyPatch) -> Recorder:
    monkeypatch.setattr(outbox, "_sync_handlers", outbox._sync_handlers)
    listening = Recorder()
    outbox.wire({facts.SeatsBlocked: [listening]})
    return listening


@pytest.mark.req("SEAT-7", "AUD-1")
async def test_staff_block_seats_and_open_them_again(
    admin: Client, client: Client, tenant: Tenant, owner: Any, recorder: Recorder
) -> None:
    event, _ = await seated_show(admin)
    staff = client.as_(tenant.tokens["staff"])
    hold_id = await hold(owner, event, "A-4")
    ids = [str(await seat_of(owner, event, key)) for key in ("A-3", "A-4")]
    path = f"/api/events/{event['id']}/seats"
    for reason in ({}, {"reason": ""}, {"reason": " "}):
        assert (await staff.post(f"{path}/block", json={"seat_ids": ids, **reason})).status_code == 422
    wish = {"seat_ids": [*ids, ids[0]], "reason": "Camera"}
    assert data(await staff.post(f"{path}/block", json=wish)) == {"blocked": 2}
    assert await states_of(owner, event) == dict.fromkeys(SEATS, "available") | {"A-3": "blocked", "A-4": "blocked"}
    ((fact, then),) = recorder.seen
    assert (fact.blocked, fact.reason) == (True, "Camera")
    assert then == {ids[0]: "available", ids[1]: "held"}  # whoever holds it can still give it back
    row = await owner.fetchrow("SELECT hold_id, held_until FROM event_seats WHERE seat_id::text = $1", ids[1])
    assert (row["hold_id"], row["held_until"]) == (None, None)
    assert hold_id
    assert data(await staff.post(f"{path}/block", json=wish)) == {"blocked": 0}
    assert len(recorder.seen) == 1  # nothing happened, nothing is said
    assert data(await staff.post(f"{path}/unblock", json=wish | {"reason": "Camera gone"})) == {"unblocked": 2}
    assert set((await states_of(owner, event)).values()) == {"available"}
    (blocked,), (opened,) = (
        await audited(owner, tenant, "seats.blocked"),
        await audited(owner, tenant, "seats.unblocked"),
    )
    assert (blocked["reason"], opened["reason"]) == ("Camera", "Camera gone")
    assert blocked["actor_id"] == tenant.people["staff"].id


@pytest.mark.req("SEAT-7")
async def test_a_sold_seat_stays_sold(admin: Client, owner: Any, recorder: Recorder) -> None:
    event, _ = await seated_show(admin)
    await sell(owner, event, "A-4")
    ids = [str(await seat_of(owner, event, key)) for key in ("A-3", "A-4")]
    for verb in ("block", "unblock"):
        path = f"/api/events/{event['id']}/seats/{verb}"
        answer = await admin.post(path, json={"seat_ids": ids, "reason": "x"})
        assert refused(answer) == (409, "seat_sold")
        assert answer.json()["seat_ids"] == [ids[1]]
        strange = {"seat_ids": [str(new_id())], "reason": "x"}
        assert refused(await admin.post(path, json=strange)) == (404, "seat_not_found")
        assert refused(await admin.post(path.replace(event["id"], str(new_id())), json=strange)) == (404, "not_found")
    assert (await states_of(owner, event))["A-3"] == "available"
    assert recorder.seen == []


async def test_many_seats_fit_into_one_request(admin: Client) -> None:
    event, layout = await seated_show(admin, rows_of(*((f"R{n}", 100) for n in range(30))))
    first = UUID(layout["id"]).int >> 32 << 32
    ids = [str(UUID(int=first | n)) for n in range(3000)]
    wish = {"seat_ids": ids, "reason": "Balcony closed"}
    assert data(await admin.post(f"/api/events/{event['id']}/seats/block", json=wish)) == {"blocked": 3000}


# --- groups


def with_an_allotment() -> Plan:
    plan = rows_of(("A", 6))
    block = Group(key="sponsors", group_type="reserved_block", seats=("A-1", "A-2", "A-3"))
    family = Group(key="family", group_type="family_block", seats=("A-5", "A-6"))
    return msgspec.structs.replace(plan, groups=(block, family))


@pytest.mark.req("SEAT-5", "SEAT-7")
async def test_an_allotment_is_kept_until_it_is_opened(admin: Client, owner: Any, tenant: Tenant) -> None:
    event, _ = await seated_show(admin, with_an_allotment(), status="draft")
    kept = dict.fromkeys(["A-1", "A-2", "A-3"], "blocked") | dict.fromkeys(["A-4", "A-5", "A-6"], "available")
    assert await states_of(owner, event) == kept
    path = f"/api/events/{event['id']}/seats"
    wish = {"groups": ["sponsors"], "reason": "They sent it back"}
    assert data(await admin.post(f"{path}/unblock", json=wish)) == {"unblocked": 3}
    assert set((await states_of(owner, event)).values()) == {"available"}
    (opened,) = await audited(owner, tenant, "seats.unblocked")
    assert len(msgspec.json.decode(opened["after"])["seat_ids"]) == 3
    assert data(await admin.post(f"{path}/block", json={"groups": ["family"], "reason": "Camera"})) == {"blocked": 2}


@pytest.mark.req("SEAT-5")
async def test_groups_that_are_not_there_and_choices_of_nothing(admin: Client, owner: Any) -> None:
    event, _ = await seated_show(admin, with_an_allotment())
    path = f"/api/events/{event['id']}/seats/unblock"
    before = await states_of(owner, event)
    assert refused(await admin.post(path, json={"groups": ["sponsors", "x"], "reason": "r"})) == (
        404,
        "seat_group_not_found",
    )
    nothing = await admin.post(path, json={"reason": "r"})
    assert nothing.status_code == 422
    assert nothing.json()["fields"] == [{"path": "seat_ids", "message": "Name at least one seat or group of seats."}]
    assert await states_of(owner, event) == before
