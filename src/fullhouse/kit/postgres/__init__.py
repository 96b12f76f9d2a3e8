"""The embedded PostgreSQL server, for an installation without DATABASE_URL.

`Cluster` creates a data folder on first use, starts the server, adopts one that already runs there, and stops
it when the last process that uses it leaves. The server listens only on a unix socket in a private folder.

Invariants, whichever process is killed and whenever:
- one data folder never has two servers: `server.lock` is inherited by every server process, so a free lock
  means that none is alive, whatever a stale `postmaster.pid` says;
- a data folder appears only when it is complete;
- a server does not outlive the process that launched it, and shuts down cleanly when that process is killed.
  Other processes that had adopted it call `start()` again, and one of them launches the next.
"""

from fullhouse.kit.postgres.binaries import Install, find_install
from fullhouse.kit.postgres.cluster import Cluster, default_home
from fullhouse.kit.postgres.postgres_errors import PostgresError
from fullhouse.kit.postgres.server_config import LOGINS

__all__ = ["LOGINS", "Cluster", "Install", "PostgresError", "default_home", "find_install"]
