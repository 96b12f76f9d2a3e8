"""Organisations, users and permissions.

An organisation has users; a user is a row of exactly one organisation and has one role there (owner, admin, staff,
scanner, customer). Platform staff (super_admin, tenant_manager) belong to no organisation.

Secrets: a session belongs to one user, an API key to one organisation and has scopes; both are opaque, revocable and
stored as hashes. Magic links and invitations work once.

Invariants, enforced by the database: an email address is unique within its organisation; an organisation never loses
its last owner; a person has at most one open invitation; no row refers to a user of another organisation.
"""
