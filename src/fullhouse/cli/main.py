"""The command line. A command is a function of the settings and its arguments; an operator's mistakes are printed as
messages, without a traceback.

Only the parser is here, and it imports little: every process of `serve` starts through it.
"""

import argparse
import errno
import importlib
import os
from collections.abc import Callable
from typing import Any
from uuid import UUID

from fullhouse import VERSION
from fullhouse.accounts.model import PlatformRole, Role
from fullhouse.accounts.policy import SCOPE_ACTIONS
from fullhouse.config import Config, load
from fullhouse.kit.errors import OperatorError, Refusal
from fullhouse.kit.terminal import print_message

Command = Callable[[Config, argparse.Namespace], int]
DAYS_MAX = 36_500
HOURS_MAX = 168  # facts are stored for a week


def main(arguments: list[str] | None = None) -> int:
    args = _parser().parse_args(arguments)
    module, _, name = args.command.rpartition(":")
    try:
        if getattr(args, "process", None):  # a child of `serve`
            files = importlib.import_module("fullhouse.kit.telemetry.metric_files")
            files.use_files_of(args.process, os.environ[files.FOLDER])
        command: Command = getattr(importlib.import_module(f"fullhouse.{module}"), name)
        return command(load(os.environ), args)
    except OperatorError as error:
        print_message(str(error))
    except Refusal as refusal:
        print_message(refusal.detail)
        for field in refusal.fields:
            print_message(f"  {field.path}: {field.message}")
    except TimeoutError:
        print_message("The command timed out. `fullhouse doctor` shows which services respond.")
    except OSError as error:
        if error.errno == errno.ENOSPC:
            print_message(f"The disk is full ({error.filename or 'state folder'}). Free some space and start again.")
        else:
            print_message(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}")
    except KeyboardInterrupt:
        return 130
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="fullhouse", description="Ticketing: seats, orders, payments and gates.")
    parser.add_argument("--version", action="version", version=f"fullhouse {VERSION}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    serve = _add(
        commands,
        "serve",
        "processes.serve:serve",
        "run the API and the pages, a worker and, without DATABASE_URL, a PostgreSQL",
    )
    serve.add_argument("--reload", action="store_true", help="restart when a source file changes")
    serve.add_argument("--no-worker", action="store_true", help="API only; the worker runs elsewhere")
    worker = _add(commands, "worker", "processes.serve:work", "run jobs and periodic work only")
    worker.add_argument("--parent", type=int, help=argparse.SUPPRESS)
    worker.add_argument("--process", help=argparse.SUPPRESS)
    api = _add(commands, "api", "processes.api:serve", None)
    api.add_argument("--parent", type=int, required=True, help=argparse.SUPPRESS)
    api.add_argument("--process")
    api.add_argument("--socket", type=int)
    api.add_argument("--ready", type=int)
    migrating = _add(commands, "migrate", "cli.operators:show_migrations_or_apply", "apply migrations to the database")
    migrating.add_argument("--sql", action="store_true", help="print the migrations instead of applying them")
    migrating.add_argument(
        "--accept", metavar="NAME", help="accept the migration applied under this name as the shipped file"
    )
    migrating.add_argument(
        "--functions", action="store_true", help="apply every function again, for example after one was changed by hand"
    )
    filling = _add(
        commands,
        "demo",
        "cli.operators:fill_demo",
        "create a demo organisation and show its log-ins; a second run changes nothing",
    )
    filling.add_argument("--json", action="store_true")
    _add(
        commands,
        "doctor",
        "cli.operators:examine",
        "show what is configured, whether it responds, and at which version",
    )
    proving = _add(commands, "prove", "cli.operators:check_invariants", "check the invariants on this database")
    proving.add_argument(
        "--log", metavar="FILE", help="a client's log (JSON lines): check that the database has what it was told"
    )

    jobs = _add(commands, "jobs", "cli.operators:show_jobs", "count queued and failed jobs")
    jobs.add_argument("--retry", action="store_true", help="retry failed jobs")

    money = _add(
        commands, "payments", "cli.operators:show_payments", "list payment provider events that need an operator"
    )
    money.add_argument("--drop", nargs="+", metavar="ID", help="remove these from the list, once dealt with")

    org = _group(commands, "org", "organisations: create, list, suspend, restore")
    create = _add(org, "create", "cli.operators:create_organization", "create an organisation")
    create.add_argument("slug")
    create.add_argument("name")
    _add(org, "list", "cli.operators:list_organizations", "list all organisations")
    for verb, status in (("suspend", "suspended"), ("restore", "active")):
        change = _add(org, verb, "cli.operators:change_organization", f"{verb} an organisation")
        change.set_defaults(status=status)
        change.add_argument("slug")
        change.add_argument("--reason", required=True)

    user = _group(commands, "user", "people: create, list, password, disable, enable")
    create = _add(user, "create", "cli.operators:create_user", "create an account")
    create.add_argument("email")
    create.add_argument("--name", required=True)
    create.add_argument("--org", help="organisation's slug; not for platform staff")
    create.add_argument("--role", required=True, choices=[*Role, *PlatformRole])
    create.add_argument("--password", help="prompted for if not given")
    reset = _add(user, "password", "cli.operators:reset_password", "set a new password")
    reset.add_argument("email")
    reset.add_argument("--org", help="organisation's slug; not for platform staff")
    reset.add_argument("--password", help="prompted for if not given")
    for verb, status in (("disable", "disabled"), ("enable", "active")):
        change = _add(user, verb, "cli.operators:change_user", f"{verb} an account")
        change.set_defaults(status=status)
        change.add_argument("email")
        change.add_argument("--org", help="organisation's slug; not for platform staff")
    _add(user, "list", "cli.operators:list_users", "list the team of an organisation").add_argument(
        "--org", required=True
    )

    key = _group(commands, "key", "API keys: create, list, revoke")
    create = _add(key, "create", "cli.operators:create_key", "create a key")
    create.add_argument("name")
    create.add_argument("--org", required=True)
    create.add_argument("--scope", action="append", choices=sorted(SCOPE_ACTIONS), help="all if not given")
    create.add_argument("--days", type=_parse_days, help="days until it expires; never if not given")
    _add(key, "list", "cli.operators:list_keys", "list the keys of an organisation").add_argument(
        "--org", required=True
    )
    revoke = _add(key, "revoke", "cli.operators:revoke_key", "revoke a key")
    revoke.add_argument("id", type=UUID)
    revoke.add_argument("--org", required=True)

    cache = _group(commands, "cache", "the mirror in Redis: rebuild, check")
    writing = _add(cache, "rebuild", "cli.caches:rebuild", "write it again from the database")
    writing.add_argument("event", type=UUID, nargs="?", metavar="EVENT", help="all events on sale if not given")
    comparing = _add(cache, "check", "cli.caches:check", "compare memory, Redis and database; list the differences")
    comparing.add_argument("event", type=UUID, metavar="EVENT")

    _add_messages(
        _group(commands, "messages", "facts: what is waiting, dead-lettered, or in RabbitMQ's dead-letter queue")
    )
    _add_plans(_group(commands, "plan", "seating plans: generate, check, preview, import"))
    return parser


