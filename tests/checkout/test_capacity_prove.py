"""`fullhouse prove` adds up tickets and holds itself, and compares them with every limit: counters are no proof."""

from typing import Any

import pytest

from fullhouse import prove
from tests.accounts.helpers import data
from tests.checkout.helpers import bought, selling
from tests.checkout.test_capacity import limit_venue, take, take_seats, two_types
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest, hall

pytestmark = pytest.mark.req("EV-2", "TT-1", "ZONE-1", "BUY-1", "CAP-1", "PROVE-1")
UNGUARDED = "SET LOCAL session_replication_role = replica"  # the triggers would mend it
EVENT_POOL = "event_id = '{event}' AND kind = 'event'"
# What somebody does, the one check that sees it, and what it says.
BROKEN: list[tuple[str, str, str]] = [
    (
        f"UPDATE events SET capacity = 3 WHERE id = '{{event}}'; UPDATE pools SET shrinks_to = 3 WHERE {EVENT_POOL}",
        "taken",
        "event {event}: 6 places are held and sold where the event admits 3",
    ),
    (
        "UPDATE events SET capacity = 0 WHERE id = '{event}';"
        " UPDATE venues SET max_capacity = 5 WHERE id = (SELECT venue_id FROM events WHERE id = '{event}');"
        f" UPDATE pools SET shrinks_to = 5 WHERE {EVENT_POOL}",
        "taken",
        "event {event}: 6 places are held and sold where its venue admits 5",
    ),
    (
        f"UPDATE events SET capacity = 9 WHERE id = '{{event}}'; UPDATE pools SET capacity = 8 WHERE {EVENT_POOL}",
        "taken",
        "event {event} has a capacity of 9 where its venue admits 8",
    ),
    (
        "UPDATE event_zones SET capacity = 1 WHERE zone_id = '{pit}' AND event_id = '{seated}';"
        " UPDATE pools SET shrinks_to = 1 WHERE ref_id = '{pit}'",
        "taken",
        "event {seated}: 2 places are held and sold where zone pit admits 1",
    ),
    (
        "UPDATE event_zones SET capacity = 1 WHERE zone_key = 'hall' AND event_id = '{seated}';"
        " UPDATE pools p SET shrinks_to = 1 FROM event_zones z WHERE z.zone_id = p.ref_id AND z.zone_key = 'hall'"
        " AND p.event_id = '{seated}' AND z.event_id = '{seated}'",
        "taken",
        "event {seated}: 3 places are held and sold where zone hall admits 1",
    ),
    (
        "UPDATE ticket_types SET quantity = 3 WHERE id = '{entry}';"
        " UPDATE pools SET shrinks_to = 3 WHERE ref_id = '{entry}'",
        "taken",
        "event {event}: 4 places are held and sold where ticket type {entry} admits 3",
    ),
    (
        f"DELETE FROM pools WHERE {EVENT_POOL}",
        "limited",
        "event {event} has no pool for event {event}, which is limited to 6",
    ),
    (
        f"UPDATE pools SET capacity = 7 WHERE {EVENT_POOL}",
        "limited",
        "event {event} has a pool of 7 for event {event}, which is limited to 6",
    ),
    (
        "UPDATE events SET capacity = 0, venue_id = NULL WHERE id = '{event}'",
        "limited",
        "event {event} has a pool for event {event}, which nothing limits",
    ),
    (
        "DELETE FROM pools WHERE ref_id = '{entry}'",
        "limited",
        "event {event} has no pool for ticket_type {entry}, which is limited to 4",
    ),
    (
        "UPDATE pools SET capacity = 9 WHERE ref_id = '{pit}'",
        "limited",
        "event {seated} has a pool of 9 for zone {pit}, which is limited to 2",
    ),
]


async def found(owner: Any, *broken: str) -> dict[str, list[str]]:
    """What each check says after somebody did this; which is then taken back."""
    undo = owner.transaction()
    await undo.start()
    try:
        for statement in broken:
            await owner.execute(statement)
        await owner.execute("SET LOCAL ROLE fullhouse_auditor")
        said = {check.name: await check.find(owner) for check in prove.CHECKS if check.name != "on time"}
    finally:
        await undo.rollback()
    return {name: sentences for name, sentences in said.items() if sentences}


async def test_an_oversale_is_seen_whatever_the_counters_say(
    client: Client, staff: Client, tenant: Tenant, owner: Any
) -> None:
    sale = await two_types(staff, 4, 2, most=8, capacity=6)
    await bought(client, tenant, sale, entry=4)
    data(await take(await guest(client, tenant), sale, "late", 2), 201)
    seated = await selling(staff, hall(1, 5, pit=2))
    await bought(client, tenant, seated, 0, 1, pit=2)
    data(await take_seats(await guest(client, tenant), seated, 2), 201)
    names = {
        "event": sale.event_id, "entry": sale.types["entry"], "seated": seated.event_id,
        "pit": seated.show.zones["pit"],
    }  # fmt: skip
    before = await found(owner)  # what other tests have left in this database is none of these events'
    assert not [one for said in before.values() for one in said if any(str(about) in one for about in names.values())]
    for statement, check, sentence in BROKEN:
        said = await found(owner, UNGUARDED, statement.format(**names))
        said = {name: sentences for name, sentences in said.items() if sentences != before.get(name)}
        assert said == {check: [sentence.format(**names)]}, statement
    hidden = (
        "UPDATE events SET capacity = 3 WHERE id = '{event}';"
        f" UPDATE pools SET held = 0, sold = 0, capacity = 3 WHERE {EVENT_POOL}"
    )
    said = await found(owner, UNGUARDED, hidden.format(**names))
    assert BROKEN[0][2].format(**names) in said["taken"]
    data(await limit_venue(sale, 7))  # not among them: an edit that is right
    assert await found(owner) == before
