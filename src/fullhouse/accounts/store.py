"""Runs `queries.sql`, row to model."""

from datetime import datetime
from uuid import UUID

import msgspec

from fullhouse.accounts.model import (
    ApiKey,
    AuditEntry,
    Invitation,
    Membership,
    Organization,
    OrganizationProfile,
    PlatformUser,
    User,
)
from fullhouse.kit import sql

statements = sql.load(__file__)


class PlatformUserWithHash(PlatformUser, frozen=True, kw_only=True):
    password_hash: str


class PlatformCaller(msgspec.Struct, frozen=True):
    session_id: UUID
    user_id: UUID
    name: str
    role: str


organization_by_slug = statements.one("organization_by_slug", Organization)
organization_by_id = statements.one("organization_by_id", Organization)
lock_organization = statements.one("lock_organization", Organization)
list_organizations = statements.many("list_organizations", Organization)
insert_organization = statements.one("insert_organization", Organization)
insert_settings = statements.count("insert_settings")
profile = statements.one("profile", OrganizationProfile)
update_organization = statements.count("update_organization")
update_organization_status = statements.one("update_organization_status", Organization)
update_settings = statements.count("update_settings")

insert_user = statements.one("insert_user", User)
user_by_id = statements.one("user_by_id", User)
user_by_email = statements.one("user_by_email", User)
lock_user = statements.one("lock_user", User)
password_hash = statements.value("password_hash", str)
update_password = statements.count("update_password")
update_user = statements.one("update_user", User)
list_members = statements.many("list_members", User)

insert_session = statements.value("insert_session", datetime)
revoke_session = statements.count("revoke_session")
revoke_sessions_of = statements.count("revoke_sessions_of")
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
insert_platform_user = statements.one("insert_platform_user", PlatformUser)
update_platform_user = statements.value("update_platform_user", UUID)
insert_platform_session = statements.value("insert_platform_session", datetime)
who_has_platform_session = statements.one("who_has_platform_session", PlatformCaller)
revoke_platform_session = statements.count("revoke_platform_session")
