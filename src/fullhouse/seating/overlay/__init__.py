"""An event's overlay: attaching a layout, the event's own zones and prices, blocking and releasing seats."""
