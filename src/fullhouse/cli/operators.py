"""Operators' commands: migrations, diagnosis, the demo, organisations, accounts, API keys, jobs and payments."""

import argparse
import asyncio
import getpass
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import asyncpg
import msgspec

from fullhouse import config, prove, wiring
from fullhouse.accounts import actions, passwords, store
from fullhouse.accounts.model import CreateApiKey, Email, Name, Organization, PlatformRole, Role, Slug
from fullhouse.accounts.policy import ROLE_ACTIONS, SCOPE_ACTIONS
from fullhouse.cli import doctor
from fullhouse.config import Config
from fullhouse.kit.actors import SYSTEM, Principal
from fullhouse.kit.db import migrate
from fullhouse.kit.db.database import APP, Database
from fullhouse.kit.errors import OperatorError
from fullhouse.kit.http.decode import parse_complaint
from fullhouse.kit.ids import new_id
from fullhouse.kit.live.bus import Bus
from fullhouse.kit.secrets import Keyring
from fullhouse.kit.telemetry.telemetry import use_command_logging
from fullhouse.kit.terminal import print_message, table
from fullhouse.payments import store as payments
from fullhouse.processes import serve
from fullhouse.processes.serve import Urls
from fullhouse.prove.client import log as client_log

Arguments = argparse.Namespace
Work = Callable[[Database, Urls], Coroutine[Any, Any, None]]
ROWS_MAX = 10_000
SHOWN_MAX = 200


def show_migrations_or_apply(settings: Config, args: Arguments) -> int:
    if args.sql:
        print(migrate.render_script())
        return 0
    with serve.open_database(settings) as (urls, _):
        if args.accept:
            asyncio.run(migrate.accept_checksum(urls.owner, args.accept))
        applied = asyncio.run(serve.migrate_database(urls, again=args.functions))
    print_message(f"applied {migrate.summarise_names(applied)}" if applied else "the database is up to date")
    return 0


def examine(settings: Config, _args: Arguments) -> int:
    with serve.open_database(settings) as (urls, _):
        findings = asyncio.run(doctor.examine(settings, urls))
    print(table([(f.state, f.part, f.what) for f in findings]))
    return 1 if any(f.state == doctor.FAILED for f in findings) else 0


def check_invariants(settings: Config, args: Arguments) -> int:
    calls = client_log.read_log(Path(args.log)) if args.log else None
    with serve.open_database(settings) as (urls, _), serve.reporting_database_errors():
        results = asyncio.run(prove.run(urls.serving, calls))
    print(table([("ok" if not wrong else "WRONG", check.name, check.invariant) for check, wrong in results.items()]))
    for wrong in results.values():
        for sentence in wrong:
            print_message(sentence)
    return 1 if any(results.values()) else 0


def fill_demo(settings: Config, args: Arguments) -> int:
    from fullhouse.demo import organisation  # slow to import, and no other command needs it

    async def fill(database: Database, urls: Urls) -> None:
        found = await organisation.create_demo(
            database,
            urls.owner,
            Keyring(config.load_secret_key(settings)),
            wiring.file_storage(settings),
            print_message,
        )
        if args.json:
            print(msgspec.json.format(msgspec.json.encode(found), indent=2).decode())
            return
        rows = [(i.role, i.email, i.password) for i in (*found.log_ins, *found.platform_log_ins)]
        print(f"organisation  {found.organization}\n{table(rows)}\nAPI key  {found.api_key}")

    return run_on_database(settings, fill)


def create_organization(settings: Config, args: Arguments) -> int:
    _check_value("slug", args.slug, Slug)
    _check_value("name", args.name, Name)

    async def create(database: Database, _urls: Urls) -> None:
        organization_id = new_id()
        async with database.tenant(organization_id, SYSTEM) as tx:
            organization = await actions.create_organization(tx, organization_id, args.slug, args.name)
        print(f"{organization.id}  {organization.slug}")

    return run_on_database(settings, create)


def list_organizations(settings: Config, _args: Arguments) -> int:
    async def show(database: Database, _urls: Urls) -> None:
        async with database.without_tenant() as tx:
            rows = await store.list_organizations(tx, after_at=None, after_id=None, limit=ROWS_MAX)
        print(table([(str(o.id), o.slug, o.status, o.name) for o in rows]))

    return run_on_database(settings, show)


