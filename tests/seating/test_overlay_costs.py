"""What a show's seating costs: in statements and in indexes, not in seconds."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from fullhouse.kit.db.database import Tx
from fullhouse.kit.services import Services
from fullhouse.seating import store
from fullhouse.seating.model import AttachLayout
from fullhouse.seating.overlay import actions
from tests.accounts.helpers import data
from tests.events.helpers import draft
from tests.fixtures import Client, Tenant
from tests.seating.helpers import (
    attach,
    make_layout,
    rows_of,
    seat_of,
    seated_show,
)


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


@pytest.mark.req("SEAT-3")
async def test_attaching_is_one_statement_for_all_seats(
    admin: Client, services: Services, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many statements for a thousand seats as for five."""

    async def statements(rows: int) -> list[str]:
        layout = await make_layout(admin, rows_of(*((f"R{n}", 5) for n in range(rows))))
        event = await draft(admin, venue_id=layout["venue_id"], name=f"Show {rows}")
        ran: list[str] = []
        async with services.database.tenant(tenant.id) as tx:
            for verb in ("fetch", "fetchrow", "fetchval", "execute"):
                _record(tx, verb, ran)
            await actions.attach(tx, UUID(event["id"]), AttachLayout(layout_id=UUID(layout["id"])), None)
        return ran

    few, many = await statements(1), await statements(90)
    assert few == many
    assert sum("INSERT INTO event_seats" in text for text in many) == 1


def _record(tx: Tx, verb: str, ran: list[str]) -> None:
    run = getattr(tx, verb)

    async def recorded(query: str, *args: Any, **more: Any) -> Any:
        ran.append(query)
        return await run(query, *args, **more)

    setattr(tx, verb, recorded)


LOOK_UPS: dict[str, tuple[str, Callable[..., dict[str, Any]]]] = {
    "seat_of_event": ("event_seats_pkey", lambda e, s: {"event_id": e, "seat_id": s}),
    "list_seats": ("seats_pkey", lambda e, _: {"event_id": e, "first_ordinal": 2000, "end_ordinal": 3000, "limit": 51}),
    "lock_seats": ("event_seats_pkey", lambda e, s: {"event_id": e, "seat_ids": [s]}),
    "seat_states": ("event_seats_pkey", lambda e, _: {"event_id": e}),
}


@pytest.mark.parametrize("name", LOOK_UPS)
async def test_seats_are_found_by_their_keys(
    name: str, admin: Client, services: Services, tenant: Tenant, owner: Any
) -> None:
    plan = rows_of(*((f"R{n}", 100) for n in range(40)))
    event, layout = await seated_show(admin, plan)
    for n in range(4):
        other = await draft(admin, venue_id=layout["venue_id"], name=f"Show {n}")
        data(await attach(admin, other, layout))
    await owner.execute("ANALYZE seats, event_seats, event_layouts")
    index, arguments = LOOK_UPS[name]
    query = getattr(store, name).query
    async with services.database.tenant(tenant.id) as tx:
        asked = arguments(UUID(event["id"]), await seat_of(owner, event, "R20-7"))
        plan_rows = await tx.fetch(f"EXPLAIN {query.text}", *query.arguments(tenant.id, **asked))
    explained = "\n".join(row[0] for row in plan_rows)
    assert index in explained, explained
    assert "Seq Scan on seats" not in explained
    assert "Seq Scan on event_seats" not in explained
