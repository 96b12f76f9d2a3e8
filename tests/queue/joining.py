"""A server process that people join through until it is killed: it says who has a place once they were told so."""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

from fullhouse.kit.db import database
from fullhouse.kit.ids import new_id
from fullhouse.waiting_room.rooms import WaitingRooms
from tests.holds.helpers import a_process

CALLERS = 64
NAME = "joining"  # by which its sessions are known in the database


def named(role: str, ordinary: Callable[[str], dict[str, str]] = database.session_settings) -> dict[str, str]:
    return ordinary(role) | {"application_name": NAME}


async def serve(url: str, organization_id: UUID, event_id: UUID) -> None:
    async with a_process(url, Path("/nonexistent")) as process:
        queue = process.part(WaitingRooms)

        async def caller() -> None:
            while True:
                user_id = new_id()
                joined = await queue.join(organization_id, event_id, user_id)
                sys.stdout.write(f"place {user_id} {joined.seq}\n")
                sys.stdout.flush()

        await asyncio.gather(*(caller() for _ in range(CALLERS)))


if __name__ == "__main__":
    database.session_settings = named
    asyncio.run(serve(sys.argv[1], UUID(sys.argv[2]), UUID(sys.argv[3])))
