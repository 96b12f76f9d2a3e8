"""State that may be lost: the in-process cache, Redis behind a circuit breaker, rate limits."""
