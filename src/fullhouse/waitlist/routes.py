"""Waiting lists over HTTP: join, see, leave; by the entry's secret, too. And the organiser's side."""

from typing import Any
from uuid import UUID

from fullhouse.kit.actors import Actor, Principal
from fullhouse.kit.cache.limits import Limit
from fullhouse.kit.db.cursors import LIMIT, Page
from fullhouse.kit.db.database import Tx
from fullhouse.kit.http.endpoints import delete, get, post, put
from fullhouse.kit.http.parameters import After, PageSize, Secret, bearer
from fullhouse.kit.services import Services
from fullhouse.waitlist import actions, reads
from fullhouse.waitlist.model import Entry, EntryRow, JoinList, ListSettings, ListView, Status

BY_SECRET = Limit(60, 60)
JOINING = Limit(60, 60)


async def join_waitlist(tx: Tx, services: Services, who: Principal, event_id: UUID, data: JoinList) -> Entry:
    """Put my name on a show's waiting list, for a party of so many.

    Places that come back are offered in the order of joining, to the first party that they fit: held for me until
    `answer_by`, in my holds, and told to me by mail. 409 `places_left` if there are such places now.
    """
    entry = await actions.join(tx, services.keyring, who, event_id, data)
    return await reads.shown(tx, services.keyring, entry)


async def get_my_waitlist_entry(tx: Tx, services: Services, who: Principal, event_id: UUID) -> Entry:
    """My place on a show's waiting list, and what I am offered."""
    return await reads.shown(tx, services.keyring, await reads.of_person(tx, who, event_id))


async def leave_waitlist(tx: Tx, who: Principal, event_id: UUID) -> None:
    """Leave a show's waiting list. What I am offered goes to the next one."""
    await actions.leave(tx, await reads.of_person(tx, who, event_id))


@get("/api/waitlist", public=True, limit=BY_SECRET)
async def get_waitlist_entry_by_secret(services: Services, authorization: Secret = None) -> Entry:
    """The entry whose secret the `Authorization` header carries: for guests, by the link in their mail."""
    secret = bearer(authorization)
    async with services.database.tenant(reads.organization_in(secret)) as tx:
        return await reads.shown(tx, services.keyring, await reads.by_secret(tx, secret))


@delete("/api/waitlist", public=True, limit=BY_SECRET)
async def leave_waitlist_by_secret(services: Services, actor: Actor, authorization: Secret = None) -> None:
    """Leave the list by the link in the mail."""
    secret = bearer(authorization)
    async with services.database.tenant(reads.organization_in(secret), actor) as tx:
        await actions.leave(tx, await reads.by_secret(tx, secret))


async def list_waitlist(
    tx: Tx,
    services: Services,
    event_id: UUID,
    status: Status | None = None,
    cursor: After = None,
    limit: PageSize = LIMIT,
) -> Page[EntryRow]:
    """Who is or was on a show's waiting list, in the order of joining."""
    return await reads.page_of_entries(tx, services.keyring, event_id, status, cursor, limit)


async def get_waitlist_settings(tx: Tx, event_id: UUID) -> ListView:
    """A show's waiting list: whether it is on, how long an offer is kept, and how many wait."""
    return await reads.view(tx, event_id)


async def change_waitlist_settings(tx: Tx, event_id: UUID, data: ListSettings) -> ListView:
    """Switch a show's waiting list on or off, and say how long an offer is kept."""
    await actions.change_settings(tx, event_id, data)
    return await reads.view(tx, event_id)


# Under both of its names: /waitlist, and /waiting-list, as the API's outline has it.
_BY_PERSON, _ENTRIES, _SETTINGS = "", "/entries", "/settings"
_LISTS: list[tuple[Any, str, str, Any, Limit | None]] = [
    (post, _BY_PERSON, "waitlist.join", join_waitlist, JOINING),
    (get, _BY_PERSON, "waitlist.join", get_my_waitlist_entry, None),
    (delete, _BY_PERSON, "waitlist.join", leave_waitlist, None),
    (get, _ENTRIES, "waitlist.read", list_waitlist, None),
    (get, _SETTINGS, "waitlist.read", get_waitlist_settings, None),
    (put, _SETTINGS, "waitlist.manage", change_waitlist_settings, None),
]  # fmt: skip
handlers = [
    verb(f"/api/events/{{event_id:uuid}}/{at}{rest}", action, limit=limit, name=f"{serve.__name__}{called}")(serve)
    for at, called in (("waitlist", ""), ("waiting-list", "_at_waiting_list"))
    for verb, rest, action, serve, limit in _LISTS
] + [get_waitlist_entry_by_secret, leave_waitlist_by_secret]
