"""The outbox and what follows from it: the relay to the broker, async handlers, jobs and periodic loops."""
