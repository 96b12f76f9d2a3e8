"""The HTTP layer: server, request handling, guards and error rendering.

Two lanes share one middleware. The wide lane is Litestar, with documentation, guards and dependency injection. The
fast lane serves the few hot routes in front of it, in the same process, and only routes that Litestar has too.
Both are served by our own server (server.py, wire.py) and as an ASGI application, with the same responses.
"""
