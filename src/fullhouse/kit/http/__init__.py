"""The door of the house: bytes in, bytes out; no authentication, no database.

Two lanes share one `Edge`. The wide lane is Litestar, with documentation, guards and injection. The fast
lane serves the few hot routes in front of it, in the same process, and only routes that Litestar also has.
Both are served by our own server (server.py, wire.py), and as an ASGI application; an answer is the same by any way.
"""
