"""Payments, refunds and the ledger. Orders are known here by their ids only.

A payment attempt is `started`, then `captured` or `failed`; `pending` while the buyer completes it at the provider,
`unknown` while its outcome cannot be determined, `abandoned` once the provider has confirmed that it is cancelled.
Invariants: an order is paid once; an attempt with an open outcome is polled until the outcome is known; refunds never
exceed what was captured; every ledger transaction sums to zero, and none is ever changed.
"""
