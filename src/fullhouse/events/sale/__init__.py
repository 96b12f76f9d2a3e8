"""Whether an event is on sale now: by its status, its ticket types, what is left, and the clock. Pure."""
