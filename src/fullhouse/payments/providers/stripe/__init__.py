"""Stripe: its API, and its webhooks."""
