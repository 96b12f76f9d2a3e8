"""Seating plans from the command line: generate, check, draw and import."""

import argparse
import sys
import textwrap
from pathlib import Path
from typing import Any, get_args

import msgspec

from fullhouse.accounts.model import Role
from fullhouse.accounts.policy import ROLE_ACTIONS
from fullhouse.cli.operators import ROWS_MAX, require_organization, run_on_database
from fullhouse.config import Config
from fullhouse.events import store as events_store
from fullhouse.events.model import Venue
from fullhouse.kit.actors import SYSTEM, Principal
from fullhouse.kit.db.database import Database, Tx
from fullhouse.kit.errors import OperatorError
from fullhouse.kit.terminal import print_message
from fullhouse.processes.serve import Urls
from fullhouse.seating import actions
from fullhouse.seating.maps import drawing
from fullhouse.seating.plans import checks as plan_checks
from fullhouse.seating.plans import decoding, formats, generators
from fullhouse.seating.plans.plan import Plan, PlanInvalid, encode, total_capacity, walk

Arguments = argparse.Namespace
KINDS: dict[str, type[msgspec.Struct]] = {str(k.__struct_config__.tag): k for k in get_args(generators.Generator)}
LARGE = 10_000  # seats; a larger import says that it takes a while
DEADLINE_S = 300.0
STREAM = "-"


def kinds() -> str:
    """For `--help`: every kind, what it generates, and its settings with their defaults."""
    parts = ["Kinds, and the settings of each for --set, with their defaults:"]
    for name, kind in KINDS.items():
        about = textwrap.fill(
            " ".join((kind.__doc__ or "").split()), 76, initial_indent="    ", subsequent_indent="    "
        )
        settings = ", ".join(f"{field.name}={_format_default(field.default)}" for field in msgspec.structs.fields(kind))
        # A setting is not broken, however long its value is.
        wrapped = textwrap.fill(
            settings, 76, initial_indent="      ", subsequent_indent="      ", break_on_hyphens=False
        )
        parts.append(f"  {name}\n{about}\n{wrapped}")
    return "\n\n".join(parts)


def generate(_settings: Config, args: Arguments) -> int:
    if args.kind not in KINDS:
        raise OperatorError(f"There is no kind “{args.kind}”. Kinds are {', '.join(KINDS)}.")
    kind = KINDS[args.kind]
    settings = dict(_parse_setting(kind, text) for text in args.set)
    plan = generators.generate(decoding.decode_as(kind, {"kind": args.kind, **settings}))  # type: ignore[arg-type]
    _write(args.output, msgspec.json.format(encode(plan), indent=2))
    print_message(_summarize(plan))
    return 0


def check(_settings: Config, args: Arguments) -> int:
    try:
        plan = _read_valid(args)
    except PlanInvalid as refusal:
        for mistake in refusal.fields:
            print(f"{mistake.path}: {mistake.message}" if mistake.path else mistake.message)
        return 1
    print_message(f"{args.file} is valid: {_summarize(plan)}")
    return 0


def preview(_settings: Config, args: Arguments) -> int:
    plan = _read_valid(args)
    _write(args.output, drawing.render_svg(plan).encode())
    return 0


def import_plan(settings: Config, args: Arguments) -> int:
    plan = _read(args)
    seats = sum(1 for _ in walk(plan))

    async def bring(database: Database, _urls: Urls) -> None:
        organization = await require_organization(database, args.org)
        operator = Principal(
            organization_id=organization.id, actor=SYSTEM, role=Role.OWNER, allowed=ROLE_ACTIONS[Role.OWNER]
        )
        if seats >= LARGE:
            print_message(f"checking and writing {seats:,} seats; this takes a few seconds")
        async with database.tenant(organization.id, SYSTEM, deadline_s=DEADLINE_S) as tx:
            venue = await _require_venue(tx, args.venue)
            layout = await actions.create_layout(tx, operator, venue.id, lambda: plan)
            if args.activate:
                layout = await actions.activate(tx, layout.id)
        print_message(
            f"{layout.name}, version {layout.version}, is {layout.status} at {venue.name}: {_summarize(plan)}"
        )
        print(layout.id)

    return run_on_database(settings, bring)


async def _require_venue(tx: Tx, slug: str) -> Venue:
    assert tx.organization_id
    venues = await events_store.list_venues(tx, city=None, timezone=None, after_at=None, after_id=None, limit=ROWS_MAX)
    for venue in venues:
        if venue.slug == slug:
            return venue
    known = ", ".join(venue.slug for venue in venues[:20]) or "none yet"
    raise OperatorError(f"The organisation has no venue “{slug}”. It has: {known}.")


# --- files and texts


def _read_valid(args: Arguments) -> Plan:
    plan = _read(args)
    if mistakes := plan_checks.check(plan, None):
        raise decoding.to_refusal(mistakes)
    return plan


def _read(args: Arguments) -> Plan:
    document = sys.stdin.buffer.read() if args.file == STREAM else Path(args.file).read_bytes()
    plan, notes = formats.read_plan(document, args.format)
    for note in notes:
        print_message(note)
    return plan


def _write(where: str, content: bytes) -> None:
    if where == STREAM:
        sys.stdout.write(content.decode() + "\n")
    else:
        Path(where).write_bytes(content)


def _summarize(plan: Plan) -> str:
    seats = sum(1 for _ in walk(plan))
    zones = len(plan.zones)
    return f"{seats:,} seats, capacity {total_capacity(plan):,}, {zones} {'zone' if zones == 1 else 'zones'}"


def _parse_setting(kind: type[msgspec.Struct], text: str) -> tuple[str, Any]:
    """`rows=12`, `staggered=true`, `aisles_after=6,14`, `name=Great Hall`."""
    name, given, value = text.partition("=")
    if not given:
        raise OperatorError(f"--set takes name=value, not “{text}”.")
    default = next((field.default for field in msgspec.structs.fields(kind) if field.name == name), "")
    if default is None or isinstance(default, str):
        return name, value
    if isinstance(default, tuple):
        return name, [_parse_value(part) for part in value.strip("[]").split(",") if part.strip()]
    return name, _parse_value(value)


def _parse_value(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def _format_default(default: Any) -> str:
    if isinstance(default, tuple):
        return ",".join(map(str, default)) or "none"
    return "none" if default is None else str(default).lower() if isinstance(default, bool) else str(default)
