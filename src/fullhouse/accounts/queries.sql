-- The statements of the accounts room. Row-level security scopes each to its organisation; the explicit
-- organization_id is for the planner, and for the reader.

-- name: organization_by_slug
SELECT id, slug, name, status, created_at FROM organizations WHERE slug = $1;

-- name: organization_by_id
SELECT id, slug, name, status, created_at FROM organizations WHERE id = $1;

-- name: lock_organization
-- For changes that must see each other; not a key lock, so that rows which refer to the organisation still come in.
SELECT id, slug, name, status, created_at FROM organizations WHERE id = $1 FOR NO KEY UPDATE;

-- name: open_organizations
-- By name, for whoever signs in and must say where.
SELECT id, slug, name, status, created_at FROM organizations WHERE status = 'active' ORDER BY name, id LIMIT $1;

-- name: list_organizations
SELECT id, slug, name, status, created_at FROM organizations
WHERE $1::timestamptz IS NULL OR (created_at, id) > ($1, $2::uuid)
ORDER BY created_at, id LIMIT $3;

-- name: insert_organization
INSERT INTO organizations (id, slug, name) VALUES ($1, $2, $3)
RETURNING id, slug, name, status, created_at;

-- name: insert_settings
INSERT INTO organization_settings (organization_id) VALUES ($1);

-- name: profile
SELECT o.id, o.slug, o.name, o.status, s.currency, s.locale, s.timezone, s.contact_email, s.accent_color,
       s.mail_sender_name, s.mail_reply_to, s.staff_may_edit_venues, s.event_capacity_max, s.ticket_price_max,
       s.embed_origins, o.created_at
FROM organizations o JOIN organization_settings s ON s.organization_id = o.id
WHERE o.id = $1;

-- name: update_organization
UPDATE organizations SET name = $2, updated_at = app.clock() WHERE id = $1;

-- name: update_organization_status
UPDATE organizations SET status = $2, updated_at = app.clock() WHERE id = $1
RETURNING id, slug, name, status, created_at;

-- name: update_settings
UPDATE organization_settings
SET currency = $2, locale = $3, timezone = $4, contact_email = $5, accent_color = $6,
    mail_sender_name = $7, mail_reply_to = $8, staff_may_edit_venues = $9, event_capacity_max = $10, embed_origins = $11,
    ticket_price_max = $12, updated_at = app.clock()
WHERE organization_id = $1;

-- name: insert_user
INSERT INTO users (id, organization_id, email, name, role, password_hash) VALUES ($1, $2, $3, $4, $5, $6)
RETURNING id, email, name, role, status, created_at;

-- name: user_by_id
SELECT id, email, name, role, status, created_at FROM users WHERE organization_id = $1 AND id = $2;

-- name: user_by_email
SELECT id, email, name, role, status, created_at FROM users WHERE organization_id = $1 AND lower(email) = lower($2);

-- name: lock_user
-- FOR UPDATE: a change of role is decided on what is true now.
SELECT id, email, name, role, status, created_at FROM users WHERE organization_id = $1 AND id = $2 FOR UPDATE;

-- name: password_hash
SELECT password_hash FROM users WHERE organization_id = $1 AND id = $2;

-- name: update_password
UPDATE users SET password_hash = $3, updated_at = app.clock() WHERE organization_id = $1 AND id = $2;

-- name: update_user
UPDATE users SET name = $3, role = $4, status = $5, updated_at = app.clock()
WHERE organization_id = $1 AND id = $2
RETURNING id, email, name, role, status, created_at;

-- name: list_members
SELECT id, email, name, role, status, created_at FROM users
WHERE organization_id = $1 AND role <> 'customer'
  AND ($2::timestamptz IS NULL OR (created_at, id) > ($2, $3::uuid))
ORDER BY created_at, id LIMIT $4;

-- name: insert_session
INSERT INTO sessions (id, organization_id, user_id, token_hash, method, ip, user_agent, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, app.clock() + $8)
RETURNING expires_at;

-- name: open_session
-- Whose it is, if it is still good.
SELECT o.id, o.slug, o.name, u.name AS user_name, u.email, u.role
FROM sessions s
JOIN users u ON u.organization_id = s.organization_id AND u.id = s.user_id
JOIN organizations o ON o.id = s.organization_id
WHERE s.organization_id = $1 AND s.token_hash = $2 AND s.revoked_at IS NULL AND s.expires_at > app.clock()
  AND u.status = 'active' AND o.status = 'active';

