"""A demo organisation to try things on: `fullhouse demo`, and the first start of the embedded database.

Filling it twice changes nothing. Passwords and the API key are derived from this installation's secret key, so that
they can be shown again and again, and are different on every installation.
"""

import base64
from datetime import timedelta

import asyncpg
import msgspec

from fullhouse import demo_art
from fullhouse.accounts import actions, passwords, store
from fullhouse.accounts.model import CreateApiKey, GrantMembership, Organization, Role
from fullhouse.accounts.policy import ROLE_ACTIONS, SCOPE_ACTIONS
from fullhouse.events import actions as events
from fullhouse.events import image_actions
from fullhouse.events import store as events_store
from fullhouse.events import venue_actions as venues
from fullhouse.events.model import NewEvent, NewGate, NewVenue
from fullhouse.events.policy import Move
from fullhouse.kit.actors import SYSTEM, Principal
from fullhouse.kit.db import Database, Tx
from fullhouse.kit.files import Files
from fullhouse.kit.ids import new_id
from fullhouse.kit.secrets import Keyring, Kind, mint
from fullhouse.seating import actions as layouts
from fullhouse.seating import overlay_actions as seating
from fullhouse.seating.generators import Theatre, generate
from fullhouse.seating.model import AttachLayout

SLUG, NAME = "harbour-theatre", "Harbour Theatre"
PEOPLE = (
    ("owner", "Olive Marsh"),
    ("admin", "Adam Reyes"),
    ("staff", "Stella Okafor"),
    ("scanner", "Gate One"),
    ("customer", "Carl Jensen"),
)
# 420 places, which is the venue's capacity, four of them for wheelchairs with a companion each.
HOUSE = Theatre(name=NAME, stalls_rows=12, stalls_seats=22, circle_rows=5, circle_seats=26, wheelchair_places=4)
GATES = (("FOYER", "Foyer", 400), ("STAGE_DOOR", "Stage door", 20))
SHOWS = (  # name, category, days from today, hours, the moves since
    ("The Lighthouse Keeper", "theatre", 21, 2, (Move.PUBLISH,)),
    ("Night Ferry: a Concert in Four Tides", "concert", 35, 3, (Move.PUBLISH,)),
    ("Open Rehearsal", "theatre", 12, 1, ()),
    ("Storm Season", "theatre", 28, 2, (Move.PUBLISH, Move.POSTPONE)),
    ("Harbour Jazz Brunch", "concert", 16, 2, (Move.PUBLISH, Move.CANCEL)),
)
MEMBERS = (("friends", "Frida Bloom"), ("friends", "Milan Petrov"), ("patrons", "Pia Laurent"))


class LogIn(msgspec.Struct, frozen=True):
    role: str
    email: str
    password: str


class Demo(msgspec.Struct, frozen=True):
    organization: str
    organization_id: str
    log_ins: list[LogIn]
    platform_log_in: LogIn
    api_key: str
    events: list[str]


async def describe(tx: Tx, organization: Organization, keyring: Keyring) -> Demo:
    shows = await events_store.list_events(tx, organization.id, None, None, None, None, None, None, 100)
    return Demo(
        organization=SLUG,
        organization_id=str(organization.id),
        log_ins=[_log_in(keyring, role) for role, _ in PEOPLE],
        platform_log_in=_log_in(keyring, "super_admin"),
        api_key=mint(Kind.API_KEY, organization.id, keyring.key("demo:api-key")),
        events=[str(show.id) for show in shows],
    )


async def find(database: Database, keyring: Keyring) -> Demo | None:
    """The demo as it stands, or None if it was never filled."""
    async with database.nobody() as tx:
        organization = await store.organization_by_slug(tx, SLUG)
    if organization is None:
        return None
    async with database.tenant(organization.id) as tx:
        return await describe(tx, organization, keyring)


