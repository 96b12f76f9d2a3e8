"""What an event makes of a plan: attaching it, its own zones and prices, seats that are blocked or released by hand."""
