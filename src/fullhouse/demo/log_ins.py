"""Whether there is a demo organisation, and its log-ins. Imports little, because `serve` needs it at every start.

Passwords and the API key are derived from this installation's secret key: they can be shown again, and differ between
installations.
"""

import base64

import msgspec

from fullhouse.accounts import store
from fullhouse.accounts.model import Organization
from fullhouse.events import store as events_store
from fullhouse.kit.db.database import Database, Tx
from fullhouse.kit.secrets import Keyring, TokenKind, mint

SLUG, NAME = "harbour-theatre", "Harbour Theatre"
PEOPLE = (
    ("owner", "Olive Marsh"),
    ("admin", "Adam Reyes"),
    ("staff", "Stella Okafor"),
    ("scanner", "Gate One"),
    ("customer", "Carl Jensen"),
)
PLATFORM = (("super_admin", "Platform"), ("tenant_manager", "Tenants"))


class LogIn(msgspec.Struct, frozen=True):
    role: str
    email: str
    password: str


class Demo(msgspec.Struct, frozen=True):
    organization: str
    organization_id: str
    log_ins: list[LogIn]
    platform_log_ins: list[LogIn]
    api_key: str
    events: list[str]


async def find_demo(database: Database, keyring: Keyring) -> Demo | None:
    """The demo's log-ins and events, or None if it was not created."""
    async with database.without_tenant() as tx:
        organization = await store.organization_by_slug(tx, SLUG)
    if organization is None:
        return None
    async with database.tenant(organization.id) as tx:
        return await describe_demo(tx, organization, keyring)


async def describe_demo(tx: Tx, organization: Organization, keyring: Keyring) -> Demo:
    events = await events_store.list_events(
        tx,
        statuses=None,
        slug=None,
        venue_id=None,
        since=None,
        until=None,
        after_at=None,
        after_id=None,
        limit=100,
    )
    return Demo(
        organization=SLUG,
        organization_id=str(organization.id),
        log_ins=[derive_log_in(keyring, role) for role, _ in PEOPLE],
        platform_log_ins=[derive_log_in(keyring, role) for role, _ in PLATFORM],
        api_key=mint(TokenKind.API_KEY, organization.id, keyring.key("demo:api-key")),
        events=[str(event.id) for event in events],
    )


def derive_log_in(keyring: Keyring, role: str) -> LogIn:
    password = base64.b32encode(keyring.key(f"demo:{role}"))[:12].decode().lower()
    return LogIn(role, f"{role.replace('_', '-')}@demo.example", password)
