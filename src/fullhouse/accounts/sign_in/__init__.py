"""Signing in: passwords, magic links, invitations, guests and sessions."""
