"""From holds to an order: the only orchestrator, hold to payment to ticket.

A checkout is `open` for ten minutes, `paying` while a payment's outcome is open, then `completed`; or it is `left`, has
`expired`, or was `cancelled` with its show. An order is `pending` until it is `paid`; `needs_consent` if the money came
when the places were gone and there are others; `cancelled`, `partly_refunded` or `refunded`. What holds here: a
checkout never lengthens a hold, only a started payment does; a purchase happens once for its key; no money without
tickets or a refund; no ticket without its money.

What is sold out has a waiting list. An entry is `waiting`, then `offered` places that are held for it, which are
`taken` or have `lapsed`; or its person has `left`. Nobody gets a place while somebody waits whom it fits.
"""