def _add_messages(messages: Any) -> None:
    _add(messages, "status", "cli.messages:status", "count what is waiting, with the age of the oldest")
    _add(
        messages,
        "dead-lettered",
        "cli.messages:list_dead_lettered",
        "list facts and handler runs that failed too often, with the reason",
    )
    _add(
        messages,
        "dead",
        "cli.messages:list_dead_letters",
        "list the messages in RabbitMQ's dead-letter queue, with the reason",
    )
    for verb, what in (
        ("retry", "retry what is dead-lettered; all of it if no id is given"),
        ("replay", "return messages from RabbitMQ's dead-letter queue to their queues; all if no id is given"),
        ("drop", "discard what is dead-lettered or in RabbitMQ's dead-letter queue, for good"),
    ):
        each = _add(messages, verb, f"cli.messages:{verb}", what)
        each.add_argument("id", type=UUID, nargs="+" if verb == "drop" else "*", metavar="ID")
    again = _add(messages, "resend", "cli.messages:resend", "send facts to RabbitMQ again, for example for a new queue")
    again.add_argument(
        "--hours", type=_parse_hours, default=24, help="how far back; a day if not given, a week at most"
    )
    again.add_argument("--name", help="routing key, such as event.*; all if not given")
    sent = _add(messages, "redeliver", "cli.messages:redeliver", "send failed webhook deliveries again")
    sent.add_argument("--org", required=True, help="organisation's slug")
    sent.add_argument("--webhook", type=UUID, metavar="ID", help="all that are enabled if not given")
    sent.add_argument("--hours", type=_parse_hours, default=24, help="how far back; a day if not given, a week at most")
    _add(messages, "recount", "cli.messages:recount", "recount the participants of all events")


def _add_plans(plan: Any) -> None:
    making = _add(plan, "generate", "cli.plans:generate", "generate a plan from a few numbers", add_help=False)
    making.add_argument("-h", "--help", action=_HelpWithKinds, nargs=0, help="show this help message and exit")
    making.add_argument("kind", metavar="KIND")
    making.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="see below; may be repeated")
    making.add_argument("-o", "--output", default="-", metavar="FILE", help="where to write it; shown if not given")
    checking = _add(plan, "check", "cli.plans:check", "list every mistake in a plan")
    drawing = _add(plan, "preview", "cli.plans:preview", "draw a plan as SVG")
    drawing.add_argument("-o", "--output", default="-", metavar="FILE", help="where to write it; shown if not given")
    bringing = _add(plan, "import", "cli.plans:import_plan", "import a plan as a layout of a venue")
    bringing.add_argument("org", metavar="ORG", help="organisation's slug")
    bringing.add_argument("venue", metavar="VENUE", help="venue's slug")
    bringing.add_argument(
        "--activate", action="store_true", help="make it available to events, in place of the active version"
    )
    for verb in (checking, drawing, bringing):
        verb.add_argument("file", metavar="FILE", help="the plan; - reads the standard input")
        known = ["fullhouse", "config", "pretix"]
        verb.add_argument("--format", choices=known, help="format of the plan; detected if not given")


class _HelpWithKinds(argparse.Action):
    """Also lists the kinds that can be generated. Loaded on demand: it imports all of seating."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        print(f"{parser.format_help()}\n{importlib.import_module('fullhouse.cli.plans').kinds()}")
        parser.exit()


def _parse_days(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= DAYS_MAX):
        raise argparse.ArgumentTypeError(f"choose a number of days from 1 to {DAYS_MAX}")
    return int(text)


def _parse_hours(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= HOURS_MAX):
        raise argparse.ArgumentTypeError(f"choose a number of hours from 1 to {HOURS_MAX}")
    return int(text)


def _group(commands: Any, name: str, what: str) -> Any:
    return commands.add_parser(name, help=what, description=what).add_subparsers(required=True, metavar="VERB")


def _add(commands: Any, name: str, command: str, what: str | None, **more: Any) -> argparse.ArgumentParser:
    # A command without a help text is not listed: only `serve` calls it.
    more |= {"help": what, "description": what} if what else {}
    parser: argparse.ArgumentParser = commands.add_parser(name, **more)
    parser.set_defaults(command=command)
    return parser
