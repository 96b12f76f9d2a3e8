"""Tickets moved to another version of a plan: who gets which seat, and who is asked."""
