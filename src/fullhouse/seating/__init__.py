"""Seating: layouts and their versions, zones, seats, and what an event changes in them."""
