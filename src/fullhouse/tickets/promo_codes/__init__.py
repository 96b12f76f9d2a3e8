"""Promo codes: what they take off, which hidden ticket types they show, and how often they may be used."""
