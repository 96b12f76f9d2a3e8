"""Keeps src/fullhouse/migrations/schema.json true: the guards that a freshly migrated database has (kit/schema.py).

python scripts/schema.py --write      writes it, from a PostgreSQL of its own in a temporary folder
"""

import asyncio
import sys
import tempfile
from pathlib import Path

import asyncpg
import msgspec

from fullhouse.kit import migrate, schema
from fullhouse.kit.postgres import Cluster


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        home.chmod(0o755)  # PostgreSQL's own account enters it
        cluster = Cluster(home, settings={"fsync": "off"})
        cluster.start()
        try:
            shipped = asyncio.run(_read(cluster.url()))
        finally:
            cluster.stop()
    schema.FILE.write_bytes(encode(shipped))
    return 0


async def _read(url: str) -> schema.Shipped:
    await migrate.migrate(url)
    connection = await asyncpg.connect(url)
    try:
        return schema.Shipped(migrate.known()[-1].name, await schema.read(connection))
    finally:
        await connection.close()


def encode(shipped: schema.Shipped) -> bytes:
    return msgspec.json.format(msgspec.json.encode(shipped, order="sorted"), indent=1) + b"\n"


if __name__ == "__main__":
    if "--write" not in sys.argv:
        sys.exit(__doc__)
    sys.exit(main())
