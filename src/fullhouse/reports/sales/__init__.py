"""Sales over time and by event, and the search for orders. It only reads."""
