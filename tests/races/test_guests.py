"""A guest who signs in while something else happens to what the guest has: all of it is somebody's, and once."""

import asyncio
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import asyncpg
import pytest

from fullhouse.accounts import actions as accounts
from fullhouse.accounts import store as account_store
from fullhouse.accounts.model import Role
from fullhouse.accounts.sign_in import actions as signing_in
from fullhouse.checkout import actions
from fullhouse.checkout.guests import store
from fullhouse.checkout.model import Item, Session, StartCheckout
from fullhouse.holds import actions as holds
from fullhouse.holds import jobs as hold_jobs
from fullhouse.kit.actors import SYSTEM, Actor, Principal
from fullhouse.kit.db.database import WORKER, Database
from fullhouse.kit.errors import Refusal
from fullhouse.kit.ids import new_id
from fullhouse.waiting_room import actions as queue
from fullhouse.waiting_room import entry_actions as line
from fullhouse.waiting_room import store as queue_store
from tests.fixtures import soaking
from tests.holds.helpers import places, seats, wish
from tests.races.arena import Arena, arena
from tests.races.test_checkout import Shop, buy, shop
from tests.races.test_windows import Stop, leaves

GUESTS = 60 if soaking() else 16
pytestmark = pytest.mark.req("HOLD-5", "CHK-2")


class Guest(NamedTuple):
    who: Principal
    token: str


def principal(at: Arena, user_id: UUID) -> Principal:
    known = at.tenant.principal("customer")
    actor = Actor(type="user", id=user_id, name="Somebody")
    return Principal(organization_id=known.organization_id, actor=actor, role="customer", allowed=known.allowed)


async def a_guest(at: Arena) -> Guest:
    session = await signing_in.sign_in_as_guest(at.processes[0].database, at.tenant.organization, SYSTEM, "Guest")
    return Guest(principal(at, session.user.id), session.token)


async def somebody(at: Arena) -> Principal:
    async with at.processes[0].database.tenant(at.tenant.id, SYSTEM) as tx:
        email = f"{new_id().hex}@example.org"
        user = await accounts.create_user(tx, email=email, name="Somebody", role=Role.CUSTOMER)
    return principal(at, user.id)


async def signs_in(at: Arena, n: int, guest: Guest, who: Principal) -> None:
    """As a password does, once it was right."""
    services = at.processes[n % len(at.processes)]
    async with services.database.tenant(at.tenant.id, SYSTEM) as tx:
        user = await account_store.user_by_id(tx, who.id)
        assert user
        await signing_in.create_session(tx, at.tenant.organization, user, "password", lambda _: guest.token)


async def takes(to: Shop, who: Principal, n: int, *, ttl_s: int = 300) -> StartCheckout:
    held = await to.at.hold(wish(to.sale, who.id, *seats(to.sale, n), places(to.sale, "pit", 1), ttl_s=ttl_s))
    kinds = (to.seat_type, to.pit_type)
    items = [Item(hold_id=r.hold_id, ticket_type_id=k) for r, k in zip(held, kinds, strict=True) if r.hold_id]
    assert len(items) == 2
    return StartCheckout(items=items)


async def begins(to: Shop, n: int, who: Principal, wanted: StartCheckout) -> Session | None:
    try:
        begun = await actions.start(to.services(n), who, to.sale.event_id, wanted)
    except Refusal:
        return None
    return begun if isinstance(begun, Session) else None


async def whose(at: Arena, table: str) -> list[UUID]:
    live = {"seat_holds": "('active')", "checkout_sessions": "('open', 'paying')", "queue_entries": "('admitted')"}
    query = f"SELECT user_id FROM {table} WHERE status IN {live[table]}"
    return [row["user_id"] for row in await at.owner.fetch(query)]


async def test_of_two_who_sign_in_from_one_session_one_has_the_basket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with arena(tmp_path, 2) as at:
        to = await shop(at, rows=1, pit=5)
        guest, one, other = await a_guest(at), await somebody(at), await somebody(at)
        await takes(to, guest.who, 0)
        stop = Stop(monkeypatch, store, "lock_events_of_guest", at.owner)
        first = asyncio.create_task(signs_in(at, 0, guest, one))
        await stop.here.wait()
        await asyncio.gather(signs_in(at, 1, guest, other), first)
        assert await whose(at, "seat_holds") == [one.id, one.id]
        assert await at.owner.fetchval("SELECT count(*) FROM outbox WHERE name = 'guest.signed_in'") == 1
        assert await at.wrong() == {}


async def begun_meanwhile(to: Shop, monkeypatch: pytest.MonkeyPatch) -> tuple[Guest, Principal]:
    """The guest begins a checkout and has its slot; whoever signs in waits for that."""
    at = to.at
    guest, who = await a_guest(at), await somebody(at)
    wanted = await takes(to, guest.who, 0)
    stop = Stop(monkeypatch, queue_store, "lock_admission", at.owner)
    begin = asyncio.create_task(begins(to, 0, guest.who, wanted))
    await stop.here.wait()
    await signs_in(at, 1, guest, who)
    assert await begin
    return guest, who


async def test_a_checkout_that_begins_meanwhile_comes_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with arena(tmp_path, 2) as at:
        to = await shop(at, rows=1, pit=5, quantity=5)
        _, who = await begun_meanwhile(to, monkeypatch)
        assert await whose(at, "seat_holds") == [who.id, who.id]
        assert await whose(at, "checkout_sessions") == [who.id]
        assert await whose(at, "queue_entries") == [who.id]
        async with at.processes[0].database.tenant(at.tenant.id, who.actor) as tx:
            session = await actions.to_response(
                tx, at.processes[0], await actions.require_live_session(tx, who, to.sale.event_id)
            )
        assert await buy(to, 0, who, session) == "paid"
        assert await at.wrong() == {}


