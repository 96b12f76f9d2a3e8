"""fullhouse: a ticketing platform. ARCHITECTURE.md describes its structure."""

VERSION = "0.1.0"
