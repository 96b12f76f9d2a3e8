"""Snapshots for offline scanning: an event's tickets, encrypted and signed for a device."""