def change_organization(settings: Config, args: Arguments) -> int:
    async def change(database: Database, _urls: Urls) -> None:
        organization = await require_organization(database, args.slug)
        async with database.tenant(organization.id, SYSTEM) as tx:
            await actions.change_organization_status(tx, args.status, args.reason)
        print_message(f"{args.slug} is {args.status}")

    return run_on_database(settings, change)


def create_user(settings: Config, args: Arguments) -> int:
    _check_value("address", args.email, Email)
    _check_value("name", args.name, Name)
    password = args.password or _ask_for_password()
    if len(password) < 10:
        raise OperatorError("A password has at least 10 characters.")

    async def create(database: Database, urls: Urls) -> None:
        password_hash = await passwords.hash_password(password)
        if args.role in tuple(PlatformRole):
            async with _connect_as_owner(urls) as owner:
                made = await store.insert_platform_user(
                    owner,
                    id=new_id(),
                    email=args.email,
                    name=args.name,
                    role=args.role,
                    password_hash=password_hash,
                )
            if made is None:
                raise OperatorError(
                    f"{args.email} is platform staff already; `fullhouse user password` changes theirs."
                )
        elif args.org is None:
            raise OperatorError(f"The role {args.role} needs an organisation: --org SLUG")
        else:
            organization = await require_organization(database, args.org)
            async with database.tenant(organization.id, SYSTEM) as tx:
                await actions.create_user(
                    tx, email=args.email, name=args.name, role=args.role, password_hash=password_hash
                )
        print_message(f"{args.email} can sign in as {args.role}")

    return run_on_database(settings, create)


def reset_password(settings: Config, args: Arguments) -> int:
    password = args.password or _ask_for_password()
    if len(password) < 10:
        raise OperatorError("A password has at least 10 characters.")

    async def reset(database: Database, urls: Urls) -> None:
        password_hash = await passwords.hash_password(password)
        if args.org is None:
            await _change_platform_user(urls, args.email, password_hash, None)
        else:
            organization = await require_organization(database, args.org)
            async with database.tenant(organization.id, SYSTEM) as tx:
                await actions.reset_password(tx, args.email, password_hash)
        print_message(f"{args.email} has a new password, and is signed out everywhere")

    return run_on_database(settings, reset)


def change_user(settings: Config, args: Arguments) -> int:
    async def change(database: Database, urls: Urls) -> None:
        if args.org is None:
            await _change_platform_user(urls, args.email, None, args.status)
        else:
            organization = await require_organization(database, args.org)
            async with database.tenant(organization.id, SYSTEM) as tx:
                await actions.change_user_status(tx, args.email, args.status)
        print_message(f"{args.email} is {args.status}")

    return run_on_database(settings, change)


async def _change_platform_user(urls: Urls, email: str, password_hash: str | None, status: str | None) -> None:
    async with _connect_as_owner(urls) as owner:
        found = await store.update_platform_user(owner, email=email, password_hash=password_hash, status=status)
    if found is None:
        raise OperatorError(f"{email} is not platform staff. For an organisation's account give --org SLUG.")


@asynccontextmanager
async def _connect_as_owner(urls: Urls) -> AsyncIterator[Any]:
    connection = await asyncpg.connect(urls.owner, timeout=10)
    try:
        yield connection
    finally:
        await connection.close(timeout=5)


def list_users(settings: Config, args: Arguments) -> int:
    async def show(database: Database, _urls: Urls) -> None:
        organization = await require_organization(database, args.org)
        async with database.tenant(organization.id, SYSTEM) as tx:
            rows = await store.list_members(tx, after_at=None, after_id=None, limit=ROWS_MAX)
        print(table([(str(u.id), u.role, u.status, u.email or "", u.name) for u in rows]))

    return run_on_database(settings, show)


def create_key(settings: Config, args: Arguments) -> int:
    _check_value("name", args.name, Name)

    async def create(database: Database, _urls: Urls) -> None:
        organization = await require_organization(database, args.org)
        operator = Principal(
            organization_id=organization.id, actor=SYSTEM, role=Role.OWNER, allowed=ROLE_ACTIONS[Role.OWNER]
        )
        async with database.tenant(organization.id, SYSTEM) as tx:
            expires_at = await tx.now() + timedelta(days=args.days) if args.days else None
            request = CreateApiKey(args.name, args.scope or sorted(SCOPE_ACTIONS), expires_at)
            key = await actions.create_api_key(tx, operator, request)
        print_message("copy the key now, it is not shown again:")
        print(key.token)

    return run_on_database(settings, create)


