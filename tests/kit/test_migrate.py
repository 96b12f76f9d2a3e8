"""Migrations on databases of their own: once, in order, whole or not at all, and never backwards."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from scripts import checksums

from fullhouse.kit.ids import new_id
from fullhouse.kit.migrate import CHECKSUMS, FOLDER, FORMER, MigrationError, accept, in_words, known, migrate, pending

ALL = [migration.name for migration in known()]


@asynccontextmanager
async def looking_at(url: str) -> AsyncIterator[Any]:
    connection = await asyncpg.connect(url)
    try:
        yield connection
    finally:
        await connection.close()


async def applied(url: str) -> list[str]:
    async with looking_at(url) as connection:
        return [row["name"] for row in await connection.fetch("SELECT name FROM app.migrations ORDER BY number")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the migrations, to be altered: as if no file had been released yet."""
    return Path(shutil.copytree(FOLDER, tmp_path / "migrations", ignore=shutil.ignore_patterns("__*", CHECKSUMS)))


@pytest.fixture
async def plain_owner(empty_database: str) -> AsyncIterator[str]:
    """An address of the same database for its owner, who is no superuser and may not create roles."""
    name = f"owner_{new_id().hex}"
    async with looking_at(empty_database) as connection:
        database = await connection.fetchval("SELECT current_database()")
        await connection.execute(f"CREATE ROLE {name}; ALTER DATABASE {database} OWNER TO {name}")
        yield f"{empty_database}&role={name}"
        await connection.execute(f"ALTER DATABASE {database} OWNER TO CURRENT_USER; DROP OWNED BY {name} CASCADE")
        await connection.execute(f"DROP ROLE {name}")


async def test_an_empty_database_gets_everything_once(empty_database: str) -> None:
    async with looking_at(empty_database) as connection:
        assert await pending(connection) == ALL
        assert await migrate(empty_database) == ALL
        assert await pending(connection) == []
    assert await migrate(empty_database) == []
    assert await applied(empty_database) == ALL


async def test_two_at_once_share_the_work(empty_database: str) -> None:
    first, second = await asyncio.gather(migrate(empty_database), migrate(empty_database))
    assert sorted([first, second]) == [[], ALL]
    assert await applied(empty_database) == ALL


async def test_a_new_migration_is_applied_to_an_old_database(empty_database: str, folder: Path) -> None:
    await migrate(empty_database)
    name = f"{len(ALL) + 1:04}_more"
    (folder / f"{name}.sql").write_text("CREATE TABLE more ();")
    assert await migrate(empty_database, folder=folder) == [name]
    assert await applied(empty_database) == [*ALL, name]


@pytest.mark.req("OPS-2")
async def test_a_changed_file_is_refused(empty_database: str, folder: Path) -> None:
    await migrate(empty_database, folder=folder)
    first = sorted(folder.glob("*.sql"))[0]
    first.write_text(first.read_text() + "-- an afterthought\n")
    with pytest.raises(MigrationError, match=rf"{first.stem} was changed after it had been applied .*restore it"):
        await migrate(empty_database, folder=folder)


@pytest.mark.req("OPS-2")
async def test_whoever_knows_better_accepts_what_was_applied(empty_database: str, folder: Path) -> None:
    await migrate(empty_database, folder=folder)
    first = sorted(folder.glob("*.sql"))[0]
    first.write_text(first.read_text() + "-- an afterthought\n")
    with pytest.raises(MigrationError, match=rf"fullhouse migrate --accept {first.stem}`, and then `fullhouse doctor`"):
        await migrate(empty_database, folder=folder)
    with pytest.raises(MigrationError, match="0099_none is no migration that was applied"):
        await accept(empty_database, "0099_none", folder)
    await accept(empty_database, first.stem, folder)
    assert await migrate(empty_database, folder=folder) == []


