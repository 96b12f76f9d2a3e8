"""Seating plans of pretix."""
