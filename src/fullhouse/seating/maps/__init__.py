"""Seat maps: a layout's geometry, previews, and the live states of an event's seats."""
