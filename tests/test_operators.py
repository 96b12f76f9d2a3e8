"""The command line, as operators use it: what it does is there afterwards, and mistakes are sentences."""

import asyncio
import getpass
import os
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

import asyncpg
import pytest

from fullhouse.cli import main
from fullhouse.config import SETTINGS
from fullhouse.kit.db import migrate
from fullhouse.kit.ids import new_id
from tests.accounts.helpers import PASSWORD, data, refused
from tests.fixtures import SECRET_KEY, Client, Tenant
from tests.services.client import ask

NOBODY_THERE = "127.0.0.1:1"


class Told(NamedTuple):
    code: object
    out: str
    err: str


Run = Callable[..., Awaitable[Told]]


@pytest.fixture
def run(
    server_url: str, owner_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """`await run("org", "list", REDIS_URL=…)`: a command in this process, on the worker's database unless told."""
    own = {"DATABASE_URL": server_url, "DATABASE_OWNER_URL": owner_url, "FULLHOUSE_SECRET_KEY": SECRET_KEY}
    own["FULLHOUSE_HOME"] = str(tmp_path)

    async def command(*arguments: str, **environment: str) -> Told:
        for setting in SETTINGS:
            monkeypatch.setenv(setting.name, (own | environment).get(setting.name, ""))
        capsys.readouterr()
        try:
            code: object = await asyncio.to_thread(main.main, list(arguments))
        except SystemExit as end:
            code = end.code
        return Told(code, *capsys.readouterr())

    return command


@pytest.fixture
def scratch() -> dict[str, str]:
    """A database of the test's own, migrated and empty: the environment that points to it."""
    urls = ask("database", f"scratch_{new_id().hex}")
    return {"DATABASE_URL": urls["server_url"], "DATABASE_OWNER_URL": urls["owner_url"]}


def _slug() -> str:
    return f"h-{new_id().hex}"


async def _guest(client: Client, slug: str) -> Any:
    return await client.post("/api/auth/guest", json={"organization": slug})


# --- organisations


@pytest.mark.req("AUD-1")
async def test_an_organisation_from_opening_to_restoring(run: Run, client: Client, owner: Any) -> None:
    slug = _slug()
    opened = await run("org", "create", slug, "Corner House")
    assert opened.code == 0
    organization_id = opened.out.split()[0]
    assert (await _guest(client, slug)).status_code == 201
    assert (await run("org", "suspend", slug, "--reason", "Unpaid")).err == f"fullhouse: {slug} is suspended\n"
    assert refused(await _guest(client, slug)) == (403, "organization_suspended")
    assert re.search(rf"^{organization_id}  {slug} +suspended +Corner House$", (await run("org", "list")).out, re.M)
    assert (await run("org", "restore", slug, "--reason", "Paid")).code == 0
    assert (await _guest(client, slug)).status_code == 201
    told = await owner.fetch(
        "SELECT action, actor_type, reason FROM audit_log WHERE organization_id = $1 AND action LIKE 'organization.%'"
        " ORDER BY created_at, id",
        organization_id,
    )
    assert [tuple(row) for row in told] == [
        ("organization.created", "system", None),
        ("organization.suspended", "system", "Unpaid"),
        ("organization.active", "system", "Paid"),
    ]


async def test_mistakes_with_organisations_are_sentences(run: Run, tenant: Tenant) -> None:
    twice = await run("org", "create", tenant.organization.slug, "Twice")
    assert twice == (
        1,
        "",
        f"fullhouse: The slug “{tenant.organization.slug}” is taken by another organisation. Choose another one.\n",
    )
    for slug, name in (("Not A Slug", "x"), ("x" * 64, "x"), ("good-slug\n", "x"), (_slug(), ""), (_slug(), "x" * 121)):
        told = await run("org", "create", slug, name)
        assert told.code == 1, told
        assert re.fullmatch(r"fullhouse: The (slug|name) cannot be .*\n", told.err, re.S), told.err


async def test_an_unknown_organisation_is_a_sentence(run: Run) -> None:
    nowhere = ("--org", "no-such-house")
    person = ("a@example.org", "--name", "A", "--role", "staff", "--password", PASSWORD)
    commands = (
        ("org", "suspend", "no-such-house", "--reason", "x"),
        ("org", "restore", "no-such-house", "--reason", "x"),
        ("user", "create", *person, *nowhere),
        ("user", "list", *nowhere),
        ("key", "create", "k", *nowhere),
        ("key", "list", *nowhere),
        ("key", "revoke", str(new_id()), *nowhere),
    )
    for command in commands:
        told = await run(*command)
        assert (told.code, told.out) == (1, "")
        assert told.err == (
            "fullhouse: There is no organisation “no-such-house”. `fullhouse org list` shows those that exist.\n"
        )


# --- people


async def test_somebody_new_can_sign_in(run: Run, client: Client, tenant: Tenant) -> None:
    made = await run(
        "user",
        "create",
        "New@example.org",
        "--name",
        "Newcomer",
        "--role",
        "scanner",
        "--org",
        tenant.organization.slug,
        "--password",
        PASSWORD,
    )
    assert made == (0, "", "fullhouse: New@example.org can sign in as scanner\n")
    wish = {"organization": tenant.organization.slug, "email": "new@example.org", "password": PASSWORD}
    assert data(await client.post("/api/auth/login", json=wish), 201)["user"]["role"] == "scanner"
    listing = (await run("user", "list", "--org", tenant.organization.slug)).out
    assert re.search(r"  scanner  active  New@example\.org +Newcomer$", listing, re.M)
    assert "customer@example.org" not in listing


async def _enters_platform(client: Client, email: str, password: str) -> bool:
    answer = await client.post("/api/platform/login", json={"email": email, "password": password})
    return answer.status_code == 201


async def test_platform_staff_from_making_to_disabling(run: Run, client: Client) -> None:
    email = f"{new_id().hex}@example.org"
    made = ("user", "create", email, "--name", "Root", "--role", "tenant_manager", "--password", PASSWORD)
    assert (await run(*made)).code == 0
    assert await _enters_platform(client, email, PASSWORD)
    again = await run(*made)
    assert (again.code, "`fullhouse user password` changes theirs" in again.err) == (1, True)
    assert (await run("user", "password", email, "--password", "a better password")).code == 0
    assert not await _enters_platform(client, email, PASSWORD)
    assert await _enters_platform(client, email, "a better password")
    assert (await run("user", "disable", email)).code == 0
    assert not await _enters_platform(client, email, "a better password")
    assert (await run("user", "enable", email)).code == 0
    assert await _enters_platform(client, email, "a better password")


async def test_a_members_new_password_and_disabling(run: Run, client: Client, tenant: Tenant) -> None:
    at = ("--org", tenant.organization.slug)
    staff = client.as_(tenant.tokens["staff"])
    assert (await run("user", "password", "STAFF@example.org", *at, "--password", PASSWORD)).code == 0
    assert refused(await staff.get("/api/me")) == (401, "unauthenticated")  # signed out everywhere
    wish = {"organization": tenant.organization.slug, "email": "staff@example.org", "password": PASSWORD}
    token = data(await client.post("/api/auth/login", json=wish), 201)["token"]
    assert (await run("user", "disable", "staff@example.org", *at)).code == 0
    assert refused(await client.as_(token).get("/api/me")) == (401, "unauthenticated")
    assert (await run("user", "enable", "staff@example.org", *at)).code == 0
    assert (await client.post("/api/auth/login", json=wish)).status_code == 201
    last = await run("user", "disable", "owner@example.org", *at)
    assert (last.code, last.err) == (1, "fullhouse: The last owner cannot be removed.\n")
    for verb in ("disable", "enable"):
        assert (await run("user", verb, "nobody@example.org", *at)).err == (
            "fullhouse: No user of this organisation has the email address nobody@example.org.\n"
        )
        assert "is not platform staff" in (await run("user", verb, "nobody@example.org")).err


async def test_mistakes_with_people_are_sentences(run: Run, tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    async def create(email: str, *more: str) -> Told:
        return await run("user", "create", email, "--name", "A", *more)

    slug = tenant.organization.slug
    staff, password = ("--role", "staff"), ("--password", PASSWORD)
    assert "The role staff needs an organisation: --org" in (await create("a@example.org", *staff, *password)).err
    assert "at least 10 characters" in (await create("a@example.org", *staff, "--org", slug, "--password", "short")).err
    taken = await create("STAFF@example.org", *staff, *password, "--org", slug)
    assert (taken.code, taken.err) == (1, "fullhouse: The email address STAFF@example.org is already in use.\n")
    for role in ("staff", "super_admin"):
        wrong = await create("no address", "--role", role, *password, "--org", slug)
        assert (wrong.code, wrong.err.startswith("fullhouse: The address cannot be")) == (1, True), wrong
    monkeypatch.setattr(getpass, "getpass", _no_answer)
    silent = await create("a@example.org", *staff, "--org", slug)
    assert silent.code == 1
    assert silent.err.endswith("fullhouse: No password was given. Type one, or use --password.\n")
    assert (await create("a@example.org", "--role", "king", *password)).code == 2


def _no_answer(_prompt: str) -> str:
    raise EOFError


# --- keys


async def test_a_key_from_making_to_revoking(run: Run, client: Client, tenant: Tenant) -> None:
    at = ("--org", tenant.organization.slug)
    made = await run("key", "create", "Box office", *at, "--scope", "org:read", "--days", "30")
    assert made.code == 0
    token = made.out.strip()
    assert data(await client.as_(token).get("/api/me"))["actions"] == ["me.read", "org.read"]
    (line,) = (await run("key", "list", *at)).out.splitlines()
    key_id = line.split()[0]
    assert line.endswith(f"…{token[-4:]}  Box office  org:read")
    assert token not in line
    owners = client.as_(tenant.tokens["owner"])
    (key,) = data(await owners.get("/api/org/api-keys"))
    assert (key["id"], key["expires_at"] is None) == (key_id, False)
    assert (await run("key", "revoke", key_id, *at)).code == 0
    assert refused(await client.as_(token).get("/api/me")) == (401, "unauthenticated")
    again = await run("key", "revoke", key_id, *at)
    assert (again.code, again.err) == (1, "fullhouse: Not found.\n")


async def test_a_key_without_scopes_has_all_of_them(run: Run, client: Client, tenant: Tenant) -> None:
    token = (await run("key", "create", "Everything", "--org", tenant.organization.slug)).out.strip()
    (key,) = data(await client.as_(tenant.tokens["owner"]).get("/api/org/api-keys"))
    assert {"org:write", "audit:read"} <= set(key["scopes"])
    assert key["expires_at"] is None
    data(await client.as_(token).get("/api/audit"))


async def test_mistakes_with_keys_are_sentences(run: Run, tenant: Tenant) -> None:
    at = ("--org", tenant.organization.slug)
    for days in ("0", "-1", "1.5", "99999999999", "many"):
        told = await run("key", "create", "k", *at, f"--days={days}")
        assert (told.code, told.out) == (2, ""), days
        assert "choose a number of days from 1 to 36500" in told.err
    assert (await run("key", "create", "", *at)).err.startswith("fullhouse: The name cannot be")
    assert (await run("key", "create", "k", *at, "--scope", "everything")).code == 2
    assert (await run("key", "revoke", "not-an-id", *at)).code == 2
    assert (await run("key", "list", *at)).out.strip() == ""


# --- looking at the house


async def test_a_healthy_house(run: Run, redis_url: str, amqp_url: str) -> None:
    told = await run("doctor", REDIS_URL=redis_url, AMQP_URL=amqp_url)
    assert told.code == 0, told.out
    findings = dict(re.findall(r"^(?:ok|warn|–) +(\S+(?: \S+)*)  +(.*)$", told.out, re.M))
    for part in ("PostgreSQL", "Redis", "RabbitMQ"):
        assert re.match(r"\d+\.\d+", findings[part]), findings
    assert findings["migrations"] == "all applied"
    assert "fullhouse_app" in findings["roles"]


@pytest.mark.parametrize(
    ("environment", "part"),
    [
        ({"REDIS_URL": f"redis://{NOBODY_THERE}"}, "Redis"),
        ({"AMQP_URL": f"amqp://{NOBODY_THERE}/"}, "RabbitMQ"),
        ({"DATABASE_URL": f"postgresql://somebody@{NOBODY_THERE}/none"}, "PostgreSQL"),
        ({"DATABASE_OWNER_URL": f"postgresql://somebody@{NOBODY_THERE}/none"}, "migrations"),
        ({"DATABASE_READ_URL": f"postgresql://somebody@{NOBODY_THERE}/none"}, "read replica"),
        ({"DATABASE_URL": "postgresql://host:port/none"}, "PostgreSQL"),
        ({"DATABASE_URL": "postgresql://host/none?sslmode=maybe"}, "PostgreSQL"),
    ],
)
async def test_what_does_not_answer_is_bad(environment: dict[str, str], part: str, run: Run) -> None:
    told = await run("doctor", **environment)
    assert told.code == 1
    assert re.search(rf"^fail +{part}  +\S", told.out, re.M), told.out
    assert "Traceback" not in told.out + told.err


async def test_migrations(run: Run, scratch: dict[str, str]) -> None:
    assert await run("migrate", **scratch) == (0, "", "fullhouse: the database is up to date\n")
    assert f"-- {migrate.load_released_migrations()[-1].name}\n" in (await run("migrate", "--sql")).out
    connection = await asyncpg.connect(scratch["DATABASE_OWNER_URL"])
    await connection.execute("INSERT INTO app.migrations VALUES (9999, '9999_from_the_future', 'x')")
    await connection.close()
    for command in ("migrate", "demo"):
        told = await run(command, **scratch)
        assert told.code == 1
        assert told.err.startswith("fullhouse: This database was written by a newer fullhouse")
    assert re.search(
        r"^fail +migrations +This database was written by a newer", (await run("doctor", **scratch)).out, re.M
    )


@pytest.mark.req("OPS-2")
async def test_a_database_that_disagrees_with_its_migrations_is_refused_with_a_way_forward(
    run: Run, scratch: dict[str, str]
) -> None:
    name = migrate.load_released_migrations()[0].name
    connection = await asyncpg.connect(scratch["DATABASE_OWNER_URL"])
    await connection.execute("UPDATE app.migrations SET checksum = 'another' WHERE name = $1", name)
    await connection.close()
    told = await run("migrate", **scratch)
    assert told.code == 1
    assert f"fullhouse migrate --accept {name}" in told.err
    assert re.search(rf"^fail +migrations +.*{name}", (await run("doctor", **scratch)).out, re.M)
    assert (await run("migrate", "--accept", name, **scratch)).code == 0
    assert (await run("migrate", **scratch)).err == "fullhouse: the database is up to date\n"


async def test_no_test_has_left_a_row_in_another_organisation(run: Run, tenant: Tenant) -> None:
    """Of all that was tested here; what seats and holds look like in between is those tests' own."""
    told = await run("prove")
    assert re.search(r"^ok +row security ", told.out, re.M), told.out
    assert re.search(r"^ok +tenancy ", told.out, re.M), told.out


@pytest.mark.req("PROVE-1")
async def test_an_invariant_that_does_not_hold_is_said(run: Run, scratch: dict[str, str]) -> None:
    connection = await asyncpg.connect(scratch["DATABASE_OWNER_URL"])
    await connection.execute("ALTER TABLE mails NO FORCE ROW LEVEL SECURITY")
    await connection.close()
    told = await run("prove", **scratch)
    assert (told.code, told.err) == (1, "fullhouse: mails is not under forced row-level security\n")
    assert re.search(r"^WRONG +row security ", told.out, re.M)


@pytest.mark.parametrize("command", ["prove", "migrate", "demo"])
@pytest.mark.parametrize("there", ["nobody", "another"])
async def test_a_database_that_is_not_there_is_a_sentence(
    command: str, there: str, run: Run, scratch: dict[str, str]
) -> None:
    """Nobody listens; or a server does, but has no such database."""
    url = f"postgresql://somebody@{NOBODY_THERE}/none"
    if there == "another":
        url = scratch["DATABASE_OWNER_URL"].replace("scratch_", "no_such_")
    told = await run(command, DATABASE_URL=url, DATABASE_OWNER_URL=url)
    assert told.code == 1
    assert told.err.startswith("fullhouse: The database is unavailable or misconfigured ("), told.err


# --- as a process


def test_the_shell_sees_the_same(server_url: str, owner_url: str, tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "FULLHOUSE_HOME": str(tmp_path), "DATABASE_OWNER_URL": owner_url}

    def shell(*arguments: str, **more: str) -> Told:
        command = [sys.executable, "-m", "fullhouse", *arguments]
        done = subprocess.run(
            command, env=environment | more, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
        )
        return Told(done.returncode, done.stdout, done.stderr)

    unknown = shell("user", "list", "--org", "no-such-house", DATABASE_URL=server_url)
    assert (unknown.code, unknown.out) == (1, "")
    assert unknown.err.startswith("fullhouse: There is no organisation “no-such-house”.")
    assert shell("--version").out.startswith("fullhouse ")
    assert shell().code == 2
    assert shell("org", "list", DATABASE_URL="mysql://x").err == (
        "fullhouse: DATABASE_URL must begin with postgresql://.\n"
    )