def list_keys(settings: Config, args: Arguments) -> int:
    async def show(database: Database, _urls: Urls) -> None:
        organization = await require_organization(database, args.org)
        async with database.tenant(organization.id, SYSTEM) as tx:
            rows = await store.list_api_keys(tx, after_at=None, after_id=None, limit=ROWS_MAX)
        print(table([(str(k.id), f"…{k.hint}", k.name, " ".join(k.scopes)) for k in rows]))

    return run_on_database(settings, show)


def revoke_key(settings: Config, args: Arguments) -> int:
    async def revoke(database: Database, _urls: Urls) -> None:
        organization = await require_organization(database, args.org)
        async with database.tenant(organization.id, SYSTEM) as tx:
            await actions.revoke_api_key(tx, args.id)
        print_message("revoked")

    return run_on_database(settings, revoke)


def _ask_for_password() -> str:
    try:
        return getpass.getpass("Password: ")
    except EOFError:
        raise OperatorError("No password was given. Type one, or use --password.") from None


def _check_value(what: str, value: str, kind: Any) -> None:
    """Validates a value as the API does."""
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise OperatorError(f"The {what} cannot be “{value}”. {parse_complaint(str(error)).message}") from None


def show_jobs(settings: Config, args: Arguments) -> int:
    async def show(_database: Database, urls: Urls) -> None:
        if args.retry:
            async with _connect_as_owner(urls) as owner:
                again = await _retry_jobs(owner)
            print_message(f"{again} jobs will be retried")
        async with _connect_as_owner(urls) as owner:
            rows = await _count_jobs(owner)
        print(table([("count", "job", "state"), *((str(r["jobs"]), r["entrypoint"], r["status"]) for r in rows)]))

    return run_on_database(settings, show)


async def _count_jobs(connection: Any) -> Any:
    return await connection.fetch(
        "SELECT count(*) AS jobs, entrypoint, status::text FROM jobs.queue GROUP BY 2, 3 ORDER BY 2, 3"
    )


async def _retry_jobs(connection: Any) -> int:
    """Queues failed jobs again, with all their attempts."""
    status = await connection.execute(
        "UPDATE jobs.queue SET status = 'queued', attempts = 0, execute_after = now(), queue_manager_id = NULL"
        " WHERE status = 'failed'"
    )
    return int(status.rpartition(" ")[2])


def show_payments(settings: Config, args: Arguments) -> int:
    """Lists provider events that an operator must look at."""

    async def show(_database: Database, urls: Urls) -> None:
        async with _connect_as_owner(urls) as owner:
            if args.drop:
                print_message(f"{await payments.delete_parked(owner, args.drop)} were removed from the list")
            rows = await payments.list_parked(owner, SHOWN_MAX)
        for row in rows:
            print(f"{row.news_id}  {row.kind}: {row.reason}, {row.received_at:%Y-%m-%d %H:%M:%S %Z}")
            print(f"    {row.said}")
        print_message(f"{len(rows)} provider events need attention" if rows else "no provider event needs attention")

    return run_on_database(settings, show)


async def require_organization(database: Database, slug: str) -> Organization:
    async with database.without_tenant() as tx:
        organization = await store.organization_by_slug(tx, slug)
    if organization is None:
        raise OperatorError(f"There is no organisation “{slug}”. `fullhouse org list` shows those that exist.")
    return organization


def run_on_database(settings: Config, work: Work) -> int:
    async def run(urls: Urls) -> None:
        wiring.register_handlers(settings.public_url)
        await serve.migrate_database(urls)
        bus = Bus(urls.serving, settings.redis_url)
        await bus.start()
        database = await Database.open(urls.serving, APP, size=2, bus=bus)
        try:
            await work(database, urls)
        finally:
            await database.close()
            await bus.stop()  # publishes what is pending on Redis first

    with use_command_logging(), serve.open_database(settings) as (urls, _):
        asyncio.run(run(urls))
    return 0
