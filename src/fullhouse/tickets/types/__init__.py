"""Ticket types: what an event sells, at which price, when and how many."""