@pytest.mark.req("OPS-2")
async def test_a_database_from_before_0049_was_edited_goes_on(empty_database: str, folder: Path) -> None:
    """The file was released with another comment: what was applied then is what is applied now."""
    path = folder / "0049_readers.sql"
    now = path.read_text()
    said = "-- what they signed in with the last time, or else first bought or waited with; whoever is not here is "
    before = "-- what they bought, waited or signed in with the last time; whoever is not here is "
    former = now.replace(said, before).replace("written to as the\n-- organisation", "written to as the organisation")
    later = {each: each.read_text() for each in folder.glob("[0-9]*.sql") if each.name > path.name}
    for each in later:
        each.unlink()
    path.write_text(former)
    await migrate(empty_database, folder=folder)
    path.write_text(now)
    for each, text in later.items():
        each.write_text(text)
    assert await migrate(empty_database, folder=folder) == sorted(each.stem for each in later)
    assert await migrate(empty_database) == []  # the installed ones say so too
    (folder / FORMER).unlink()
    with pytest.raises(MigrationError, match="0049_readers was changed"):
        await migrate(empty_database, folder=folder)


@pytest.mark.req("OPS-2")
async def test_a_file_that_is_not_the_released_one_is_not_applied(empty_database: str, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(FOLDER, tmp_path / "as released"))
    assert checksums.main([], folder) == 0
    path = folder / "0002_accounts.sql"
    path.write_text(path.read_text() + "-- an afterthought\n")
    with pytest.raises(MigrationError, match=r"0002_accounts\.sql is not the file that was released"):
        await migrate(empty_database, folder=folder)
    async with looking_at(empty_database) as connection:
        assert await connection.fetchval("SELECT to_regclass('app.migrations')") is None


