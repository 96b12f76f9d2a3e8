"""Private servers for the tests: PostgreSQL, Redis, RabbitMQ, on free ports, touching nothing of the machine's.

`keeper` is a process that starts a server when a test first asks for it, and stops all when the run ends;
`client` is how a run starts the keeper and how a test asks; `servers` knows how to start each one.
"""
