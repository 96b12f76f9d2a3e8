"""Messages to RabbitMQ and from it.

A fact waits in the outbox. The relay (kit/messages/relay.py) publishes it to RabbitMQ, if there is one, in the order of
its subject, and marks it when the broker has confirmed. Async handlers (kit/messages/async_handlers.py) process facts
inside the installation, each once in effect. Messages of other programs arrive in a queue and pass the same
deduplication to the same handlers; a message that cannot be understood is dead-lettered with the reason. Nothing else
depends on the broker, which may be unavailable for days.
"""
