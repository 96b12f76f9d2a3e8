"""Payment providers: the test provider, Stripe, and what they have in common."""
