"""HTTP routes of waitlists: join, read and leave, also by the entry's secret; and the organiser's routes."""

from typing import Any
from uuid import UUID

from fullhouse.kit.actors import Actor, Principal
from fullhouse.kit.cache.limits import Limit
from fullhouse.kit.db.cursors import LIMIT, Page
from fullhouse.kit.db.database import Tx
from fullhouse.kit.http.endpoints import delete, get, post, put
from fullhouse.kit.http.parameters import After, PageSize, Secret, parse_bearer
from fullhouse.kit.services import Services
from fullhouse.waitlist import actions, reads
from fullhouse.waitlist.model import (
    JoinWaitlist,
    Status,
    WaitlistEntry,
    WaitlistEntryRow,
    WaitlistSettings,
    WaitlistView,
)

SECRET_LIMIT = Limit(60, 60)
JOIN_LIMIT = Limit(60, 60)


async def join_waitlist(
    tx: Tx, services: Services, who: Principal, event_id: UUID, data: JoinWaitlist
) -> WaitlistEntry:
    """Join the waitlist of an event, for a party of a given size.

    Returned seats and tickets are offered in the order of joining, to the first party that they fit. An offer is held
    until `answer_by`, is among my holds, and is announced by email. 409 `places_left` if matching ones are on sale now.
    """
    entry = await actions.join(tx, services.keyring, who, event_id, data)
    return await reads.to_view(tx, services.keyring, entry)


async def get_my_waitlist_entry(tx: Tx, services: Services, who: Principal, event_id: UUID) -> WaitlistEntry:
    """My entry on the waitlist of an event, and my offer."""
    return await reads.to_view(tx, services.keyring, await reads.require_entry_of_user(tx, who, event_id))


async def leave_waitlist(tx: Tx, who: Principal, event_id: UUID) -> None:
    """Leave the waitlist of an event. My offer, if any, goes to the next entry."""
    await actions.leave(tx, await reads.require_entry_of_user(tx, who, event_id))


@get("/api/waitlist", public=True, limit=SECRET_LIMIT)
async def get_waitlist_entry_by_secret(services: Services, authorization: Secret = None) -> WaitlistEntry:
    """The entry whose secret is in the `Authorization` header: for guests, through the link in their email."""
    secret = parse_bearer(authorization)
    async with services.database.tenant(reads.parse_organization(secret)) as tx:
        return await reads.to_view(tx, services.keyring, await reads.require_entry_by_secret(tx, secret))


@delete("/api/waitlist", public=True, limit=SECRET_LIMIT)
async def leave_waitlist_by_secret(services: Services, actor: Actor, authorization: Secret = None) -> None:
    """Leave the waitlist through the link in the email."""
    secret = parse_bearer(authorization)
    async with services.database.tenant(reads.parse_organization(secret), actor) as tx:
        await actions.leave(tx, await reads.require_entry_by_secret(tx, secret))


async def list_waitlist(
    tx: Tx,
    services: Services,
    event_id: UUID,
    status: Status | None = None,
    cursor: After = None,
    limit: PageSize = LIMIT,
) -> Page[WaitlistEntryRow]:
    """All entries of an event's waitlist, in the order of joining."""
    return await reads.list_entries(tx, services.keyring, event_id, status, cursor, limit)


async def get_waitlist_settings(tx: Tx, event_id: UUID) -> WaitlistView:
    """An event's waitlist: whether it is on, how long an offer is held, and how many people wait."""
    return await reads.get_list_view(tx, event_id)


async def change_waitlist_settings(tx: Tx, event_id: UUID, data: WaitlistSettings) -> WaitlistView:
    """Switch an event's waitlist on or off, and set how long an offer is held."""
    await actions.change_settings(tx, event_id, data)
    return await reads.get_list_view(tx, event_id)


# Served under two paths: /waitlist, and /waiting-list, which the API's outline names.
_BY_PERSON, _ENTRIES, _SETTINGS = "", "/entries", "/settings"
_LISTS: list[tuple[Any, str, str, Any, Limit | None]] = [
    (post, _BY_PERSON, "waitlist.join", join_waitlist, JOIN_LIMIT),
    (get, _BY_PERSON, "waitlist.join", get_my_waitlist_entry, None),
    (delete, _BY_PERSON, "waitlist.join", leave_waitlist, None),
    (get, _ENTRIES, "waitlist.read", list_waitlist, None),
    (get, _SETTINGS, "waitlist.read", get_waitlist_settings, None),
    (put, _SETTINGS, "waitlist.manage", change_waitlist_settings, None),
]  # fmt: skip
handlers = [
    method(f"/api/events/{{event_id:uuid}}/{at}{rest}", action, limit=limit, name=f"{handler.__name__}{suffix}")(
        handler
    )
    for at, suffix in (("waitlist", ""), ("waiting-list", "_at_waiting_list"))
    for method, rest, action, handler, limit in _LISTS
] + [get_waitlist_entry_by_secret, leave_waitlist_by_secret]
