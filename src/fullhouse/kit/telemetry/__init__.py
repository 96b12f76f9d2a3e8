"""Logs, metrics and traces. Each process writes its metrics to files that its sibling processes read."""
