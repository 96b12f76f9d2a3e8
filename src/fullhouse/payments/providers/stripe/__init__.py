"""Stripe: API client and webhook handling."""
