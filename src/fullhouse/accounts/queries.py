"""What queries.sql takes: written by `make schema`."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from fullhouse.kit.db.sql import Runs, Tenant


def organization_by_slug(tx: Runs, /, slug: str) -> None: ...


def organization_by_id(tx: Runs, /, organization_id: UUID | None) -> None: ...


def lock_organization(tx: Tenant, /) -> None: ...


def list_active_organizations(tx: Runs, /, limit: int) -> None: ...


def list_organizations(tx: Runs, /, *, after_at: datetime | None, after_id: UUID | None, limit: int) -> None: ...


def insert_organization(tx: Runs, /, *, id: UUID, slug: str, name: str) -> None: ...


def insert_settings(tx: Tenant, /) -> None: ...


def find_profile(tx: Tenant, /) -> None: ...


def update_organization(tx: Tenant, /, name: str) -> None: ...


def update_organization_status(tx: Tenant, /, status: str) -> None: ...


def update_settings(
    tx: Tenant,
    /,
    *,
    currency: str,
    locale: str,
    timezone: str,
    contact_email: str | None,
    accent_color: str,
    mail_sender_name: str | None,
    mail_reply_to: str | None,
    staff_may_edit_venues: bool,
    event_capacity_max: int,
    embed_origins: Sequence[str],
    ticket_price_max: int | None,
) -> None: ...


def insert_user(
    tx: Tenant, /, *, id: UUID, email: str | None, name: str, role: str, password_hash: str | None
) -> None: ...


def user_by_id(tx: Tenant, /, user_id: UUID) -> None: ...


def user_by_email(tx: Tenant, /, email: str) -> None: ...


def lock_user(tx: Tenant, /, user_id: UUID) -> None: ...


def find_password_hash(tx: Tenant, /, user_id: UUID) -> None: ...


def update_password(tx: Tenant, /, *, password_hash: str, user_id: UUID) -> None: ...


def update_user(tx: Tenant, /, *, name: str, role: str, status: str, user_id: UUID) -> None: ...


def list_members(tx: Tenant, /, *, after_at: datetime | None, after_id: UUID | None, limit: int) -> None: ...


def insert_session(
    tx: Tenant,
    /,
    *,
    id: UUID,
    user_id: UUID,
    token_hash: bytes,
    method: str,
    ip: str | None,
    user_agent: str | None,
    ttl: timedelta,
) -> None: ...


def find_open_session(tx: Tenant, /, token_hash: bytes) -> None: ...


def revoke_session(tx: Tenant, /, session_id: UUID) -> None: ...


def revoke_user_sessions(tx: Tenant, /, *, user_id: UUID, except_id: UUID | None) -> None: ...


def end_guest_session(tx: Tenant, /, token_hash: bytes) -> None: ...


def insert_magic_link(tx: Tenant, /, *, id: UUID, email: str, token_hash: bytes, ttl: timedelta) -> None: ...


def consume_magic_link(tx: Tenant, /, token_hash: bytes) -> None: ...


def revoke_open_invitation(tx: Tenant, /, email: str) -> None: ...


def insert_invitation(
    tx: Tenant, /, *, id: UUID, email: str, role: str, token_hash: bytes, invited_by: UUID, ttl: timedelta
) -> None: ...


def list_invitations(tx: Tenant, /, *, after_at: datetime | None, after_id: UUID | None, limit: int) -> None: ...


def revoke_invitation(tx: Tenant, /, invitation_id: UUID) -> None: ...


def accept_invitation(tx: Tenant, /, token_hash: bytes) -> None: ...


def insert_api_key(
    tx: Tenant,
    /,
    *,
    id: UUID,
    name: str,
    scopes: Sequence[str],
    token_hash: bytes,
    hint: str,
    created_by: UUID | None,
    expires_at: datetime | None,
) -> None: ...


def list_api_keys(tx: Tenant, /, *, after_at: datetime | None, after_id: UUID | None, limit: int) -> None: ...


def revoke_api_key(tx: Tenant, /, key_id: UUID) -> None: ...


def touch_api_key(tx: Tenant, /, key_id: UUID) -> None: ...


def insert_membership(
    tx: Tenant,
    /,
    *,
    id: UUID,
    user_id: UUID,
    tier: str,
    number: str,
    valid_from: datetime,
    valid_until: datetime | None,
) -> None: ...


def membership_by_id(tx: Tenant, /, membership_id: UUID) -> None: ...


def lock_membership(tx: Tenant, /, membership_id: UUID) -> None: ...


def update_membership(
    tx: Tenant, /, *, tier: str, status: str, valid_from: datetime, valid_until: datetime | None, membership_id: UUID
) -> None: ...


def list_memberships(
    tx: Tenant, /, *, tier: str | None, after_at: datetime | None, after_id: UUID | None, limit: int
) -> None: ...


def list_memberships_of_user(tx: Tenant, /, user_id: UUID) -> None: ...


def list_audit(
    tx: Tenant,
    /,
    *,
    action: str | None,
    entity_type: str | None,
    actor_id: UUID | None,
    entity_id: UUID | None,
    since: datetime | None,
    until: datetime | None,
    after_at: datetime | None,
    after_id: UUID | None,
    limit: int,
) -> None: ...


def platform_user_by_email(tx: Runs, /, email: str) -> None: ...


def platform_user_by_id(tx: Runs, /, user_id: UUID) -> None: ...


def insert_platform_user(tx: Runs, /, *, id: UUID, email: str, name: str, role: str, password_hash: str) -> None: ...


def update_platform_user(tx: Runs, /, *, password_hash: str | None, status: str | None, email: str) -> None: ...


def insert_platform_session(tx: Runs, /, *, id: UUID, user_id: UUID, token_hash: bytes, ttl: timedelta) -> None: ...


def find_platform_session(tx: Runs, /, token_hash: bytes) -> None: ...


def revoke_platform_session(tx: Runs, /, session_id: UUID | None) -> None: ...


def sweep_sessions(tx: Runs, /) -> None: ...


def sweep_magic_links(tx: Runs, /) -> None: ...


def sweep_invitations(tx: Runs, /) -> None: ...


def sweep_platform_sessions(tx: Runs, /) -> None: ...


def sweep_mails(tx: Runs, /) -> None: ...


def sweep_unsent_links(tx: Runs, /) -> None: ...


def find_sessions(tx: Tenant, /, digests: Sequence[bytes]) -> None: ...


def find_api_key(tx: Tenant, /, digest: bytes) -> None: ...


def find_device(tx: Tenant, /, digest: bytes) -> None: ...
