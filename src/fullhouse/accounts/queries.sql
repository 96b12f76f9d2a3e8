-- The statements of the accounts domain. Row-level security scopes each to its organisation; the explicit
-- organization_id is for the planner and for readability.

-- name: organization_by_slug
SELECT id, slug, name, status, created_at FROM organizations WHERE slug = :slug;

-- name: organization_by_id
SELECT id, slug, name, status, created_at FROM organizations WHERE id = :organization_id?;

-- name: lock_organization
-- Serialises changes; FOR NO KEY UPDATE, so that rows which refer to the organisation can still be inserted.
SELECT id, slug, name, status, created_at FROM organizations WHERE id = :org FOR NO KEY UPDATE;

-- name: list_active_organizations
-- By name, for the choice of an organisation at sign-in.
SELECT id, slug, name, status, created_at FROM organizations WHERE status = 'active' ORDER BY name, id LIMIT :limit;

-- name: list_organizations
SELECT id, slug, name, status, created_at FROM organizations
WHERE :after_at?::timestamptz IS NULL OR (created_at, id) > (:after_at, :after_id?::uuid)
ORDER BY created_at, id LIMIT :limit;

-- name: insert_organization
INSERT INTO organizations (id, slug, name) VALUES (:id, :slug, :name)
RETURNING id, slug, name, status, created_at;

-- name: insert_settings
INSERT INTO organization_settings (organization_id) VALUES (:org);

-- name: find_profile
SELECT o.id, o.slug, o.name, o.status, s.currency, s.locale, s.timezone, s.contact_email, s.accent_color,
       s.mail_sender_name, s.mail_reply_to, s.staff_may_edit_venues, s.event_capacity_max, s.ticket_price_max,
       s.embed_origins, o.created_at
FROM organizations o JOIN organization_settings s ON s.organization_id = o.id
WHERE o.id = :org;

-- name: update_organization
UPDATE organizations SET name = :name, updated_at = app.clock() WHERE id = :org;

-- name: update_organization_status
UPDATE organizations SET status = :status, updated_at = app.clock() WHERE id = :org
RETURNING id, slug, name, status, created_at;

-- name: update_settings
UPDATE organization_settings
SET currency = :currency, locale = :locale, timezone = :timezone, contact_email = :contact_email?,
    accent_color = :accent_color,
    mail_sender_name = :mail_sender_name?, mail_reply_to = :mail_reply_to?,
    staff_may_edit_venues = :staff_may_edit_venues, event_capacity_max = :event_capacity_max,
    embed_origins = :embed_origins,
    ticket_price_max = :ticket_price_max?, updated_at = app.clock()
WHERE organization_id = :org;

-- name: insert_user
INSERT INTO users (id, organization_id, email, name, role, password_hash)
VALUES (:id, :org, :email?, :name, :role, :password_hash?)
RETURNING id, email, name, role, status, created_at;

-- name: user_by_id
SELECT id, email, name, role, status, created_at FROM users WHERE organization_id = :org AND id = :user_id;

-- name: user_by_email
SELECT id, email, name, role, status, created_at FROM users
WHERE organization_id = :org AND lower(email) = lower(:email);

-- name: lock_user
-- FOR UPDATE: a change of role is decided on the current row.
SELECT id, email, name, role, status, created_at FROM users WHERE organization_id = :org AND id = :user_id FOR UPDATE;

-- name: find_password_hash
SELECT password_hash FROM users WHERE organization_id = :org AND id = :user_id;

-- name: update_password
UPDATE users SET password_hash = :password_hash, updated_at = app.clock()
WHERE organization_id = :org AND id = :user_id;

-- name: update_user
UPDATE users SET name = :name, role = :role, status = :status, updated_at = app.clock()
WHERE organization_id = :org AND id = :user_id
RETURNING id, email, name, role, status, created_at;

