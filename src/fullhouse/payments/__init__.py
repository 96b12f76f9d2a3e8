"""Money in and out, and the ledger. It knows references, not carts.

An attempt to be paid is `started`, then `captured` or `failed`; `pending` while the buyer is busy at the provider,
`unknown` while nobody can say, `abandoned` once the provider has said that it is cancelled. What holds here: an order
is paid once; an attempt whose outcome is open is asked about until it is known; no more goes back than came in; every
transaction of the ledger sums to zero, and none is ever changed.
"""
