"""Tenants, people and rights.

An organisation has users; a user is a row of exactly one organisation and has one role there (owner, admin, staff,
scanner, customer). Platform staff (super_admin, tenant_manager) stand outside every organisation.

Secrets: a session belongs to one user, an API key to one organisation with scopes; both are opaque, revocable, stored
as hashes. Magic links and invitations are used once.

Invariants, kept by the database: an e-mail address is unique within its organisation; an organisation never loses its
last owner; a person has one open invitation; nothing refers to a user of another organisation.
"""
