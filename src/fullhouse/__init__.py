"""fullhouse: one house for an organiser's whole show. ARCHITECTURE.md has the map."""

VERSION = "0.1.0"
