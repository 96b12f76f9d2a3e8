"""What became of holds and checkouts, event by event: measures, from the hold to the sale. It only reads."""
