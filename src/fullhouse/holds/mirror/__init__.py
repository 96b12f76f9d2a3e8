"""The mirror of holds and seat states in Redis, for readers outside. The database remains the source of truth."""
