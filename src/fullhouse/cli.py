"""The command line. A command is a function of the settings and its arguments; mistakes are sentences, not traces."""

import argparse
import asyncio
import errno
import getpass
import os
import sys
from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Any
from uuid import UUID

import asyncpg
import msgspec

from fullhouse import VERSION, config, demo, doctor, prove, serving
from fullhouse.accounts import actions, passwords, store
from fullhouse.accounts.model import CreateApiKey, Organization, PlatformRole, Role
from fullhouse.accounts.policy import ROLE_ACTIONS, SCOPE_ACTIONS
from fullhouse.config import Config, ConfigError
from fullhouse.kit import migrate
from fullhouse.kit.actors import SYSTEM, Principal
from fullhouse.kit.db import APP, Database
from fullhouse.kit.errors import Refusal
from fullhouse.kit.ids import new_id
from fullhouse.kit.migrate import MigrationError
from fullhouse.kit.postgres import PostgresError
from fullhouse.kit.process import die_with
from fullhouse.kit.secrets import Keyring
from fullhouse.terminal import say, table

Command = Callable[[Config, argparse.Namespace], int]
_SENTENCES = (ConfigError, MigrationError, PostgresError, serving.CannotServe)


def main(arguments: list[str] | None = None) -> int:
    args = _parser().parse_args(arguments)
    command: Command = args.command
    try:
        return command(config.load(os.environ), args)
    except _SENTENCES as error:
        say(str(error))
    except Refusal as refusal:
        say(refusal.detail)
        for field in refusal.fields:
            say(f"  {field.path}: {field.message}")
    except (asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        say(f"The database refuses: {error}")
    except OSError as error:
        if error.errno == errno.ENOSPC:
            say(f"The disk is full ({error.filename or 'state folder'}). Make room and start again.")
        else:
            say(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}")
    except KeyboardInterrupt:
        return 130
    return 1


# --- serving


def _serve(settings: Config, args: argparse.Namespace) -> int:
    return serving.serve(settings, reload=args.reload, with_worker=not args.no_worker)


def _api(settings: Config, args: argparse.Namespace) -> int:
    die_with(args.parent)
    return serving.serve_api(settings, reload=args.reload)


def _worker(settings: Config, args: argparse.Namespace) -> int:
    from fullhouse import worker  # its imports are heavy, and no other command needs them

    if args.parent:
        die_with(args.parent)
        return worker.main()
    with serving.database(settings) as (urls, _):
        os.environ["DATABASE_URL"] = urls.serving
        return worker.main()


def _migrate(settings: Config, args: argparse.Namespace) -> int:
    if args.sql:
        print("\n".join(f"-- {m.name}\n{m.sql}" for m in migrate.known()))
        return 0
    with serving.database(settings) as (urls, _):
        applied = asyncio.run(serving.migrate_database(urls))
    say(f"applied {', '.join(applied)}" if applied else "the database is up to date")
    return 0


# --- looking


def _doctor(settings: Config, _args: argparse.Namespace) -> int:
    with serving.database(settings) as (urls, _):
        findings = asyncio.run(doctor.examine(settings, urls))
    print(table([(f.state, f.part, f.what) for f in findings]))
    return 1 if any(f.state == doctor.BAD for f in findings) else 0


def _prove(settings: Config, _args: argparse.Namespace) -> int:
    with serving.database(settings) as (urls, _):
        results = asyncio.run(prove.run(urls.serving))
    print(table([("ok" if not wrong else "WRONG", check.name, check.what) for check, wrong in results.items()]))
    for wrong in results.values():
        for sentence in wrong:
            say(sentence)
    return 1 if any(results.values()) else 0


def _demo(settings: Config, args: argparse.Namespace) -> int:
    async def fill(database: Database, urls: serving.Urls) -> int:
        found = await demo.fill(database, urls.owner, Keyring(config.secret_key(settings)))
        if args.json:
            print(msgspec.json.format(msgspec.json.encode(found), indent=2).decode())
        else:
            rows = [(i.role, i.email, i.password) for i in (*found.log_ins, found.platform_log_in)]
            print(f"organisation  {found.organization}\n{table(rows)}\nAPI key  {found.api_key}")
        return 0

    return _with_database(settings, fill)


# --- operators: organisations, people, keys


def _org_create(settings: Config, args: argparse.Namespace) -> int:
    async def create(database: Database, _urls: serving.Urls) -> int:
        organization_id = new_id()
        async with database.tenant(organization_id, SYSTEM) as tx:
            organization = await actions.create_organization(tx, organization_id, args.slug, args.name)
        print(f"{organization.id}  {organization.slug}")
        return 0

    return _with_database(settings, create)


def _org_list(settings: Config, _args: argparse.Namespace) -> int:
    async def show(database: Database, _urls: serving.Urls) -> int:
        async with database.nobody() as tx:
            rows = await store.list_organizations(tx, None, None, 10_000)
        print(table([(str(o.id), o.slug, o.status, o.name) for o in rows]))
        return 0

    return _with_database(settings, show)


def _org_status(status: str) -> Command:
    def command(settings: Config, args: argparse.Namespace) -> int:
        async def change(database: Database, _urls: serving.Urls) -> int:
            organization = await _organization(database, args.slug)
            async with database.tenant(organization.id, SYSTEM) as tx:
                await actions.change_organization_status(tx, status, args.reason)
            say(f"{args.slug} is {status}")
            return 0

        return _with_database(settings, change)

    return command


def _user_create(settings: Config, args: argparse.Namespace) -> int:
    password = args.password or getpass.getpass("Password: ")
    if len(password) < 10:
        raise ConfigError("A password has at least 10 characters.")

    async def create(database: Database, urls: serving.Urls) -> int:
        password_hash = await passwords.hash_password(password)
        if args.role in tuple(PlatformRole):
            connection = await asyncpg.connect(urls.owner, timeout=10)
            await store.insert_platform_user(connection, new_id(), args.email, args.name, args.role, password_hash)
            await connection.close(timeout=5)
        else:
            if args.org is None:
                raise ConfigError(f"Say which organisation the {args.role} works for: --org SLUG")
            organization = await _organization(database, args.org)
            async with database.tenant(organization.id, SYSTEM) as tx:
                await actions.create_user(
                    tx, email=args.email, name=args.name, role=args.role, password_hash=password_hash
                )
        say(f"{args.email} can sign in as {args.role}")
        return 0

    return _with_database(settings, create)


def _user_list(settings: Config, args: argparse.Namespace) -> int:
    async def show(database: Database, _urls: serving.Urls) -> int:
        organization = await _organization(database, args.org)
        async with database.tenant(organization.id, SYSTEM) as tx:
            rows = await store.list_members(tx, organization.id, None, None, 10_000)
        print(table([(str(u.id), u.role, u.status, u.email or "", u.name) for u in rows]))
        return 0

    return _with_database(settings, show)


def _key_create(settings: Config, args: argparse.Namespace) -> int:
    async def create(database: Database, _urls: serving.Urls) -> int:
        organization = await _organization(database, args.org)
        operator = Principal(
            organization_id=organization.id, actor=SYSTEM, role=Role.OWNER, allowed=ROLE_ACTIONS[Role.OWNER]
        )
        async with database.tenant(organization.id, SYSTEM) as tx:
            expires_at = await tx.now() + timedelta(days=args.days) if args.days else None
            wish = CreateApiKey(args.name, args.scope or sorted(SCOPE_ACTIONS), expires_at)
            key = await actions.create_api_key(tx, operator, wish)
        say("the key is shown this once:")
        print(key.token)
        return 0

    return _with_database(settings, create)


def _key_list(settings: Config, args: argparse.Namespace) -> int:
    async def show(database: Database, _urls: serving.Urls) -> int:
        organization = await _organization(database, args.org)
        async with database.tenant(organization.id, SYSTEM) as tx:
            rows = await store.list_api_keys(tx, organization.id, None, None, 10_000)
        print(table([(str(k.id), f"…{k.hint}", k.name, " ".join(k.scopes)) for k in rows]))
        return 0

    return _with_database(settings, show)


def _key_revoke(settings: Config, args: argparse.Namespace) -> int:
    async def revoke(database: Database, _urls: serving.Urls) -> int:
        organization = await _organization(database, args.org)
        async with database.tenant(organization.id, SYSTEM) as tx:
            await actions.revoke_api_key(tx, args.id)
        say("revoked")
        return 0

    return _with_database(settings, revoke)


async def _organization(database: Database, slug: str) -> Organization:
    async with database.nobody() as tx:
        organization = await store.organization_by_slug(tx, slug)
    if organization is None:
        raise ConfigError(f"There is no organisation “{slug}”. `fullhouse org list` shows those that exist.")
    return organization


def _with_database(settings: Config, work: Callable[[Database, serving.Urls], Coroutine[Any, Any, int]]) -> int:
    async def run(urls: serving.Urls) -> int:
        await serving.migrate_database(urls)
        database = await Database.open(urls.serving, APP, size=2)
        try:
            return await work(database, urls)
        finally:
            await database.close()

    with serving.database(settings) as (urls, _):
        return asyncio.run(run(urls))


# --- arguments


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="fullhouse", description="Ticketing for a whole house.")
    parser.add_argument("--version", action="version", version=f"fullhouse {VERSION}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    serve = _add(commands, "serve", _serve, "serve API and pages, with a worker and, if none is named, a database")
    serve.add_argument("--reload", action="store_true", help="start again when a file changes")
    serve.add_argument("--no-worker", action="store_true", help="API only; the worker runs elsewhere")
    worker = _add(commands, "worker", _worker, "run jobs and periodic work only")
    worker.add_argument("--parent", type=int, help=argparse.SUPPRESS)
    api = _add(commands, "api", _api, None)
    api.add_argument("--parent", type=int, required=True, help=argparse.SUPPRESS)
    api.add_argument("--reload", action="store_true")
    migrating = _add(commands, "migrate", _migrate, "bring the database up to date")
    migrating.add_argument("--sql", action="store_true", help="print the migrations instead")
    filling = _add(commands, "demo", _demo, "fill a demo organisation and show its log-ins; twice changes nothing")
    filling.add_argument("--json", action="store_true")
    _add(commands, "doctor", _doctor, "say what is configured, reachable, and at which version")
    _add(commands, "prove", _prove, "check the invariants on this database")

    org = _group(commands, "org", "organisations: create, list, suspend, restore")
    create = _add(org, "create", _org_create, "open an organisation")
    create.add_argument("slug")
    create.add_argument("name")
    _add(org, "list", _org_list, "all of them")
    for verb, status in (("suspend", "suspended"), ("restore", "active")):
        change = _add(org, verb, _org_status(status), f"{verb} an organisation")
        change.add_argument("slug")
        change.add_argument("--reason", required=True)

    user = _group(commands, "user", "people: create, list")
    create = _add(user, "create", _user_create, "make somebody who can sign in")
    create.add_argument("email")
    create.add_argument("--name", required=True)
    create.add_argument("--org", help="organisation's slug; not for platform staff")
    create.add_argument("--role", required=True, choices=[*Role, *PlatformRole])
    create.add_argument("--password", help="asked for if not given")
    _add(user, "list", _user_list, "the team of an organisation").add_argument("--org", required=True)

    key = _group(commands, "key", "API keys: create, list, revoke")
    create = _add(key, "create", _key_create, "make a key")
    create.add_argument("name")
    create.add_argument("--org", required=True)
    create.add_argument("--scope", action="append", choices=sorted(SCOPE_ACTIONS), help="all if not given")
    create.add_argument("--days", type=int, help="how long it works; for good if not given")
    _add(key, "list", _key_list, "an organisation's keys").add_argument("--org", required=True)
    revoke = _add(key, "revoke", _key_revoke, "end a key")
    revoke.add_argument("id", type=UUID)
    revoke.add_argument("--org", required=True)
    return parser


def _group(commands: Any, name: str, what: str) -> Any:
    return commands.add_parser(name, help=what, description=what).add_subparsers(required=True, metavar="VERB")


def _add(commands: Any, name: str, command: Command, what: str | None) -> argparse.ArgumentParser:
    # Without help text a command is not listed: it is for our own processes.
    more = {"help": what, "description": what} if what else {}
    parser: argparse.ArgumentParser = commands.add_parser(name, **more)
    parser.set_defaults(command=command)
    return parser


if __name__ == "__main__":
    sys.exit(main())
