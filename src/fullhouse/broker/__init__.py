"""Messages to RabbitMQ and from it.

A fact waits in the outbox. The relay (kit/messages/relay.py) publishes it to RabbitMQ, if there is one, in the order of
its subject, and marks it when the broker has confirmed. Async handlers (kit/messages/async_handlers.py) process facts
inside the installation, each once in effect. What others publish comes in by a queue, through the same deduplication,
to the same handlers; what cannot be understood goes to the dead letters with the reason. Nothing else waits for the
broker, which may be away for days.
"""
