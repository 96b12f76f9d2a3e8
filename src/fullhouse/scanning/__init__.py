"""Admission at the gates: paired devices scan tickets, online or offline.

Scans form a set that only grows. A ticket's presence, the occupancy of zones and double entries are functions of that
set, whatever the order of arrival. Invariants: a ticket's presence changes once per step, however many gates scan it
concurrently; online scans never exceed a gate's or a zone's capacity; a test scan never counts.
"""
