"""As in checkout: a database of their own, the sweeps' way of finding work."""

from tests.checkout.conftest import _own_database, finder, owner_url, process, server_url, staff

__all__ = ["_own_database", "finder", "owner_url", "process", "server_url", "staff"]
