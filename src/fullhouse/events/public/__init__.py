"""Public events: the feed, search, city suggestions, and the event service's API for their creators."""