async def test_without_a_second_look_it_would_be_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The guard taken away: a checkout without its places, in the name of nobody who could pay for it."""

    async def none(*_: Any, **__: Any) -> list[Any]:
        return []

    monkeypatch.setattr(store, "lock_new_checkouts", none)
    monkeypatch.setattr(store, "events_with_checkouts", none)
    async with arena(tmp_path, 2) as at:
        to = await shop(at, rows=1, pit=5, quantity=5)
        guest, who = await begun_meanwhile(to, monkeypatch)
        assert await whose(at, "checkout_sessions") == [guest.who.id]
        assert await whose(at, "seat_holds") == [who.id, who.id]


async def test_one_that_is_being_left_by_then_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seen to deadlock if whoever signs in waits for it: whoever leaves has the checkout, and waits for the slot."""
    async with arena(tmp_path, 3) as at:
        to = await shop(at, rows=1, pit=5, quantity=5)
        guest, who = await a_guest(at), await somebody(at)
        wanted = await takes(to, guest.who, 0)
        slot = Stop(monkeypatch, queue_store, "lock_admission", at.owner)
        begin = asyncio.create_task(begins(to, 0, guest.who, wanted))
        await slot.here.wait()
        places = Stop(monkeypatch, queue_store, "lock_places", at.owner)
        sign_in = asyncio.create_task(signs_in(at, 1, guest, who))
        session = await begin
        assert session
        await places.here.wait()
        await asyncio.gather(leaves(to, guest.who, session), sign_in)
        assert await whose(at, "seat_holds") == await whose(at, "checkout_sessions") == []
        assert await at.wrong() == {}


async def joined_meanwhile(to: Shop, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Somebody joins the line in one window, and brings a guest's place along in another."""
    at = to.at
    guest, who = await a_guest(at), await somebody(at)
    async with at.processes[0].database.tenant(at.tenant.id, SYSTEM) as tx:
        await queue.move(tx, at.processes[0].keyring, to.sale.event_id, "open")
    await line.join(at.processes[0], guest.who, to.sale.event_id)
    stop = Stop(monkeypatch, queue_store, "hand_over_place", at.owner)
    sign_in = asyncio.create_task(signs_in(at, 0, guest, who))
    await stop.here.wait()
    joined = await asyncio.gather(line.join(at.processes[1], who, to.sale.event_id), sign_in, return_exceptions=True)
    return [type(found).__name__ for found in joined if isinstance(found, Exception)]


@pytest.mark.req("QUEUE-1")
async def test_who_joins_meanwhile_has_one_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with arena(tmp_path, 2) as at:
        to = await shop(at, rows=1, pit=5)
        assert await joined_meanwhile(to, monkeypatch) == []
        assert len(await whose(at, "queue_entries")) == 1
        assert await at.wrong() == {}


async def test_without_the_rooms_lock_joining_would_break(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def nothing(*_: Any, **__: Any) -> list[Any]:
        return []

    monkeypatch.setattr(queue_store, "lock_rooms", nothing)
    async with arena(tmp_path, 2) as at:
        to = await shop(at, rows=1, pit=5)
        assert await joined_meanwhile(to, monkeypatch) == [asyncpg.UniqueViolationError.__name__]


@pytest.mark.soak
async def test_signing_in_beginning_paying_giving_back_and_expiring_together(tmp_path: Path) -> None:
    async with arena(tmp_path, 3) as at:
        to = await shop(at, rows=GUESTS // 20 + 1, pit=GUESTS, quantity=2 * GUESTS)
        finder = await Database.open(at.url, WORKER, size=2)
        guests = [await a_guest(at) for _ in range(GUESTS)]
        people = [await somebody(at) for _ in range(GUESTS)]
        wanted = [await takes(to, guest.who, n) for n, guest in enumerate(guests)]
        sessions = [await begins(to, n, guests[n].who, wanted[n]) if n % 2 else None for n in range(GUESTS)]
        await at.owner.execute(
            "UPDATE seat_holds SET held_until = now() + interval '300 ms' * random() WHERE user_id = ANY ($1)",
            [guest.who.id for guest in guests[::5]],
        )
        await at.owner.execute(
            "UPDATE event_seats s SET held_until = h.held_until FROM seat_holds h WHERE h.id = s.hold_id"
        )

        async def meanwhile(n: int) -> None:
            guest, session = guests[n], sessions[n]
            if session and n % 4 == 1:
                await buy(to, n, guest.who, session)
            elif n % 4 == 0:
                await begins(to, n, guest.who, wanted[n])
            else:
                async with to.services(n).database.tenant(at.tenant.id, guest.who.actor) as tx:
                    try:
                        await holds.release(tx, guest.who, wanted[n].items[0].hold_id, None)
                    except Refusal:
                        return

        async def sweep() -> None:
            for _ in range(5):
                await hold_jobs.sweep_holds(finder, at.processes[0].database)
                await asyncio.sleep(0)

        await asyncio.gather(
            sweep(),
            *(signs_in(at, n, guests[n], people[n]) for n in range(GUESTS)),
            *(signs_in(at, n + 1, guests[n], people[n]) for n in range(GUESTS)),
            *(meanwhile(n) for n in range(GUESTS)),
        )
        await finder.close()
        # Only what is being paid for, or was begun too late to follow, is still a guest's; and nothing is two people's.
        known = {person.id for person in people} | {guest.who.id for guest in guests}
        assert set(await whose(at, "seat_holds")) <= known
        assert {name: said for name, said in (await at.wrong()).items() if name != "on time"} == {}