@pytest.mark.req("OPS-2")
def test_released_files_stay_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The list in the repository has every file; a new one is added to it, a changed one never."""
    assert checksums.main([]) == 0
    folder = Path(shutil.copytree(FOLDER, tmp_path / "copied"))
    (folder / f"{len(ALL) + 1:04}_more.sql").write_text("SELECT 1;")
    assert checksums.main([], folder) == 1
    assert checksums.main(["--write"], folder) == 0 == checksums.main([], folder)
    first = sorted(folder.glob("*.sql"))[0]
    first.write_text("SELECT 2;")
    assert checksums.main(["--write"], folder) == 1
    assert capsys.readouterr().out.splitlines()[-1] == (
        "0001_ground: changed after release. Restore it, and write a new migration."
    )


@pytest.mark.req("OPS-2")
async def test_a_newer_database_is_refused_with_a_way_out(empty_database: str, folder: Path) -> None:
    name = f"{len(ALL) + 1:04}_future"
    (folder / f"{name}.sql").write_text("SELECT 1;")
    await migrate(empty_database, folder=folder)
    with pytest.raises(MigrationError, match=rf"written by a newer fullhouse \(it has {name};.*Update fullhouse"):
        await migrate(empty_database)
    assert await applied(empty_database) == [*ALL, name]


async def test_a_failing_migration_leaves_nothing_and_can_be_repeated(empty_database: str, folder: Path) -> None:
    bad = folder / f"{len(ALL) + 1:04}_bad.sql"
    bad.write_text("CREATE TABLE half (); SELECT 1 / 0;")
    with pytest.raises(asyncpg.DivisionByZeroError):
        await migrate(empty_database, folder=folder)
    assert await applied(empty_database) == ALL
    async with looking_at(empty_database) as connection:
        assert await connection.fetchval("SELECT to_regclass('half')") is None
    bad.write_text("CREATE TABLE half ();")
    assert await migrate(empty_database, folder=folder) == [bad.stem]


async def test_a_first_migration_that_fails_leaves_an_empty_database(empty_database: str, folder: Path) -> None:
    first = sorted(folder.glob("*.sql"))[0]
    first.write_text(first.read_text() + "SELECT 1 / 0;")
    with pytest.raises(asyncpg.DivisionByZeroError):
        await migrate(empty_database, folder=folder)
    assert await migrate(empty_database) == ALL


def test_numbers_have_no_gap(folder: Path) -> None:
    (folder / f"{len(ALL) + 2:04}_too_far.sql").write_text("SELECT 1;")
    with pytest.raises(MigrationError, match="without a gap"):
        known(folder)


async def test_an_owner_needs_no_special_right_once_the_roles_exist(empty_database: str, plain_owner: str) -> None:
    await migrate(empty_database, folder=Path("/nowhere"))  # makes the roles, and nothing else
    assert await migrate(plain_owner) == ALL


async def test_an_owner_without_special_rights_migrates_what_is_there(
    empty_database: str, plain_owner: str, folder: Path
) -> None:
    """Row-level security binds the owner too. What is public before there are ranks has one afterwards."""
    await migrate(empty_database, folder=Path("/nowhere"))
    later = [path for path in sorted(folder.glob("*.sql")) if path.name >= "0007"]
    texts = {path: path.read_text() for path in later}
    for path in later:
        path.unlink()
    await migrate(plain_owner, folder=folder)
    async with looking_at(empty_database) as connection:
        await connection.execute(_PUBLIC_SHOW)
    for path, text in texts.items():
        path.write_text(text)
    assert await migrate(plain_owner, folder=folder) == [path.stem for path in later]
    async with looking_at(empty_database) as connection:
        rows = await connection.fetch("SELECT heat, rank FROM event_stats JOIN public_ranks USING (event_id)")
        assert len(rows) == 1
        unforced = "SELECT relname FROM pg_class WHERE relrowsecurity AND NOT relforcerowsecurity"
        assert await connection.fetch(unforced) == []


async def test_events_stopped_without_a_reason_get_one_that_says_so(
    empty_database: str, plain_owner: str, folder: Path
) -> None:
    await migrate(empty_database, folder=Path("/nowhere"))
    [since] = folder.glob("*_event_service.sql")
    texts = {path: path.read_text() for path in sorted(folder.glob("*.sql")) if path.name >= since.name}
    for path in texts:
        path.unlink()
    await migrate(plain_owner, folder=folder)
    async with looking_at(empty_database) as connection:
        await connection.execute(_PUBLIC_SHOW)
        await connection.execute("UPDATE events SET status = 'cancelled', created_at = created_at - interval '1 day'")
        await connection.execute("UPDATE public_events SET changed_at = changed_at")
        changed = await connection.fetchval("SELECT changed_at FROM public_events")
    for path, text in texts.items():
        path.write_text(text)
    assert await migrate(plain_owner, folder=folder) == [path.stem for path in texts]
    async with looking_at(empty_database) as connection:
        assert await connection.fetchval("SELECT cancellation_reason FROM events") == "No reason was recorded."
        same = "SELECT p.created_at = e.created_at FROM public_events p JOIN events e ON e.id = p.event_id"
        assert await connection.fetchval(same)
        assert await connection.fetchval("SELECT changed_at FROM public_events") == changed


_PUBLIC_SHOW = """
INSERT INTO organizations (id, slug, name) VALUES ('00000000-0000-7000-8000-000000000001', 'house', 'House');
INSERT INTO events (id, organization_id, slug, name, description, category, status, start_at, end_at, doors_at,
                    sale_start_at, sale_end_at, venue_name, city, country, timezone, dedupe_key, published_at)
SELECT '00000000-0000-7000-9000-000000000001', id, 'show', 'Show', 'A show.', 'theatre', 'published', later,
       later + interval '2 hours', later, app.clock(), later, 'Hall', 'Gent', 'BE', 'UTC', 'key', app.clock()
FROM organizations, (SELECT app.clock() + interval '9 days' AS later) AS moment;
INSERT INTO public_events (event_id, organization_id, slug, title, description, category, status, venue_name, city,
                           city_norm, country, timezone, start_at, end_at, first_start_at, sale_start_at, sale_end_at,
                           capacity, published_at, search)
SELECT id, organization_id, slug, name, description, category, status, venue_name, city, 'gent', country, timezone,
       start_at, end_at, start_at, sale_start_at, sale_end_at, capacity, published_at, to_tsvector('simple', name)
