"""Compares a client's log with the database: `fullhouse prove --log`."""
