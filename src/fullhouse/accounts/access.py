"""Whose token is this? Every request asks; a prepared line answers in one round trip, inside its organisation."""

import asyncio
import time
from collections.abc import Hashable, Sequence
from typing import Any
from uuid import UUID

import msgspec

from fullhouse.accounts import policy, store
from fullhouse.accounts.model import PlatformRole, Role
from fullhouse.kit import secrets
from fullhouse.kit.actors import Actor, Principal
from fullhouse.kit.batching import Coalescer
from fullhouse.kit.db import Database, HotLine
from fullhouse.kit.secrets import Kind
from fullhouse.kit.services import Credentials

COOKIE_SESSIONS_MAX = 8
_TOUCH_EVERY_S = 60.0


class Access:
    """Turns credentials into a principal, or None."""

    def __init__(self, url: str, database: Database) -> None:
        self._database = database
        self._sessions = HotLine(url, "SELECT * FROM app.who_have_sessions($1, $2)", settings={"enable_seqscan": "off"})
        self._together: Coalescer[bytes, Any] = Coalescer("sessions", self._find_sessions, lines=2)
        self._keys = HotLine(url, "SELECT * FROM app.who_has_key($1, $2)", lines=1)
        self._touched: dict[UUID, float] = {}
        self._touching: set[asyncio.Task[None]] = set()

    async def __call__(self, credentials: Credentials) -> Principal | None:
        token = credentials.bearer or choose(credentials.cookie, credentials.organization)
        claim = secrets.read(token, Kind.SESSION, Kind.API_KEY, Kind.PLATFORM) if token else None
        if token is None or claim is None:
            return None
        kind, organization_id = claim
        find = {Kind.SESSION: self._by_session, Kind.API_KEY: self._by_key, Kind.PLATFORM: self._by_platform_session}
        return await find[kind](organization_id, secrets.digest(token), credentials.actor)

    async def close(self) -> None:
        await asyncio.gather(*self._touching, return_exceptions=True)
        await self._sessions.close()
        await self._keys.close()

    async def _by_session(self, organization_id: UUID, digest: bytes, actor: Actor) -> Principal | None:
        row = await self._together.submit(organization_id, digest)
        if row is None:
            return None
        return Principal(
            organization_id=organization_id,
            actor=_named(actor, "user", row["user_id"], row["name"]),
            role=row["role"],
            allowed=policy.ROLE_ACTIONS[Role(row["role"])],
            session_id=row["session_id"],
        )

    async def _find_sessions(self, key: Hashable, digests: Sequence[bytes], _last: Sequence[bool]) -> list[Any]:
        found = {row["token_hash"]: row for row in await self._sessions.fetch(key, list(set(digests)))}
        return [found.get(digest) for digest in digests]

    async def _by_key(self, organization_id: UUID, digest: bytes, actor: Actor) -> Principal | None:
        row = _first(await self._keys.fetch(organization_id, digest))
        if row is None:
            return None
        self._note_use(organization_id, row["key_id"])
        return Principal(
            organization_id=organization_id,
            actor=_named(actor, "api_key", row["key_id"], row["name"]),
            role="api_key",
            allowed=policy.actions_of_key(row["scopes"]),
        )

    async def _by_platform_session(self, nowhere: UUID, digest: bytes, actor: Actor) -> Principal | None:
        async with self._database.nobody() as tx:
            caller = await store.who_has_platform_session(tx, digest)
        if caller is None:
            return None
        return Principal(
            organization_id=nowhere,
            actor=_named(actor, "platform", caller.user_id, caller.name),
            role=caller.role,
            allowed=policy.PLATFORM_ACTIONS[PlatformRole(caller.role)],
            session_id=caller.session_id,
        )

    def _note_use(self, organization_id: UUID, key_id: UUID) -> None:
        """`last_used_at`, at most once a minute and never in the caller's way."""
        now = time.monotonic()
        if now - self._touched.get(key_id, -_TOUCH_EVERY_S) < _TOUCH_EVERY_S:
            return
        self._touched[key_id] = now
        task = asyncio.create_task(self._touch(organization_id, key_id))
        self._touching.add(task)
        task.add_done_callback(self._touching.discard)

    async def _touch(self, organization_id: UUID, key_id: UUID) -> None:
        async with self._database.tenant(organization_id) as tx:
            await store.touch_api_key(tx, organization_id, key_id)


def choose(cookie: str | None, organization_id: str | None) -> str | None:
    """The cookie holds one session per organisation, newest first; the page may say which one it means."""
    tokens = cookie.split(".") if cookie else []
    if organization_id is None:
        return tokens[0] if tokens else None
    for token in tokens:
        claim = secrets.read(token, Kind.SESSION)
        if claim and str(claim[1]) == organization_id:
            return token
    return None


def with_token(cookie: str | None, token: str) -> str:
    """The cookie's new value after signing in: this token first, the organisation's former one gone."""
    claim = secrets.read(token, Kind.SESSION)
    # What is no token of ours is not sent back: a cookie may hold anything, line breaks included.
    others = [t for t in (cookie or "").split(".") if secrets.read(t, Kind.SESSION) not in (None, claim)]
    return ".".join([token, *others][:COOKIE_SESSIONS_MAX])


def without_token(cookie: str | None, organization_id: UUID) -> str:
    kept = []
    for token in (cookie or "").split("."):
        claim = secrets.read(token, Kind.SESSION)
        if claim and claim[1] != organization_id:
            kept.append(token)
    return ".".join(kept)


def _first(rows: list[Any]) -> Any:
    return rows[0] if rows else None


def _named(actor: Actor, kind: str, actor_id: UUID, name: str) -> Actor:
    return msgspec.structs.replace(actor, type=kind, id=actor_id, name=name)
