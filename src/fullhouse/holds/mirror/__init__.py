"""The mirror of holds and seat states in Redis, for readers elsewhere. The database stays the truth."""
