"""Notices about a change of an event: the recipients are stored once, then emailed page by page."""
