"""What everybody may read of events: the feed, search, cities, and the API for makers of public events."""
