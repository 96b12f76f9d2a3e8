"""Refunds: what a buyer gets back for an order, and for all orders of an event that is cancelled or moved.

A refund is decided once, in the transaction that voids its tickets, and paid by a job (payments). No more is refunded
than was paid.
"""
