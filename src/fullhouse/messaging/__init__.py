"""Out of the house and into it: facts to a broker and to webhooks, mail to people, and what others tell us back.

A fact waits in the outbox. The relay (kit/relay.py) publishes it to RabbitMQ if there is one, in the order of its
subject, and marks it when the broker has confirmed; reactions (kit/reactions.py) run inside the house, each once in
effect. What others publish comes in by a queue, through the same dedupe, to the same reactions; what cannot be
understood goes to the dead letters with the reason. The broker may be away for days: nothing else waits for it.
"""