async def fill(database: Database, owner_url: str, keyring: Keyring, files: Files) -> Demo:
    if found := await find(database, keyring):
        return found
    await _make_super_admin(owner_url, keyring)  # first: whoever finds the organisation finds all of the demo
    organization_id = new_id()
    hashes = {role: await passwords.hash_password(_log_in(keyring, role).password) for role, _ in PEOPLE}
    async with database.tenant(organization_id, SYSTEM, deadline_s=60) as tx:
        organization = await actions.create_organization(tx, organization_id, SLUG, NAME)
        for role, name in PEOPLE:
            email = _log_in(keyring, role).email
            await actions.create_user(tx, email=email, name=name, role=role, password_hash=hashes[role])
        await _fill_members(tx)
        as_owner = await _owner(tx, keyring)
        await actions.create_api_key(
            tx, as_owner, CreateApiKey("Demo key", sorted(SCOPE_ACTIONS)), keyring.key("demo:api-key")
        )
        await _fill_shows(tx, as_owner, files)
        return await describe(tx, organization, keyring)


async def _fill_members(tx: Tx) -> None:
    for number, (tier, name) in enumerate(MEMBERS, 1001):
        email = f"{name.split()[0].lower()}@demo.example"
        await actions.grant_membership(tx, GrantMembership(email, name, tier, f"HT-{number}"))


async def _owner(tx: Tx, keyring: Keyring) -> Principal:
    assert tx.organization_id
    owner = await store.user_by_email(tx, tx.organization_id, _log_in(keyring, "owner").email)
    assert owner
    return Principal(
        organization_id=tx.organization_id,
        actor=msgspec.structs.replace(SYSTEM, id=owner.id),
        role=Role.OWNER,
        allowed=ROLE_ACTIONS[Role.OWNER],
    )


async def _fill_shows(tx: Tx, who: Principal, files: Files) -> None:
    venue = await venues.create_venue(
        tx,
        who,
        NewVenue(
            name=NAME,
            city="Cape Town",
            country="ZA",
            timezone="Africa/Johannesburg",
            address="1 Quay Road, Waterfront, Cape Town",
            latitude=-33.9036,
            longitude=18.4207,
            max_capacity=420,
        ),
    )
    for code, name, capacity in GATES:
        await venues.create_gate(tx, who, venue.id, NewGate(gate_code=code, name=name, capacity=capacity))
    layout = await layouts.create_layout(tx, who, venue.id, lambda: generate(HOUSE))
    await layouts.activate(tx, layout.id)
    evening = (await tx.now()).replace(hour=17, minute=30, second=0, microsecond=0)
    for name, category, days, hours, moves in SHOWS:
        start_at = evening + timedelta(days=days)
        wish = NewEvent(
            venue_id=venue.id,
            name=name,
            description=f"{name}, at {NAME}. Doors open half an hour before.",
            category=category,
            start_at=start_at,
            end_at=start_at + timedelta(hours=hours),
            doors_at=start_at - timedelta(minutes=30),
            capacity=420,
            cover_image_ids=[(await image_actions.add(tx, files, demo_art.poster(name))).id],
        )
        event = await events.create_event(tx, who, wish)
        if moves:  # whatever was announced has seats
            await seating.attach(tx, event.id, AttachLayout(layout_id=layout.id), None)
        for move in moves:
            await events.move_event(tx, event.id, move, reason=None if move is Move.PUBLISH else "Storm warning")


async def _make_super_admin(owner_url: str, keyring: Keyring) -> None:
    log_in = _log_in(keyring, "super_admin")
    password_hash = await passwords.hash_password(log_in.password)
    connection = await asyncpg.connect(owner_url, timeout=10)
    try:
        await store.insert_platform_user(connection, new_id(), log_in.email, "Platform", log_in.role, password_hash)
    finally:
        await connection.close(timeout=5)


def _log_in(keyring: Keyring, role: str) -> LogIn:
    password = base64.b32encode(keyring.key(f"demo:{role}"))[:12].decode().lower()
    return LogIn(role, f"{role.replace('_', '-')}@demo.example", password)
