"""A demo organisation with people, events and weeks of sales, to try things on. No other package imports it."""
