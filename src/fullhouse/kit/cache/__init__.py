"""What may be forgotten: the cache of a process, Redis behind a circuit breaker, rate limits."""
