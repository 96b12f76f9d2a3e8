"""A worker that serves a waiting list and is killed, without a word, right before or right after its commit.

python -m tests.races.killed_worker <url> <folder> <when> <organisation> <show>
"""

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any
from uuid import UUID

from fullhouse import wiring
from fullhouse.kit.db import database as db
from fullhouse.kit.media.files import Disk
from fullhouse.kit.messages import outbox
from fullhouse.kit.services import open_services
from fullhouse.waitlist import actions
from tests.names import PUBLIC_URL, SECRET_KEY


async def main(url: str, home: Path, when: str, organization_id: UUID, event_id: UUID) -> None:
    outbox.wire(wiring.SYNC)
    usual = db.Database._commit

    async def commit(database: db.Database, tx: Any) -> None:
        if when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        await usual(database, tx)
        os.kill(os.getpid(), signal.SIGKILL)

    db.Database._commit = commit  # type: ignore[assignment, method-assign]
    async with (
        open_services(
            url=url,
            read_url=None,
            redis_url=None,
            secret_key=SECRET_KEY,
            files=Disk(home / "images"),
            public_url=PUBLIC_URL,
            pool_size=2,
        ) as services,
        services.database.tenant(organization_id) as tx,
    ):
        await actions.serve(tx, event_id)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3], UUID(sys.argv[4]), UUID(sys.argv[5])))
