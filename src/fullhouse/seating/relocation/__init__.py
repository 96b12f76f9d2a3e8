"""Migration of an event with sold tickets to another layout version."""
