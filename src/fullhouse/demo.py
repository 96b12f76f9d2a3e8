"""A demo organisation to try things on: `fullhouse demo`, and the first start of the embedded database.

Filling it twice changes nothing. Passwords and the API key are derived from this installation's secret key, so that
they can be shown again and again, and are different on every installation.
"""

import base64

import asyncpg
import msgspec

from fullhouse.accounts import actions, passwords, store
from fullhouse.accounts.model import CreateApiKey, GrantMembership, Organization, Role
from fullhouse.accounts.policy import ROLE_ACTIONS, SCOPE_ACTIONS
from fullhouse.kit.actors import SYSTEM, Principal
from fullhouse.kit.db import Database, Tx
from fullhouse.kit.ids import new_id
from fullhouse.kit.secrets import Keyring, Kind, mint

SLUG, NAME = "harbour-theatre", "Harbour Theatre"
PEOPLE = (
    ("owner", "Olive Marsh"),
    ("admin", "Adam Reyes"),
    ("staff", "Stella Okafor"),
    ("scanner", "Gate One"),
    ("customer", "Carl Jensen"),
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


def describe(organization: Organization, keyring: Keyring) -> Demo:
    return Demo(
        organization=SLUG,
        organization_id=str(organization.id),
        log_ins=[_log_in(keyring, role) for role, _ in PEOPLE],
        platform_log_in=_log_in(keyring, "super_admin"),
        api_key=mint(Kind.API_KEY, organization.id, keyring.key("demo:api-key")),
        events=[],
    )


async def find(database: Database, keyring: Keyring) -> Demo | None:
    """The demo as it stands, or None if it was never filled."""
    async with database.nobody() as tx:
        organization = await store.organization_by_slug(tx, SLUG)
    return describe(organization, keyring) if organization else None


async def fill(database: Database, owner_url: str, keyring: Keyring) -> Demo:
    if found := await find(database, keyring):
        return found
    organization_id = new_id()
    hashes = {role: await passwords.hash_password(_log_in(keyring, role).password) for role, _ in PEOPLE}
    async with database.tenant(organization_id, SYSTEM, deadline_s=60) as tx:
        organization = await actions.create_organization(tx, organization_id, SLUG, NAME)
        for role, name in PEOPLE:
            email = _log_in(keyring, role).email
            await actions.create_user(tx, email=email, name=name, role=role, password_hash=hashes[role])
        await _fill_members(tx)
        await _make_api_key(tx, keyring)
    await _make_super_admin(owner_url, keyring)
    return describe(organization, keyring)


async def _fill_members(tx: Tx) -> None:
    for number, (tier, name) in enumerate(MEMBERS, 1001):
        email = f"{name.split()[0].lower()}@demo.example"
        await actions.grant_membership(tx, GrantMembership(email, name, tier, f"HT-{number}"))


async def _make_api_key(tx: Tx, keyring: Keyring) -> None:
    assert tx.organization_id
    owner = await store.user_by_email(tx, tx.organization_id, _log_in(keyring, "owner").email)
    assert owner
    as_owner = Principal(
        organization_id=tx.organization_id,
        actor=msgspec.structs.replace(SYSTEM, id=owner.id),
        role=Role.OWNER,
        allowed=ROLE_ACTIONS[Role.OWNER],
    )
    await actions.create_api_key(
        tx, as_owner, CreateApiKey("Demo key", sorted(SCOPE_ACTIONS)), keyring.key("demo:api-key")
    )


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
