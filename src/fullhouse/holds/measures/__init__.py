"""Measures of a sale: holds by state and ending, how full events are, and alerts."""
