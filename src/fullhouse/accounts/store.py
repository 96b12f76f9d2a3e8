"""Runs `queries.sql`, row to model."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

import msgspec

from fullhouse.accounts.model import (
    ApiKey,
    AuditEntry,
    Invitation,
    Membership,
    OpenSession,
    Organization,
    OrganizationProfile,
    PlatformUser,
    User,
)
from fullhouse.kit import sql
from fullhouse.kit.db import Tx

statements = sql.load(__file__)
T = TypeVar("T")
SESSIONS = "sessions"  # the topic of sessions that are not what they were


class PlatformUserWithHash(PlatformUser, frozen=True, kw_only=True):
    password_hash: str


class GuestSession(NamedTuple):
    id: UUID
    user_id: UUID


class PlatformCaller(msgspec.Struct, frozen=True):
    session_id: UUID
    user_id: UUID
    name: str
    role: str


def _telling(run: Callable[..., Awaitable[T]], *, whose: int) -> Callable[..., Awaitable[T]]:
    """Whoever remembers sessions (access.py) hears of it, in every process: by the id of a session, of a person or of
    an organisation. Said here, where it is written, so that no verb can forget to."""

    async def run_and_tell(tx: Tx, *args: Any) -> T:
        tx.tell(SESSIONS, str(args[whose]))
        return await run(tx, *args)

    return run_and_tell


async def end_guest_session(tx: Tx, organization_id: UUID | None, token_hash: bytes) -> GuestSession | None:
    """Known by its token alone: who remembers it hears its id."""
    ended = await _end_guest_session(tx, organization_id, token_hash)
    if ended is not None:
        tx.tell(SESSIONS, str(ended.id))
    return ended


organization_by_slug = statements.one("organization_by_slug", Organization)
open_organizations = statements.many("open_organizations", Organization)
organization_by_id = statements.one("organization_by_id", Organization)
lock_organization = statements.one("lock_organization", Organization)
list_organizations = statements.many("list_organizations", Organization)
insert_organization = statements.one("insert_organization", Organization)
insert_settings = statements.count("insert_settings")
profile = statements.one("profile", OrganizationProfile)
update_organization = statements.count("update_organization")
update_organization_status = _telling(statements.one("update_organization_status", Organization), whose=0)
update_settings = statements.count("update_settings")

insert_user = statements.one("insert_user", User)
user_by_id = statements.one("user_by_id", User)
user_by_email = statements.one("user_by_email", User)
lock_user = statements.one("lock_user", User)
password_hash = statements.value("password_hash", str)
update_password = statements.count("update_password")
update_user = _telling(statements.one("update_user", User), whose=1)
list_members = statements.many("list_members", User)

insert_session = statements.value("insert_session", datetime)
open_session = statements.one("open_session", OpenSession)
revoke_session = _telling(statements.count("revoke_session"), whose=1)
revoke_sessions_of = _telling(statements.count("revoke_sessions_of"), whose=1)
_end_guest_session = statements.one("end_guest_session", GuestSession)
insert_magic_link = statements.count("insert_magic_link")
spend_magic_link = statements.value("spend_magic_link", str)

revoke_open_invitation = statements.count("revoke_open_invitation")
insert_invitation = statements.one("insert_invitation", Invitation)
list_invitations = statements.many("list_invitations", Invitation)
revoke_invitation = statements.count("revoke_invitation")
accept_invitation = statements.one("accept_invitation", Invitation)

insert_api_key = statements.one("insert_api_key", ApiKey)
list_api_keys = statements.many("list_api_keys", ApiKey)
revoke_api_key = statements.count("revoke_api_key")
touch_api_key = statements.count("touch_api_key")

insert_membership = statements.one("insert_membership", Membership)
membership_by_id = statements.one("membership_by_id", Membership)
lock_membership = statements.one("lock_membership", Membership)
update_membership = statements.one("update_membership", Membership)
list_memberships = statements.many("list_memberships", Membership)
memberships_of = statements.many("memberships_of", Membership)

list_audit = statements.many("list_audit", AuditEntry)

platform_user_by_email = statements.one("platform_user_by_email", PlatformUserWithHash)
platform_user_by_id = statements.one("platform_user_by_id", PlatformUser)
insert_platform_user = statements.one("insert_platform_user", PlatformUser)
update_platform_user = statements.value("update_platform_user", UUID)
insert_platform_session = statements.value("insert_platform_session", datetime)
who_has_platform_session = statements.one("who_has_platform_session", PlatformCaller)
revoke_platform_session = statements.count("revoke_platform_session")
