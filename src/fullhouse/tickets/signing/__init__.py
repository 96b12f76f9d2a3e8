"""Signed codes on tickets, and the keys that sign them."""