FROM events;
"""


# Of each event: its capacity, its venue's, what is held and sold, and the pool that it had before. Then the one it has.
_LIMITED: dict[str, tuple[tuple[int, int, int, int, int | None], tuple[int, int, int, int | None] | None]] = {
    "itself": ((6, 0, 2, 1, None), (6, 2, 1, None)),
    "its venue": ((0, 4, 0, 3, None), (4, 0, 3, None)),
    "the least of both": ((9, 5, 1, 0, 9), (5, 1, 0, None)),
    "none": ((0, 0, 1, 1, None), None),
    "oversold": ((3, 0, 2, 4, None), (6, 2, 4, 3)),
    "oversold in its venue": ((9, 2, 1, 2, 9), (3, 1, 2, 2)),
}


async def test_events_get_the_pools_of_their_limits(empty_database: str, plain_owner: str, folder: Path) -> None:
    """Also where more was sold before than a limit admits: such a pool shrinks with what is given back, down to it."""
    await migrate(empty_database, folder=Path("/nowhere"))
    first = next(path.name for path in folder.glob("*_event_pools.sql"))
    texts = {path: path.read_text() for path in sorted(folder.glob("*.sql")) if path.name >= first}
    for path in texts:
        path.unlink()
    await migrate(plain_owner, folder=folder)
    async with looking_at(empty_database) as connection:
        await connection.execute(_PUBLIC_SHOW + "DELETE FROM public_events; DELETE FROM events")
        for name, (before, _) in _LIMITED.items():
            await connection.execute("SET session_replication_role = replica")
            await connection.execute(_LIMITED_EVENT.format(name=name, **dict(zip("cmhsp", before, strict=True))))
    for path, text in texts.items():
        path.write_text(text)
    await migrate(plain_owner, folder=folder)
    pools = "SELECT e.name, p.capacity, p.held, p.sold, p.shrinks_to FROM pools p JOIN events e ON e.id = p.event_id"
    async with looking_at(empty_database) as connection:
        found = {row["name"]: tuple(row)[1:] for row in await connection.fetch(pools)}
        assert found == {name: pool for name, (_, pool) in _LIMITED.items() if pool}
        shrunk = []
        for change in ("sold = sold - 1", "held = 0", "sold = sold - 1", "sold = sold - 1", "held = 1"):
            query = f"UPDATE pools SET {change} WHERE shrinks_to = 3 OR sold < 4 AND capacity = 3 RETURNING capacity"
            shrunk.append(await connection.fetchval(query))
        assert shrunk == [5, 3, 3, 3, 3]
        with pytest.raises(asyncpg.CheckViolationError):
            await connection.execute("UPDATE pools SET held = 9")


_LIMITED_EVENT = """
INSERT INTO venues (id, organization_id, slug, name, kind, timezone, city, country, max_capacity)
SELECT gen_random_uuid(), id, 'v-' || md5('{name}'), '{name}', 'virtual', 'UTC', 'Gent', 'BE', {m} FROM organizations;
INSERT INTO events (id, organization_id, venue_id, slug, name, description, category, status, start_at, end_at,
                    doors_at, sale_start_at, sale_end_at, venue_name, city, country, timezone, dedupe_key, capacity)
SELECT gen_random_uuid(), organization_id, id, 'e-' || md5('{name}'), '{name}', 'A show.', 'theatre', 'published',
       later, later + interval '2 hours', later, app.clock(), later, 'Hall', 'Gent', 'BE', 'UTC', '{name}', {c}
FROM venues, (SELECT app.clock() + interval '9 days' AS later) AS moment WHERE name = '{name}';
INSERT INTO seat_holds (id, organization_id, event_id, basket_id, user_id, ticket_type_id, quantity, held_until, source)
SELECT gen_random_uuid(), organization_id, id, id, id, id, {h}, 'infinity', 'web' FROM events
WHERE name = '{name}' AND {h} > 0;
INSERT INTO tickets (id, organization_id, event_id, order_id, ticket_type_id, number, code, nonce, holder_name,
                     holder_email)
SELECT gen_random_uuid(), organization_id, id, id, id, n::text, translate(left(upper(md5(name || n)), 8), '01', '23'),
       decode('0000000000000000', 'hex'), '', '' FROM events, generate_series(1, {s}) n WHERE name = '{name}';
