"""Creates the demo organisation: `fullhouse demo`, and the first start with the embedded database. Idempotent."""

from collections.abc import Callable, Sequence

import asyncpg
import msgspec

from fullhouse.accounts import actions, passwords, store
from fullhouse.accounts.model import ChangeOrganization, CreateApiKey, GrantMembership, Role, User
from fullhouse.accounts.policy import ROLE_ACTIONS, SCOPE_ACTIONS
from fullhouse.demo import events, second_organisation, webhooks
from fullhouse.demo.events import Context
from fullhouse.demo.log_ins import NAME, PEOPLE, PLATFORM, SLUG, Demo, derive_log_in, describe_demo, find_demo
from fullhouse.kit.actors import SYSTEM, Principal
from fullhouse.kit.db.database import Database, Tx
from fullhouse.kit.ids import new_id
from fullhouse.kit.media.files import Files
from fullhouse.kit.secrets import Keyring

DEADLINE_S = 300
# Its time zone, and the currency of its prices.
SETTINGS = ChangeOrganization(currency="ZAR", timezone="Africa/Johannesburg")
MEMBERS = (
    ("friends", "Frida Bloom"), ("friends", "Milan Petrov"), ("friends", "Sipho Dlamini"), ("friends", "Ingrid Vos"),
    ("friends", "Tariq Hassan"), ("patrons", "Pia Laurent"), ("patrons", "Naledi Mokoena"), ("patrons", "Carl Jensen"),
)  # fmt: skip
FIRST_NAMES = (
    "Amahle", "Ben", "Chloe", "Dawid", "Elena", "Farid", "Grace", "Hendrik", "Imani", "Jonas", "Kagiso", "Lerato",
)  # fmt: skip
LAST_NAMES = ("Abrahams", "Botha", "Chen", "Daniels", "Ebrahim", "Fourie", "Govender", "Hendricks")


async def create_demo(
    database: Database, owner_url: str, keyring: Keyring, files: Files, tell: Callable[[str], None] = lambda _: None
) -> Demo:
    """Creates the organisation in one transaction; before it platform staff, and the second organisation in another
    transaction. `tell` gets progress messages."""
    if found := await find_demo(database, keyring):
        return found
    await _make_platform_staff(
        owner_url, keyring
    )  # first: `find_demo` takes the organisation as proof that the demo is complete
    await _create_second_organisation(database, keyring, files, tell)
    organization_id = new_id()
    hashes = {role: await passwords.hash_password(derive_log_in(keyring, role).password) for role, _ in PEOPLE}
    async with database.tenant(organization_id, SYSTEM, deadline_s=DEADLINE_S) as tx:
        organization = await actions.create_organization(tx, organization_id, SLUG, NAME)
        await actions.change_organization(tx, SETTINGS)
        people = {}
        for role, name in PEOPLE:
            email = derive_log_in(keyring, role).email
            people[role] = await actions.create_user(tx, email=email, name=name, role=role, password_hash=hashes[role])
        await _grant_memberships(tx)
        as_owner = _as_owner(tx, people["owner"])
        await actions.create_api_key(
            tx, as_owner, CreateApiKey("Demo key", sorted(SCOPE_ACTIONS)), keyring.key("demo:api-key")
        )
        cast = Context(tx, as_owner, keyring, files, await _create_buyers(tx), people["customer"])
        await events.create_events(cast, tell)
        await webhooks.create_webhook(tx, keyring)
        return await describe_demo(tx, organization, keyring)


async def _create_second_organisation(
    database: Database, keyring: Keyring, files: Files, tell: Callable[[str], None]
) -> None:
    """Creates the second organisation, unless an interrupted run has created it already."""
    async with database.without_tenant() as tx:
        if await store.organization_by_slug(tx, second_organisation.SLUG):
            return
    organization_id = new_id()
    async with database.tenant(organization_id, SYSTEM, deadline_s=DEADLINE_S) as tx:
        owner = await second_organisation.create_organisation(tx, organization_id)
        buyers = await _create_buyers(tx, LAST_NAMES[:1])
        cast = Context(tx, _as_owner(tx, owner), keyring, files, buyers, buyers[0])
        await events.create_events(cast, tell, [second_organisation.VENUE])
        manager = await store.platform_user_by_email(tx, derive_log_in(keyring, "tenant_manager").email)
        assert manager  # created before any organisation
        await second_organisation.record_refused_postponement(tx, manager)


async def _grant_memberships(tx: Tx) -> None:
    for number, (tier, name) in enumerate(MEMBERS, 1001):
        email = "customer@demo.example" if name == PEOPLE[-1][1] else _email_of(name)
        await actions.grant_membership(tx, GrantMembership(email, name, tier, f"HT-{number}"))


async def _create_buyers(tx: Tx, families: Sequence[str] = LAST_NAMES) -> list[User]:
    """Past buyers; they can sign in by an emailed link."""
    return [
        await actions.create_user(tx, email=_email_of(f"{first} {last}"), name=f"{first} {last}", role=Role.CUSTOMER)
        for first in FIRST_NAMES
        for last in families
    ]


def _email_of(name: str) -> str:
    return f"{name.lower().replace(' ', '.')}@demo.example"


def _as_owner(tx: Tx, owner: User) -> Principal:
    assert tx.organization_id
    return Principal(
        organization_id=tx.organization_id,
        actor=msgspec.structs.replace(SYSTEM, id=owner.id),
        role=Role.OWNER,
        allowed=ROLE_ACTIONS[Role.OWNER],
    )


async def _make_platform_staff(owner_url: str, keyring: Keyring) -> None:
    connection = await asyncpg.connect(owner_url, timeout=10)
    try:
        for role, name in PLATFORM:
            log_in = derive_log_in(keyring, role)
            password_hash = await passwords.hash_password(log_in.password)
            await store.insert_platform_user(
                connection, id=new_id(), email=log_in.email, name=name, role=log_in.role, password_hash=password_hash
            )
    finally:
        await connection.close(timeout=5)
