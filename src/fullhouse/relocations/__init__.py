"""Tickets whose seat has moved with a new version of the plan: the buyer accepts the new seat, or gets a refund."""
