"""From a checkout to an order: the purchase, its settlement after the payment, and reading orders."""