-- name: revoke_session
UPDATE sessions SET revoked_at = app.clock() WHERE organization_id = $1 AND id = $2 AND revoked_at IS NULL;

-- name: revoke_sessions_of
-- Everywhere but in the session that asks.
UPDATE sessions SET revoked_at = app.clock()
WHERE organization_id = $1 AND user_id = $2 AND revoked_at IS NULL AND id IS DISTINCT FROM $3;

-- name: end_guest_session
-- One winner: of two who sign in from the same guest's session, whoever ends it has what the guest had.
UPDATE sessions s SET revoked_at = app.clock()
FROM users u
WHERE s.organization_id = $1 AND s.token_hash = $2 AND s.revoked_at IS NULL AND s.expires_at > app.clock()
  AND u.organization_id = $1 AND u.id = s.user_id AND u.email IS NULL AND u.role = 'customer' AND u.status = 'active'
RETURNING s.id, s.user_id;

-- name: insert_magic_link
INSERT INTO magic_links (id, organization_id, email, token_hash, expires_at)
VALUES ($1, $2, $3, $4, app.clock() + $5);

-- name: spend_magic_link
-- One winner: whoever flips used_at.
UPDATE magic_links SET used_at = app.clock()
WHERE organization_id = $1 AND token_hash = $2 AND used_at IS NULL AND expires_at > app.clock()
RETURNING email;

-- name: revoke_open_invitation
UPDATE invitations SET revoked_at = app.clock()
WHERE organization_id = $1 AND lower(email) = lower($2) AND accepted_at IS NULL AND revoked_at IS NULL;

-- name: insert_invitation
INSERT INTO invitations (id, organization_id, email, role, token_hash, invited_by, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, app.clock() + $7)
RETURNING id, email, role, created_at, expires_at;

-- name: list_invitations
SELECT id, email, role, created_at, expires_at FROM invitations
WHERE organization_id = $1 AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > app.clock()
  AND ($2::timestamptz IS NULL OR (created_at, id) > ($2, $3::uuid))
ORDER BY created_at, id LIMIT $4;

-- name: revoke_invitation
UPDATE invitations SET revoked_at = app.clock()
WHERE organization_id = $1 AND id = $2 AND accepted_at IS NULL AND revoked_at IS NULL;

-- name: accept_invitation
UPDATE invitations SET accepted_at = app.clock()
WHERE organization_id = $1 AND token_hash = $2 AND accepted_at IS NULL AND revoked_at IS NULL
  AND expires_at > app.clock()
RETURNING id, email, role, created_at, expires_at;