-- name: list_members
SELECT id, email, name, role, status, created_at FROM users
WHERE organization_id = :org AND role <> 'customer'
  AND (:after_at?::timestamptz IS NULL OR (created_at, id) > (:after_at, :after_id?::uuid))
ORDER BY created_at, id LIMIT :limit;

-- name: insert_session
INSERT INTO sessions (id, organization_id, user_id, token_hash, method, ip, user_agent, expires_at)
VALUES (:id, :org, :user_id, :token_hash, :method, :ip?, :user_agent?, app.clock() + :ttl)
RETURNING expires_at;

-- name: find_open_session
-- The session's organisation and user, if it is still valid.
SELECT o.id, o.slug, o.name, u.name AS user_name, u.email, u.role
FROM sessions s
JOIN users u ON u.organization_id = s.organization_id AND u.id = s.user_id
JOIN organizations o ON o.id = s.organization_id
WHERE s.organization_id = :org AND s.token_hash = :token_hash AND s.revoked_at IS NULL AND s.expires_at > app.clock()
  AND u.status = 'active' AND o.status = 'active';

-- name: revoke_session
UPDATE sessions SET revoked_at = app.clock() WHERE organization_id = :org AND id = :session_id AND revoked_at IS NULL;

-- name: revoke_user_sessions
-- All but the calling session.
UPDATE sessions SET revoked_at = app.clock()
WHERE organization_id = :org AND user_id = :user_id AND revoked_at IS NULL AND id IS DISTINCT FROM :except_id?;

-- name: end_guest_session
-- One winner: of two sign-ins from the same guest session, the one that ends it gets what the guest held.
UPDATE sessions s SET revoked_at = app.clock()
FROM users u
WHERE s.organization_id = :org AND s.token_hash = :token_hash AND s.revoked_at IS NULL AND s.expires_at > app.clock()
  AND u.organization_id = :org AND u.id = s.user_id AND u.email IS NULL AND u.role = 'customer' AND u.status = 'active'
RETURNING s.id, s.user_id;

-- name: insert_magic_link
INSERT INTO magic_links (id, organization_id, email, token_hash, expires_at)
VALUES (:id, :org, :email, :token_hash, app.clock() + :ttl);

-- name: consume_magic_link
-- One winner: the transaction that sets used_at.
UPDATE magic_links SET used_at = app.clock()
WHERE organization_id = :org AND token_hash = :token_hash AND used_at IS NULL AND expires_at > app.clock()
RETURNING email;

-- name: revoke_open_invitation
UPDATE invitations SET revoked_at = app.clock()
WHERE organization_id = :org AND lower(email) = lower(:email) AND accepted_at IS NULL AND revoked_at IS NULL;

-- name: insert_invitation
INSERT INTO invitations (id, organization_id, email, role, token_hash, invited_by, expires_at)
VALUES (:id, :org, :email, :role, :token_hash, :invited_by, app.clock() + :ttl)
RETURNING id, email, role, created_at, expires_at;

-- name: list_invitations
SELECT id, email, role, created_at, expires_at FROM invitations
WHERE organization_id = :org AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > app.clock()
  AND (:after_at?::timestamptz IS NULL OR (created_at, id) > (:after_at, :after_id?::uuid))
ORDER BY created_at, id LIMIT :limit;

-- name: revoke_invitation
UPDATE invitations SET revoked_at = app.clock()
WHERE organization_id = :org AND id = :invitation_id AND accepted_at IS NULL AND revoked_at IS NULL;

-- name: accept_invitation
UPDATE invitations SET accepted_at = app.clock()
WHERE organization_id = :org AND token_hash = :token_hash AND accepted_at IS NULL AND revoked_at IS NULL
  AND expires_at > app.clock()
RETURNING id, email, role, created_at, expires_at;

-- name: insert_api_key
INSERT INTO api_keys (id, organization_id, name, scopes, token_hash, hint, created_by, expires_at)
VALUES (:id, :org, :name, :scopes, :token_hash, :hint, :created_by?, :expires_at?)
RETURNING id, name, scopes, hint, created_at, expires_at, last_used_at;

