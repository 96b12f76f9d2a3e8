"""Runs `queries.sql`, row to model."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any, NamedTuple, ParamSpec, TypeVar
from uuid import UUID

import msgspec

from fullhouse.accounts import queries
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
from fullhouse.kit.db import sql
from fullhouse.kit.db.database import Tx

T = TypeVar("T")
P = ParamSpec("P")
STALE_SESSIONS = "sessions"  # bus topic: ids of sessions, users or organisations whose cached principals are stale


class PlatformUserWithHash(PlatformUser, frozen=True, kw_only=True):
    password_hash: str


class GuestSession(NamedTuple):
    id: UUID
    user_id: UUID


class KeyCaller(NamedTuple):
    key_id: UUID
    name: str
    scopes: list[str]


class DeviceCaller(NamedTuple):
    device_id: UUID
    name: str
    rights: list[str]


class PlatformCaller(msgspec.Struct, frozen=True):
    session_id: UUID
    user_id: UUID
    name: str
    role: str


def _publishing(run: Callable[P, Awaitable[T]], *, whose: Callable[..., object]) -> Callable[P, Awaitable[T]]:
    """Publishes the id of the session, user or organisation that a statement changes, so that every process evicts it
    from its cache (access.py). Bound to the statement, so that no action can forget to."""

    async def run_and_publish(*args: P.args, **kwargs: P.kwargs) -> T:
        tx: Any = args[0]
        tx.publish(STALE_SESSIONS, str(whose(*args, **kwargs)))
        return await run(*args, **kwargs)

    return run_and_publish


async def end_guest_session(tx: Tx, token_hash: bytes) -> GuestSession | None:
    """Finds the session by its token, and publishes its id for eviction from the caches."""
    ended = await _end_guest_session(tx, token_hash)
    if ended is not None:
        tx.publish(STALE_SESSIONS, str(ended.id))
    return ended


organization_by_slug = sql.one(queries.organization_by_slug, Organization)
list_active_organizations = sql.many(queries.list_active_organizations, Organization)
organization_by_id = sql.one(queries.organization_by_id, Organization)
lock_organization = sql.one(queries.lock_organization, Organization)
list_organizations = sql.many(queries.list_organizations, Organization)
insert_organization = sql.one(queries.insert_organization, Organization)
insert_settings = sql.count(queries.insert_settings)
find_profile = sql.one(queries.find_profile, OrganizationProfile)
update_organization = sql.count(queries.update_organization)
update_organization_status = _publishing(
    sql.one(queries.update_organization_status, Organization), whose=lambda tx, _status: tx.organization_id
)
update_settings = sql.count(queries.update_settings)

insert_user = sql.one(queries.insert_user, User)
user_by_id = sql.one(queries.user_by_id, User)
user_by_email = sql.one(queries.user_by_email, User)
lock_user = sql.one(queries.lock_user, User)
find_password_hash = sql.value(queries.find_password_hash, str)
update_password = sql.count(queries.update_password)
update_user = _publishing(sql.one(queries.update_user, User), whose=lambda _tx, **user: user["user_id"])
list_members = sql.many(queries.list_members, User)

insert_session = sql.value(queries.insert_session, datetime)
find_open_session = sql.one(queries.find_open_session, OpenSession)
revoke_session = _publishing(sql.count(queries.revoke_session), whose=lambda _tx, session_id: session_id)
revoke_user_sessions = _publishing(
    sql.count(queries.revoke_user_sessions), whose=lambda _tx, **sessions: sessions["user_id"]
)
_end_guest_session = sql.one(queries.end_guest_session, GuestSession)
insert_magic_link = sql.count(queries.insert_magic_link)
consume_magic_link = sql.value(queries.consume_magic_link, str)

revoke_open_invitation = sql.count(queries.revoke_open_invitation)
insert_invitation = sql.one(queries.insert_invitation, Invitation)
list_invitations = sql.many(queries.list_invitations, Invitation)
revoke_invitation = sql.count(queries.revoke_invitation)
accept_invitation = sql.one(queries.accept_invitation, Invitation)

insert_api_key = sql.one(queries.insert_api_key, ApiKey)
list_api_keys = sql.many(queries.list_api_keys, ApiKey)
revoke_api_key = sql.count(queries.revoke_api_key)
touch_api_key = sql.count(queries.touch_api_key)

insert_membership = sql.one(queries.insert_membership, Membership)
membership_by_id = sql.one(queries.membership_by_id, Membership)
lock_membership = sql.one(queries.lock_membership, Membership)
update_membership = sql.one(queries.update_membership, Membership)
list_memberships = sql.many(queries.list_memberships, Membership)
list_memberships_of_user = sql.many(queries.list_memberships_of_user, Membership)

list_audit = sql.many(queries.list_audit, AuditEntry)

platform_user_by_email = sql.one(queries.platform_user_by_email, PlatformUserWithHash)
platform_user_by_id = sql.one(queries.platform_user_by_id, PlatformUser)
insert_platform_user = sql.one(queries.insert_platform_user, PlatformUser)
update_platform_user = sql.value(queries.update_platform_user, UUID)
insert_platform_session = sql.value(queries.insert_platform_session, datetime)
find_platform_session = sql.one(queries.find_platform_session, PlatformCaller)
revoke_platform_session = sql.count(queries.revoke_platform_session)

find_sessions = sql.rows(queries.find_sessions)
find_api_key = sql.one(queries.find_api_key, KeyCaller)
find_device = sql.one(queries.find_device, DeviceCaller)
