"""From holds to an order: the domain that orchestrates hold, payment and ticket.

A checkout is `open` for ten minutes, `paying` while a payment's outcome is open, then `completed`; or it is `left`,
`expired`, or `cancelled` with its event. An order is `pending` until it is `paid`; `needs_consent` if the payment
arrived after its seats were gone and others are proposed; `cancelled`, `partly_refunded` or `refunded`. Invariants: a
checkout extends its holds once, when it begins; an idempotency key buys once; every payment ends in tickets or a
refund; every ticket has its payment.
"""
