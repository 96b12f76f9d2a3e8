"""What a device takes along for scanning offline: an event's tickets, sealed and signed."""