-- name: list_api_keys
SELECT id, name, scopes, hint, created_at, expires_at, last_used_at FROM api_keys
WHERE organization_id = :org AND revoked_at IS NULL
  AND (:after_at?::timestamptz IS NULL OR (created_at, id) > (:after_at, :after_id?::uuid))
ORDER BY created_at, id LIMIT :limit;

-- name: revoke_api_key
UPDATE api_keys SET revoked_at = app.clock() WHERE organization_id = :org AND id = :key_id AND revoked_at IS NULL;

-- name: touch_api_key
UPDATE api_keys SET last_used_at = app.clock() WHERE organization_id = :org AND id = :key_id;

-- name: insert_membership
WITH m AS (
    INSERT INTO memberships (id, organization_id, user_id, tier, number, valid_from, valid_until)
    VALUES (:id, :org, :user_id, :tier, :number, :valid_from, :valid_until?)
    RETURNING *
)
SELECT m.id, m.user_id, u.email, u.name, m.tier, m.number, m.status, m.valid_from, m.valid_until, m.created_at
FROM m JOIN users u ON u.organization_id = m.organization_id AND u.id = m.user_id;

-- name: membership_by_id
SELECT m.id, m.user_id, u.email, u.name, m.tier, m.number, m.status, m.valid_from, m.valid_until, m.created_at
FROM memberships m JOIN users u ON u.organization_id = m.organization_id AND u.id = m.user_id
WHERE m.organization_id = :org AND m.id = :membership_id;

-- name: lock_membership
SELECT m.id, m.user_id, u.email, u.name, m.tier, m.number, m.status, m.valid_from, m.valid_until, m.created_at
FROM memberships m JOIN users u ON u.organization_id = m.organization_id AND u.id = m.user_id
WHERE m.organization_id = :org AND m.id = :membership_id
FOR UPDATE OF m;

-- name: update_membership
WITH m AS (
    UPDATE memberships
    SET tier = :tier, status = :status, valid_from = :valid_from, valid_until = :valid_until?, updated_at = app.clock()
    WHERE organization_id = :org AND id = :membership_id
    RETURNING *
)
SELECT m.id, m.user_id, u.email, u.name, m.tier, m.number, m.status, m.valid_from, m.valid_until, m.created_at
FROM m JOIN users u ON u.organization_id = m.organization_id AND u.id = m.user_id;

-- name: list_memberships
SELECT m.id, m.user_id, u.email, u.name, m.tier, m.number, m.status, m.valid_from, m.valid_until, m.created_at
FROM memberships m JOIN users u ON u.organization_id = m.organization_id AND u.id = m.user_id
WHERE m.organization_id = :org AND (:tier?::text IS NULL OR m.tier = :tier)
  AND (:after_at?::timestamptz IS NULL OR (m.created_at, m.id) > (:after_at, :after_id?::uuid))
ORDER BY m.created_at, m.id LIMIT :limit;

-- name: list_memberships_of_user
SELECT m.id, m.user_id, u.email, u.name, m.tier, m.number, m.status, m.valid_from, m.valid_until, m.created_at
FROM memberships m JOIN users u ON u.organization_id = m.organization_id AND u.id = m.user_id
WHERE m.organization_id = :org AND m.user_id = :user_id;

-- name: list_audit
SELECT id, created_at, actor_type, actor_id, actor_name, action, entity_type, entity_id, before, after, reason,
       approval_reference, ip, user_agent, request_id
FROM audit_log
WHERE organization_id = :org
  AND (:action?::text IS NULL OR action = :action OR right(:action, 2) = '.*'
       AND starts_with(action, left(:action, -1)))
  AND (:entity_type?::text IS NULL OR entity_type = :entity_type)
  AND (:actor_id?::uuid IS NULL OR actor_id = :actor_id)
  AND (:entity_id?::uuid IS NULL OR entity_id = :entity_id)
  AND (:since?::timestamptz IS NULL OR created_at >= :since)
  AND (:until?::timestamptz IS NULL OR created_at < :until)
  AND (:after_at?::timestamptz IS NULL OR (created_at, id) < (:after_at, :after_id?::uuid))
