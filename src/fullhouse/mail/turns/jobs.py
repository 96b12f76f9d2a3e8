"""The loop that emails people in waiting rooms. If it runs late, they have less time to come back."""

import structlog

from fullhouse.kit.db.database import Database, is_unavailable
from fullhouse.mail.turns import actions, store

log = structlog.get_logger()


async def email_waiting_rooms(finder: Database, database: Database) -> int:
    """Finds waiting rooms across organisations and emails their people; returns how many. If one fails, the others go
    on."""
    async with finder.without_tenant() as tx:
        rooms = await store.list_rooms_to_email(tx)
    sent = 0
    for room in rooms:
        try:
            async with database.tenant(room.organization_id) as tx:
                sent += await actions.email_opening(tx, room.id)
            page = actions.TURNS
            while page == actions.TURNS:
                async with database.tenant(room.organization_id) as tx:
                    page = await actions.email_turns(tx, room.id)
                sent += page
        except Exception as error:
            if is_unavailable(error):
                raise
            log.exception(
                "mail.turns_failed",
                detail="the emails to people in this waiting room were not queued; the next run retries",
                event_id=str(room.id),
            )
    return sent
