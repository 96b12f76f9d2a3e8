"""The sweep that writes to people in waiting rooms. It may run late: then there is less time to come."""

import structlog

from fullhouse.kit.db.database import Database, is_gone
from fullhouse.mail.turns import actions, store

log = structlog.get_logger()


async def tell_queues(finder: Database, database: Database) -> int:
    """Finds rooms across organisations, writes letters inside each; returns how many. One that fails hinders no
    other."""
    async with finder.nobody() as tx:
        rooms = await store.rooms_to_tell(tx)
    told = 0
    for room in rooms:
        try:
            async with database.tenant(room.organization_id) as tx:
                told += await actions.tell_opening(tx, room.id)
            page = actions.TURNS
            while page == actions.TURNS:
                async with database.tenant(room.organization_id) as tx:
                    page = await actions.tell_turns(tx, room.id)
                told += page
        except Exception as error:
            if is_gone(error):
                raise
            log.exception("people in a waiting room could not be told", event_id=str(room.id))
    return told
