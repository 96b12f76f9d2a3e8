"""Promo codes: their discounts, the hidden ticket types they show, and their limits."""
