"""Connections to the databases that a worker keeps for all of its tests, handed from one test to the next.

A test opens about nine, and each is a process of PostgreSQL's that knows nothing yet: to learn the tables and functions
again and again was most of what the database did. What a test meets is as good as new: asyncpg's own reset ends locks,
settings and listening. Only what a fixture of the house closes in `handed_on()` is kept; a test that closes, breaks or
counts connections does so as ever.
"""

import select
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, TypeVar
from weakref import WeakKeyDictionary, WeakSet

import asyncpg
from asyncpg import connect_utils

from fullhouse.kit.db import database

KEPT = ("t_", "sales_", "gates_", "browser_", "proof_")  # the names of those databases begin so
MOST = 16  # for each worker: eight of them share a cluster
RESET = """
SELECT pg_advisory_unlock_all(); CLOSE ALL; UNLISTEN *; DISCARD TEMP;
RESET SESSION AUTHORIZATION; RESET ALL; RESET ROLE
"""
_Connection: Any = asyncpg.Connection
_ask_types = _Connection._introspect_types
_close, _terminate = _Connection.close, _Connection.terminate
_utils: Any = connect_utils
_connect = _utils._connect
_prepare = database.prepare_connection
T = TypeVar("T")
_types: dict[Any, Any] = {}
_idle: dict[str, list[Any]] = {}  # by what was asked for when they were opened
_asked: WeakKeyDictionary[Any, str] = WeakKeyDictionary()  # the same, by connection
_ready: WeakSet[Any] = WeakSet()  # they know how we write JSON
_leaving: list[Any] | None = None  # those that the fixture that ends now has closed


class _Known:
    name = "asked before"  # truthy: the statement that is being prepared was not displaced


def is_kept(connection: Any) -> bool:
    found: bool = connection._params.database.startswith(KEPT)
    return found


async def _know_types(connection: Any, oids: Any, timeout: float | None) -> Any:
    """asyncpg asks about our types on each new connection, tens of milliseconds every time."""
    if not is_kept(connection):
        return await _ask_types(connection, oids, timeout)
    key = (connection._addr, connection._params.database, frozenset(oids))
    if key not in _types:
        _types[key], statement = await _ask_types(connection, oids, timeout)
        return _types[key], statement
    return _types[key], _Known


async def _find_or_connect(**wishes: Any) -> Any:
    settings = wishes.get("server_settings") or {}
    wish = repr(sorted({**wishes, "server_settings": sorted(settings.items())}.items()))
    while waiting := _idle.get(wish):
        connection = waiting.pop()
        if not waiting:
            del _idle[wish]
        if _is_well(connection):
            return connection
        _terminate(connection)
    connection = await _connect(**wishes)
    if is_kept(connection):
        _asked[connection] = wish
    return connection


def _is_well(connection: Any) -> bool:
    """One that has something to say when nobody asked was ended by the server."""
    if connection.is_closed():
        return False
    return not select.select([connection._transport.get_extra_info("socket")], [], [], 0)[0]


async def _prepare_once(connection: Any) -> None:
    if connection not in _ready:
        await _prepare(connection)
        _ready.add(connection)


def _may_stay(connection: Any) -> bool:
    return (
        _leaving is not None
        and connection in _asked
        and not connection.is_closed()
        and not connection.is_in_transaction()
        and not connection._protocol._is_cancelling()
        and not connection._cancellations
        and connection._proxy is None
    )


def _let_go(connection: Any) -> None:
    """As asyncpg does when a connection ends, for whoever had it."""
    assert _leaving is not None
    holder, connection._pool_holder = connection._pool_holder and connection._pool_holder(), None
    if holder is not None and holder._con is connection:
        holder._release_on_close()
    connection._termination_listeners.clear()
    connection._listeners.clear()
    connection._log_listeners.clear()
    connection._query_loggers.clear()
    _leaving.append(connection)


async def _close_or_stay(connection: Any, *, timeout: float | None = None) -> None:
    if _may_stay(connection):
        _let_go(connection)
    else:
        await _close(connection, timeout=timeout)


def _terminate_or_stay(connection: Any) -> None:
    if _may_stay(connection):
        _let_go(connection)
    else:
        _terminate(connection)


async def _keep(connection: Any) -> None:
    try:
        await connection.execute(RESET, timeout=5)
    except Exception:
        _terminate(connection)
        return
    wish = _asked[connection]
    _idle[wish] = [*_idle.pop(wish, ()), connection]  # what was asked for last stands last
    while sum(map(len, _idle.values())) > MOST:
        longest = next(iter(_idle))
        await _close(_idle[longest].pop(0))
        if not _idle[longest]:
            del _idle[longest]


@asynccontextmanager
async def handed_on(opening: AbstractAsyncContextManager[T]) -> AsyncIterator[T]:
    """What connections it still has when it is closed are for the next test."""
    global _leaving
    opened = await opening.__aenter__()
    try:
        yield opened
    finally:
        left: list[Any] = []
        _leaving = left
        try:
            await opening.__aexit__(None, None, None)
        finally:
            _leaving = None
            for connection in left:
                await _keep(connection)


async def close_all() -> None:
    while _idle:
        for connection in _idle.popitem()[1]:
            await _close(connection)


_Connection._introspect_types = _know_types
_Connection.close, _Connection.terminate = _close_or_stay, _terminate_or_stay
_utils._connect = _find_or_connect
database.prepare_connection = _prepare_once