INSERT INTO pools (organization_id, event_id, kind, ref_id, capacity, held, sold)
SELECT organization_id, id, 'event', id, nullif('{p}', 'None')::integer, {h}, {s} FROM events
WHERE name = '{name}' AND '{p}' <> 'None';
"""


async def test_an_owner_who_may_not_create_roles_is_told_what_to_do(plain_owner: str) -> None:
    with pytest.raises(MigrationError, match=r"may not create the roles .* Give it CREATEROLE, or create them"):
        await migrate(plain_owner, serving_login=f"login_{new_id().hex}")


async def test_a_strange_log_in_is_refused(empty_database: str) -> None:
    with pytest.raises(MigrationError, match="not supported"):
        await migrate(empty_database, serving_login='x"; DROP ROLE fullhouse_app --')


def test_a_new_database_is_told_in_one_line() -> None:
    assert in_words(ALL) == f"{len(ALL)} migrations, {ALL[0]} to {ALL[-1]}"
    assert in_words(ALL[:2]) == f"{ALL[0]}, {ALL[1]}"


# Ten in the event and six in the zone: a hold of three and two tickets for one day, one ticket for both.
_DAYS = """
UPDATE events SET capacity = 10;
INSERT INTO ticket_types (id, organization_id, event_id, name, tier, kind, price, currency, entitlement, valid_days)
SELECT ('00000000-0000-7000-a000-00000000000' || n)::uuid, organization_id, id, 'type ' || n, 'general', 'ga', 0, 'EUR',
       'single', CASE n WHEN 1 THEN ARRAY[current_date] WHEN 2 THEN ARRAY[current_date + 1] ELSE '{}'::date[] END
FROM events, generate_series(1, 3) n;
INSERT INTO seat_holds (id, organization_id, event_id, basket_id, user_id, ticket_type_id, quantity, held_until, source)
SELECT gen_random_uuid(), organization_id, event_id, id, id, id, 3, 'infinity', 'web' FROM ticket_types
WHERE name = 'type 2';
INSERT INTO tickets (id, organization_id, event_id, order_id, zone_id, ticket_type_id, number, code, nonce, holder_name,
                     holder_email)
SELECT gen_random_uuid(), organization_id, event_id, id, '00000000-0000-7000-b000-000000000001', id, name || n,
       translate(left(upper(md5(name || n)), 8), '01', '23'), decode('0000000000000000', 'hex'), '', ''
FROM ticket_types JOIN generate_series(1, 2) n ON name = 'type 1' OR name = 'type 3' AND n = 1;
INSERT INTO pools (organization_id, event_id, kind, ref_id, capacity, sold)
SELECT organization_id, id, 'zone', '00000000-0000-7000-b000-000000000001', 6, 3 FROM events;
UPDATE pools SET held = 3, sold = 3 WHERE kind = 'event';
"""


async def test_what_was_sold_for_a_day_counts_on_that_day(empty_database: str, plain_owner: str, folder: Path) -> None:
    await migrate(empty_database, folder=Path("/nowhere"))
    first = next(path.name for path in folder.glob("*_places_by_day.sql"))
    texts = {path: path.read_text() for path in sorted(folder.glob("*.sql")) if path.name >= first}
    for path in texts:
        path.unlink()
    await migrate(plain_owner, folder=folder)
    async with looking_at(empty_database) as connection:
        await connection.execute(_PUBLIC_SHOW)
        await connection.execute("UPDATE events SET capacity = 10")  # which gives it a pool
        await connection.execute("SET session_replication_role = replica")
        await connection.execute(_DAYS)
    for path, text in texts.items():
        path.write_text(text)
    await migrate(plain_owner, folder=folder)
    async with looking_at(empty_database) as connection:
        pools = await connection.fetch("SELECT kind, held, sold, day_peak FROM pools ORDER BY 1")
        assert [tuple(row) for row in pools] == [("event", 0, 1, 3), ("zone", 0, 1, 2)]
        days = "SELECT d.kind, t.name, d.held, d.sold FROM day_places d JOIN ticket_types t ON t.id = ticket_type_id"
        found = [tuple(row) for row in await connection.fetch(f"{days} ORDER BY 1, 2")]
        assert found == [("event", "type 1", 0, 2), ("event", "type 2", 3, 0), ("zone", "type 1", 0, 2)]