ORDER BY created_at DESC, id DESC LIMIT :limit;

-- name: platform_user_by_email
SELECT id, email, name, role, password_hash FROM platform_users
WHERE lower(email) = lower(:email) AND status = 'active';

-- name: platform_user_by_id
SELECT id, email, name, role FROM platform_users WHERE id = :user_id;

-- name: insert_platform_user
INSERT INTO platform_users (id, email, name, role, password_hash) VALUES (:id, :email, :name, :role, :password_hash)
ON CONFLICT (lower(email)) DO NOTHING
RETURNING id, email, name, role;

-- name: update_platform_user
-- A new password or status ends every session.
WITH u AS (
    UPDATE platform_users
    SET password_hash = coalesce(:password_hash?, password_hash), status = coalesce(:status?, status)
    WHERE lower(email) = lower(:email) RETURNING id
), ended AS (
    UPDATE platform_sessions SET revoked_at = app.clock()
    WHERE user_id IN (SELECT id FROM u) AND revoked_at IS NULL
)
SELECT id FROM u;

-- name: insert_platform_session
INSERT INTO platform_sessions (id, user_id, token_hash, expires_at)
VALUES (:id, :user_id, :token_hash, app.clock() + :ttl)
RETURNING expires_at;

-- name: find_platform_session
SELECT s.id AS session_id, u.id AS user_id, u.name, u.role
FROM platform_sessions s JOIN platform_users u ON u.id = s.user_id
WHERE s.token_hash = :token_hash AND s.revoked_at IS NULL AND s.expires_at > app.clock() AND u.status = 'active';

-- name: revoke_platform_session
UPDATE platform_sessions SET revoked_at = app.clock() WHERE id = :session_id? AND revoked_at IS NULL;

-- name: sweep_sessions
-- Kept for a month after expiry for the audit; run by a worker across organisations.
DELETE FROM sessions WHERE id IN (
    SELECT id FROM sessions WHERE expires_at < app.clock() - interval '30 days' LIMIT 1000);

-- name: sweep_magic_links
DELETE FROM magic_links WHERE id IN (
    SELECT id FROM magic_links WHERE expires_at < app.clock() - interval '1 day' LIMIT 1000);

-- name: sweep_invitations
DELETE FROM invitations WHERE id IN (
    SELECT id FROM invitations WHERE expires_at < app.clock() - interval '90 days' LIMIT 1000);

-- name: sweep_platform_sessions
DELETE FROM platform_sessions WHERE id IN (
    SELECT id FROM platform_sessions WHERE expires_at < app.clock() - interval '30 days' LIMIT 1000);

-- name: sweep_mails
-- Sent, refused or never sent: all are deleted after 90 days.
DELETE FROM mails WHERE id IN (
    SELECT id FROM mails WHERE sent_at < app.clock() - interval '90 days'
                            OR refused_at < app.clock() - interval '90 days'
                            OR sent_at IS NULL AND created_at < app.clock() - interval '90 days' LIMIT 1000);

-- name: sweep_unsent_links
-- A sign-in link that was not sent has expired; its plain text must not be kept.
DELETE FROM mails WHERE id IN (
    SELECT id FROM mails WHERE sent_at IS NULL AND template = 'sign_in_link'
                           AND created_at < app.clock() - interval '1 day' LIMIT 1000);

-- name: find_sessions
SELECT * FROM app.who_have_sessions(:org, :digests);

-- name: find_api_key
SELECT * FROM app.who_has_key(:org, :digest);

-- name: find_device
SELECT * FROM app.who_has_device(:org, :digest);
