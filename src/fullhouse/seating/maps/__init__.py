"""Plans drawn: the geometry that a map loads, previews, and the live states of an event's seats."""
