"""The sale status of an event: by its status, ticket types, remaining tickets, and the current time. Pure."""
