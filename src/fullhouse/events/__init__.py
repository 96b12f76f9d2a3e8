"""Venues, their gates, and events.

A venue is physical or virtual; its slug is unique in its organisation. A gate is an entrance of one venue, open or
closed; its code is unique there. Rows that people edit have a version: a change with a stale one is refused (412).
"""
