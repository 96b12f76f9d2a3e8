"""An event's live channels: who may listen, and what is told when it changes."""
