"""`fullhouse prove` on a sale: silent while all is well, and loud, with the rows by name, when somebody broke it."""

import asyncio
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from fullhouse.cli import main
from fullhouse.config import SETTINGS
from fullhouse.kit.ids import new_id
from tests.fixtures import SECRET_KEY
from tests.holds.helpers import OnSale, convert, hall, places, seats, stage, wish
from tests.races.arena import Arena, arena


async def lived_in(at: Arena) -> tuple[OnSale, list[UUID]]:
    """A show with a hold of each kind: a seat, a place, one sold, one given back, one overdue but not for long."""
    sale = await stage(at.processes[0], at.tenant, hall(1, 10, pit=20), capacity=25)
    me = new_id()
    results = await at.hold(wish(sale, me, *seats(sale, 0, 1, 2), places(sale, "pit", 3)))
    overdue = await at.hold(wish(sale, me, *seats(sale, 3), ttl_s=-30))
    ids = [result.hold_id for result in (*results, *overdue) if result.hold_id]
    assert await convert(at.processes[0], at.tenant, ids[1])
    await at.owner.fetch(
        "SELECT app.end_holds($1, $2, 'cancelled', false, 'system', NULL, NULL, NULL, NULL, NULL, NULL)",
        at.tenant.id,
        [ids[2]],
    )
    return sale, ids


def told(url: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    own = {"DATABASE_URL": url, "FULLHOUSE_SECRET_KEY": SECRET_KEY, "FULLHOUSE_HOME": str(home)}
    for setting in SETTINGS:
        monkeypatch.setenv(setting.name, own.get(setting.name, ""))
    return main.main(["prove"])


@pytest.mark.req("HOLD-2")
async def test_a_sale_that_nobody_broke_is_proven(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async with arena(tmp_path) as at:
        await lived_in(at)
        assert await at.wrong() == {}
        capsys.readouterr()  # what was logged until now
        assert await asyncio.to_thread(told, at.url, tmp_path, monkeypatch) == 0
    lines = capsys.readouterr().out.splitlines()
    assert {line.split()[0] for line in lines} == {"ok"}
    assert {"one holder", "counted", "audited", "on time"} <= {line[3:].strip().split("  ")[0] for line in lines}


HELD = "status = 'held', held_until = app.clock() + interval '5 minutes'"
COPY = (
    "INSERT INTO seat_holds (id, organization_id, event_id, basket_id, user_id, seat_id, zone_id, held_until, source)"
    " SELECT gen_random_uuid(), organization_id, event_id, basket_id, gen_random_uuid(), seat_id, zone_id, held_until,"
    " source FROM seat_holds WHERE id = '{seat}'"
)
# What somebody does, the check that says so, and what it names.
BROKEN: list[tuple[str, str, str]] = [
    (COPY, "one holder", "seat {seat_id} of event {event} has 2 live holds"),
    (
        "UPDATE event_seats SET status = 'sold', ticket_id = gen_random_uuid(), hold_id = NULL, held_until = NULL"
        " WHERE hold_id = '{seat}'",
        "one holder",
        "hold {seat} is live, but seat {seat_id} of event {event} is sold without it",
    ),
    (
        "UPDATE event_seats SET status = 'available', hold_id = NULL, held_until = NULL WHERE hold_id = '{seat}'",
        "one holder",
        "hold {seat} is live, but seat {seat_id} of event {event} is available without it",
    ),
    (
        "UPDATE event_seats SET held_until = held_until + interval '1 hour' WHERE hold_id = '{seat}'",
        "one holder",
        "hold {seat} is live, but seat {seat_id} of event {event} is held until another time",
    ),
    (
        f"UPDATE event_seats SET {HELD}, hold_id = '{{given_back}}' WHERE event_id = '{{event}}' AND ordinal = 2",
        "one holder",
        "is held by {given_back}, which is cancelled",
    ),
    (
        f"UPDATE event_seats SET {HELD}, hold_id = '{{nobody}}' WHERE event_id = '{{event}}' AND ordinal = 7",
        "one holder",
        "is held by {nobody}, which is no hold of it",
    ),
    (
        "UPDATE pools SET held = held + 1 WHERE kind = 'zone' AND held > 0",
        "counted",
        "of event {event} counts 4 held where holds have 3",
    ),
    (
        "UPDATE pools SET held = 0 WHERE kind = 'event'",
        "counted",
        "pool event {event} of event {event} counts 0 held where holds have 5",
    ),
    (
        "UPDATE seat_holds SET status = 'expired' WHERE id = '{place}'",
        "counted",
        "of event {event} counts 3 held where holds have 0",
    ),
    (
        "ALTER TABLE pools DROP CONSTRAINT pools_never_oversold;"
        " UPDATE pools SET sold = 18 WHERE kind = 'zone' AND held > 0",
        "counted",
        "of event {event} has 3 held and 18 sold of 20",
    ),
    (
        "DELETE FROM pools WHERE kind = 'zone' AND held > 0",
        "counted",
        "hold {place} has places in a pool that event {event} does not have",
    ),
    (
        "UPDATE event_seats SET reserved_for = '{nobody}', reserved_until = 'infinity'"
        " WHERE event_id = '{event}' AND ordinal = 8",
        "companions",
        "of event {event} is kept, but nobody has place",
    ),
    (
        "UPDATE event_seats SET reserved_for = '{nobody}', reserved_until = 'infinity', companion_of = '{seat_id}'"
        " WHERE event_id = '{event}' AND ordinal = 8; UPDATE event_zones SET companions_released = true",
        "companions",
        "of event {event} is kept, but its zone has released them",
    ),
    (COPY, "audited", "has no audit row seat_reserved"),
    (
        "UPDATE seat_holds SET status = 'expired' WHERE id = '{place}'",
        "audited",
        "hold {place} has no audit row seat_hold_expired",
    ),
    (
        "UPDATE seat_holds SET held_until = app.clock() - interval '61 seconds' WHERE id = '{overdue}'",
        "on time",
        "hold {overdue} of event {event} was over at ",
    ),
    (
        "UPDATE event_seats SET held_until = app.clock() - interval '61 seconds' WHERE hold_id = '{overdue}'",
        "on time",
        "of event {event} was held until ",
    ),
]


@pytest.mark.req("HOLD-2", "HOLD-4", "AUD-1")
@pytest.mark.parametrize(("breaks", "check", "says"), BROKEN)
async def test_what_somebody_broke_is_named(breaks: str, check: str, says: str, tmp_path: Path) -> None:
    async with arena(tmp_path) as at:
        sale, (seat, _, given_back, place, overdue) = await lived_in(at)
        names: dict[str, Any] = {
            "event": sale.event_id, "seat": seat, "seat_id": sale.seat(0), "given_back": given_back, "place": place,
            "overdue": overdue, "nobody": new_id(),
        }  # fmt: skip
        await at.owner.execute(breaks.format(**names))
        found = await at.wrong()
    assert any(says.format(**names) in sentence for sentence in found.get(check, [])), found


async def test_the_operator_sees_the_row_and_the_shell_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async with arena(tmp_path) as at:
        _, (seat, *_) = await lived_in(at)
        await at.owner.execute(COPY.format(seat=seat))
        assert await asyncio.to_thread(told, at.url, tmp_path, monkeypatch) == 1
    out, err = capsys.readouterr()
    assert "WRONG  one holder" in out
    assert "has 2 live holds" in err
