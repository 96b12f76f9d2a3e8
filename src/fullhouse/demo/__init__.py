"""A demo organisation with people, events and weeks of sales, for evaluation."""
