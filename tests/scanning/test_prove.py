"""`fullhouse prove` at the gates: silent while all is well, and loud, with the rows by name, when somebody broke it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.accounts.helpers import data
from tests.fixtures import Client, Tenant
from tests.scanning.helpers import Door, device, door, scan, seen, tell, wrong

pytestmark = pytest.mark.req("SCAN-2", "SCAN-4")
UNGUARDED = "SET LOCAL session_replication_role = replica"  # the audit defends itself


async def lived_in(client: Client, tenant: Tenant) -> tuple[Door, dict[str, str]]:
    """Somebody inside, somebody who left by another gate, a double entry, and one with a ticket that was void."""
    at = await door(client, tenant, 0, 1, pit=3)
    (a, a_told), (b, b_told) = await device(at, client, "A"), await device(at, client, "B")
    seats = [ticket for ticket in at.tickets if ticket["seat_id"]]
    double, void, unused = (ticket for ticket in at.tickets if not ticket["seat_id"])
    first = await scan(a, seats[0], counter=1)
    await scan(a, seats[1])
    await scan(b, seats[1], direction="out")
    await scan(a, seats[0], override={"reason": "Went out by the fire door"})
    data(await at.staff.post(f"/api/tickets/{void['id']}/cancel", json={"reason": "Printed twice"}))
    now = datetime.now(UTC)
    await tell(a, seen(double, 2, now - timedelta(minutes=9)), now=now)
    await tell(b, seen(double, 3, now - timedelta(minutes=8)), seen(void, 4, now), now=now)
    named = {"inside": seats[0], "left": seats[1], "double": double, "void": void, "unused": unused}
    ids = {name: ticket["id"] for name, ticket in named.items()}
    more = {"a": a_told["device"]["id"], "b": b_told["device"]["id"], "gate": at.gates["A"], "scan": first["scan_id"]}
    return at, ids | more | {"event": at.event["id"]}


async def test_gates_that_nobody_tampered_with_are_proven(client: Client, tenant: Tenant, owner: Any) -> None:
    at, _ = await lived_in(client, tenant)
    assert await wrong(owner, at) == {}


# What somebody does, the check that says so, and what it names.
BROKEN: list[tuple[str, str, str]] = [
    (
        "UPDATE ticket_presence SET entries = 7 WHERE ticket_id = '{inside}'",
        "present",
        "ticket {inside} stands inside after 7 entries, 2 of them on its last day; its scans say inside, 2 and 2",
    ),
    (
        "UPDATE ticket_presence SET entries_today = 0 WHERE ticket_id = '{inside}'",
        "present",
        "ticket {inside} stands inside after 2 entries, 0 of them on its last day; its scans say inside, 2 and 2",
    ),
    (
        "UPDATE ticket_presence SET inside = true WHERE ticket_id = '{left}'",
        "present",
        "ticket {left} stands inside after 1 entries, 1 of them on its last day; its scans say outside, 1 and 1",
    ),
    (
        "DELETE FROM ticket_presence WHERE ticket_id = '{double}'",
        "present",
        "ticket {double} stands outside after 0 entries, 0 of them on its last day; its scans say inside, 2 and 2",
    ),
    (
        "UPDATE scans SET undone_at = now() WHERE ticket_id = '{left}' AND direction = 'out'",
        "present",
        "ticket {left} stands outside after 1 entries, 1 of them on its last day; its scans say inside, 1 and 1",
    ),
    (
        "DROP INDEX scans_one_a_step; UPDATE scans SET version = 1 WHERE ticket_id = '{left}'",
        "present",
        "step 1 of ticket {left} was taken 2 times",
    ),
    (
        "UPDATE tickets SET status = 'used' WHERE id = '{unused}'",
        "present",
        "ticket {unused} is used, and nobody came in with it",
    ),
    (
        "UPDATE scan_counts SET inside = 9 WHERE event_id = '{event}' AND kind = 'event'",
        "occupied",
        "event {event} of event {event} counts 9 inside and 6 entries on {day}, its scans say 3 and 6",
    ),
    (
        "UPDATE scan_counts SET entered = 0 WHERE event_id = '{event}' AND ref_id = '{gate}'",
        "occupied",
        "gate {gate} of event {event} counts 2 inside and 0 entries on {day}, its scans say 2 and 4",
    ),
    (
        "DELETE FROM scan_counts WHERE event_id = '{event}' AND ref_id = '{gate}'",
        "occupied",
        "gate {gate} of event {event} counts 0 inside and 0 entries on {day}, its scans say 2 and 4",
    ),
    (
        "INSERT INTO scan_counts SELECT organization_id, event_id, day + 1, kind, ref_id, 1, 1 FROM scan_counts"
        " WHERE event_id = '{event}' AND ref_id = '{gate}'",
        "occupied",
        "gate {gate} of event {event} counts 1 inside and 1 entries on {tomorrow}, its scans say 0 and 0",
    ),
    (
        "UPDATE tickets SET voided_at = voided_at - interval '2 minutes' WHERE id = '{void}';"
        " DELETE FROM scan_incidents WHERE ticket_id = '{void}'",
        "admitted",
        "ticket {void} was cancelled at ",
    ),
    (
        "DELETE FROM scan_incidents WHERE ticket_id = '{double}'",
        "admitted",
        "ticket {double} lets in once, and let in 2 times with 0 incidents",
    ),
    (
        f"{UNGUARDED}; DELETE FROM audit_log WHERE after ->> 'scan_id' = '{{scan}}'",
        "scanned",
        "scan {scan} of ticket {inside} has no audit row",
    ),
    (
        "DELETE FROM scans WHERE id = '{scan}'",
        "scanned",
        "scan {scan} of ticket {inside} is in the audit, and not there",
    ),
    (
        "DELETE FROM scans WHERE ticket_id = '{void}'",
        "scanned",
        "device {b} has told 2 scans, and 1 are there",
    ),
    (
        f"{UNGUARDED}; DELETE FROM audit_log WHERE action = 'scan_device.merged' AND entity_id = '{{a}}'",
        "scanned",
        "device {a} has told 0 scans, and 1 are there",
    ),
]


async def test_what_somebody_broke_is_named(client: Client, tenant: Tenant, owner: Any) -> None:
    at, ids = await lived_in(client, tenant)
    today = await owner.fetchval("SELECT max(day) FROM scan_counts WHERE event_id::text = $1", ids["event"])
    names = ids | {"day": str(today), "tomorrow": str(today + timedelta(days=1))}
    for statement, check, sentence in BROKEN:
        found = await wrong(owner, at, statement.format(**names))
        said = [each for each in found.get(check, []) if each.startswith(sentence.format(**names))]
        assert len(said) == 1, (statement, found)
    assert await wrong(owner, at) == {}


async def test_a_void_ticket_that_is_an_incident_is_none_of_it(client: Client, tenant: Tenant, owner: Any) -> None:
    at, ids = await lived_in(client, tenant)
    long_ago = f"UPDATE tickets SET voided_at = voided_at - interval '2 minutes' WHERE id = '{ids['void']}'"
    assert await wrong(owner, at, long_ago) == {}
