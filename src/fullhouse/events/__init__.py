"""Where and when: venues, their gates, and the shows.

A venue is physical or virtual; its slug is unique in its organisation. A gate is a door of one venue, open or closed;
its code is unique there. Rows that people edit carry a version: a change that names a stale one is refused (412).
"""
