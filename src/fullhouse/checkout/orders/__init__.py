"""From a checkout to an order: the purchase, its settlement when the money is there, and reading orders."""
