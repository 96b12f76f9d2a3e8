"""Logs and metrics. The metrics of a process are in files that its siblings read."""
