"""One change of an event, told to all who are concerned: the recipients are gathered once, and told page by page."""
