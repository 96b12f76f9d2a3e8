"""The outbox and its consumers: the relay to the broker and async handlers; jobs and periodic loops."""