-- name: insert_api_key
INSERT INTO api_keys (id, organization_id, name, scopes, token_hash, hint, created_by, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
RETURNING id, name, scopes, hint, created_at, expires_at, last_used_at;

-- name: list_api_keys
SELECT id, name, scopes, hint, created_at, expires_at, last_used_at FROM api_keys
WHERE organization_id = $1 AND revoked_at IS NULL
  AND ($2::timestamptz IS NULL OR (created_at, id) > ($2, $3::uuid))
ORDER BY created_at, id LIMIT $4;

-- name: revoke_api_key
UPDATE api_keys SET revoked_at = app.clock() WHERE organization_id = $1 AND id = $2 AND revoked_at IS NULL;

-- name: touch_api_key
UPDATE api_keys SET last_used_at = app.clock() WHERE organization_id = $1 AND id = $2;

-- name: insert_membership
WITH m AS (
    INSERT INTO memberships (id, organization_id, user_id, tier, number, valid_from, valid_until)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    RETURNING *
)
SELECT m.id, m.user_id, u.email, u.name, m.tier, m.number, m.status, m.valid_from, m.valid_until, m.created_at
FROM m JOIN users u ON u.organization_id = m.organization_id AND u.id = m.user_id;

-- name: membership_by_id
SELECT m.id, m.user_id, u.email, u.name, m.tier, m.number, m.status, m.valid_from, m.valid_until, m.created_at
FROM memberships m JOIN users u ON u.organization_id = m.organization_id AND u.id = m.user_id
WHERE m.organization_id = $1 AND m.id = $2;

-- name: lock_membership
SELECT m.id, m.user_id, u.email, u.name, m.tier, m.number, m.status, m.valid_from, m.valid_until, m.created_at
FROM memberships m JOIN users u ON u.organization_id = m.organization_id AND u.id = m.user_id
WHERE m.organization_id = $1 AND m.id = $2
FOR UPDATE OF m;

-- name: update_membership
WITH m AS (
    UPDATE memberships
    SET tier = $3, status = $4, valid_from = $5, valid_until = $6, updated_at = app.clock()
    WHERE organization_id = $1 AND id = $2
    RETURNING *
)
SELECT m.id, m.user_id, u.email, u.name, m.tier, m.number, m.status, m.valid_from, m.valid_until, m.created_at
FROM m JOIN users u ON u.organization_id = m.organization_id AND u.id = m.user_id;

-- name: list_memberships
SELECT m.id, m.user_id, u.email, u.name, m.tier, m.number, m.status, m.valid_from, m.valid_until, m.created_at
FROM memberships m JOIN users u ON u.organization_id = m.organization_id AND u.id = m.user_id
WHERE m.organization_id = $1 AND ($2::text IS NULL OR m.tier = $2)
  AND ($3::timestamptz IS NULL OR (m.created_at, m.id) > ($3, $4::uuid))
ORDER BY m.created_at, m.id LIMIT $5;

-- name: memberships_of
SELECT m.id, m.user_id, u.email, u.name, m.tier, m.number, m.status, m.valid_from, m.valid_until, m.created_at
FROM memberships m JOIN users u ON u.organization_id = m.organization_id AND u.id = m.user_id
WHERE m.organization_id = $1 AND m.user_id = $2;

-- name: list_audit
SELECT id, created_at, actor_type, actor_id, actor_name, action, entity_type, entity_id, before, after, reason,
       approval_reference, ip, user_agent, request_id
FROM audit_log
WHERE organization_id = $1
  AND ($2::text IS NULL OR action = $2 OR right($2, 2) = '.*' AND starts_with(action, left($2, -1)))
  AND ($3::text IS NULL OR entity_type = $3)
  AND ($4::uuid IS NULL OR actor_id = $4)
  AND ($5::uuid IS NULL OR entity_id = $5)
  AND ($6::timestamptz IS NULL OR created_at >= $6)
  AND ($7::timestamptz IS NULL OR created_at < $7)
  AND ($8::timestamptz IS NULL OR (created_at, id) < ($8, $9::uuid))
ORDER BY created_at DESC, id DESC LIMIT $10;

-- name: platform_user_by_email
SELECT id, email, name, role, password_hash FROM platform_users WHERE lower(email) = lower($1) AND status = 'active';

-- name: platform_user_by_id
SELECT id, email, name, role FROM platform_users WHERE id = $1;

-- name: insert_platform_user
INSERT INTO platform_users (id, email, name, role, password_hash) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (lower(email)) DO NOTHING
RETURNING id, email, name, role;

-- name: update_platform_user
-- A new password or status ends every session.
WITH u AS (
    UPDATE platform_users SET password_hash = coalesce($2, password_hash), status = coalesce($3, status)
    WHERE lower(email) = lower($1) RETURNING id
), ended AS (
    UPDATE platform_sessions SET revoked_at = app.clock()
    WHERE user_id IN (SELECT id FROM u) AND revoked_at IS NULL
)
SELECT id FROM u;

-- name: insert_platform_session
INSERT INTO platform_sessions (id, user_id, token_hash, expires_at) VALUES ($1, $2, $3, app.clock() + $4)
RETURNING expires_at;

-- name: who_has_platform_session
SELECT s.id AS session_id, u.id AS user_id, u.name, u.role
FROM platform_sessions s JOIN platform_users u ON u.id = s.user_id
WHERE s.token_hash = $1 AND s.revoked_at IS NULL AND s.expires_at > app.clock() AND u.status = 'active';

-- name: revoke_platform_session
UPDATE platform_sessions SET revoked_at = app.clock() WHERE id = $1 AND revoked_at IS NULL;

-- name: sweep_sessions
-- Kept a month past their end for the audit; run by a worker across organisations.
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
-- Whether they were sent, refused or never left: nobody needs one after a season.
DELETE FROM mails WHERE id IN (
    SELECT id FROM mails WHERE sent_at < app.clock() - interval '90 days'
                            OR refused_at < app.clock() - interval '90 days'
                            OR sent_at IS NULL AND created_at < app.clock() - interval '90 days' LIMIT 1000);

-- name: sweep_unsent_links
-- A way in that never left is long past, and is not kept in readable text.
DELETE FROM mails WHERE id IN (
    SELECT id FROM mails WHERE sent_at IS NULL AND template = 'sign_in_link'
                           AND created_at < app.clock() - interval '1 day' LIMIT 1000);
