"""Payment providers: the test provider, Stripe, and what all of them have in common."""
