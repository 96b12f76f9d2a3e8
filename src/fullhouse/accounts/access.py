"""Authentication: finds the principal of a request's token. Recent sessions and devices are cached; on a miss,
concurrent lookups of one organisation's sessions are batched into one prepared statement.

The cache is consistent: every change that ends or alters a session or device is published on the bus (store.SESSIONS),
and every process evicts the entry. While the bus is disconnected the cache is bypassed; a change that is not published
(by hand in the database) takes effect after at most `CACHE_TTL_S` seconds.
"""

import asyncio
import math
import time
from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from fullhouse.accounts import policy, store
from fullhouse.accounts.model import PlatformRole, Role
from fullhouse.kit import secrets
from fullhouse.kit.actors import Actor, Principal
from fullhouse.kit.batching import Batcher
from fullhouse.kit.db.database import PreparedStatementPool
from fullhouse.kit.live.bus import RESYNC
from fullhouse.kit.secrets import TokenKind
from fullhouse.kit.services import Credentials, Services

COOKIE_SESSIONS_MAX = 8
CACHE_TTL_S, CACHE_MAX = 60.0, 50_000
_TOUCH_EVERY_S = 60.0


class CachedPrincipal(NamedTuple):
    """A cache entry: the principal of a valid session or device, and when the entry expires."""

    principal: Principal
    cached_until: float
    expires_at: float  # when the session itself expires, by the database's clock; infinite for a device


class Access:
    """Turns credentials into a principal, or None."""

    def __init__(self, services: Services) -> None:
        self._database, self._bus, self._clock = services.database, services.bus, services.clock
        self._sessions = PreparedStatementPool(
            services.url, store.find_sessions.query.text, settings={"enable_seqscan": "off"}
        )
        self._session_lookups: Batcher[bytes, CachedPrincipal | None] = Batcher(
            "sessions", self._find_sessions, lines=2
        )
        self._keys = PreparedStatementPool(services.url, store.find_api_key.query.text, lines=1)
        self._devices = PreparedStatementPool(
            services.url, store.find_device.query.text, settings={"enable_seqscan": "off"}
        )
        self._cache: OrderedDict[bytes, CachedPrincipal] = OrderedDict()
        self._evictions = 0  # number of evictions: a result that was read before the latest is not cached
        self._last_updates: dict[UUID, float] = {}
        self._update_tasks: set[asyncio.Task[None]] = set()
        self._finders = {
            TokenKind.SESSION: self._find_by_session,
            TokenKind.API_KEY: self._find_by_api_key,
            TokenKind.DEVICE: self._find_by_device,
            TokenKind.PLATFORM: self._find_by_platform_session,
        }
        self._unsubscribes = [
            self._bus.subscribe(store.STALE_SESSIONS, lambda _topic, whose: self._evict(UUID(whose))),
            self._bus.subscribe(RESYNC, lambda _topic, _none: self._evict_all()),
        ]

    def find_cached(self, credentials: Credentials) -> Principal | None:
        token = credentials.bearer or choose_token(credentials.cookie, credentials.organization)
        known = self._cache.get(secrets.digest_token(token)) if token else None
        return known.principal if known and self._is_valid(known) else None

    async def __call__(self, credentials: Credentials) -> Principal | None:
        token = credentials.bearer or choose_token(credentials.cookie, credentials.organization)
        claim = secrets.parse_token(token, *self._finders) if token else None
        if token is None or claim is None:
            return None
        kind, organization_id = claim
        return await self._finders[kind](organization_id, secrets.digest_token(token))

    async def close(self) -> None:
        for leave in self._unsubscribes:
            leave()
        await asyncio.gather(*self._update_tasks, return_exceptions=True)
        await self._sessions.close()
        await self._keys.close()
        await self._devices.close()

    # --- sessions

    def _is_valid(self, known: CachedPrincipal) -> bool:
        return (
            known.cached_until > time.monotonic()
            and known.expires_at > self._clock.seconds()
            and self._bus.connected.is_set()
        )

    async def _find_by_session(self, organization_id: UUID, digest: bytes) -> Principal | None:
        found = await self._session_lookups.submit(organization_id, digest)
        return found.principal if found else None

    async def _find_sessions(
        self, key: Hashable, digests: Sequence[bytes], _last: Sequence[bool]
    ) -> Sequence[CachedPrincipal | None]:
        forgotten = self._evictions
        assert isinstance(key, UUID)
        rows = await store.find_sessions(self._sessions.tenant(key), list(set(digests)))
        until = time.monotonic() + CACHE_TTL_S
        found = {
            row["token_hash"]: CachedPrincipal(_to_principal(row), until, row["expires_at"].timestamp()) for row in rows
        }
        self._store(found, forgotten)
        return [found.get(digest) for digest in digests]

    def _store(self, found: Mapping[bytes, CachedPrincipal], forgotten: int) -> None:
        """Not if anything was evicted since the read began: the eviction may concern these."""
        if forgotten == self._evictions:
            self._cache.update(found)
            while len(self._cache) > CACHE_MAX:
                self._cache.popitem(last=False)

    def _evict(self, whose: UUID) -> None:
        self._evictions += 1
        for digest, known in list(self._cache.items()):
            principal = known.principal
            if whose in (principal.session_id, principal.id, principal.organization_id):
                del self._cache[digest]

    def _evict_all(self) -> None:
        self._evictions += 1
        self._cache.clear()

    # --- API keys, devices and platform staff

    async def _find_by_api_key(self, organization_id: UUID, digest: bytes) -> Principal | None:
        key = await store.find_api_key(self._keys.tenant(organization_id), digest)
        if key is None:
            return None
        self._record_use(organization_id, key.key_id)
        return Principal(
            organization_id=organization_id,
            actor=Actor(type="api_key", id=key.key_id, name=key.name),
            role="api_key",
            allowed=policy.actions_of_key(key.scopes),
        )

    async def _find_by_device(self, organization_id: UUID, digest: bytes) -> Principal | None:
        forgotten = self._evictions
        found = await store.find_device(self._devices.tenant(organization_id), digest)
        if found is None:
            return None
        device = Principal(
            organization_id=organization_id,
            actor=Actor(type="device", id=found.device_id, name=found.name),
            role="device",
            allowed=policy.actions_of_device(found.rights),
        )
        self._store({digest: CachedPrincipal(device, time.monotonic() + CACHE_TTL_S, math.inf)}, forgotten)
        return device

    async def _find_by_platform_session(self, nowhere: UUID, digest: bytes) -> Principal | None:
        async with self._database.without_tenant() as tx:
            caller = await store.find_platform_session(tx, digest)
        if caller is None:
            return None
        return Principal(
            organization_id=nowhere,
            actor=Actor(type="platform", id=caller.user_id, name=caller.name),
            role=caller.role,
            allowed=policy.PLATFORM_ACTIONS[PlatformRole(caller.role)],
            session_id=caller.session_id,
        )

    def _record_use(self, organization_id: UUID, key_id: UUID) -> None:
        """Updates `last_used_at` in the background, at most once a minute per key."""
        now = time.monotonic()
        if now - self._last_updates.get(key_id, -_TOUCH_EVERY_S) < _TOUCH_EVERY_S:
            return
        self._last_updates[key_id] = now
        task = asyncio.create_task(self._update_last_used(organization_id, key_id))
        self._update_tasks.add(task)
        task.add_done_callback(self._update_tasks.discard)

    async def _update_last_used(self, organization_id: UUID, key_id: UUID) -> None:
        async with self._database.tenant(organization_id) as tx:
            await store.touch_api_key(tx, key_id)


def choose_token(cookie: str | None, organization_id: str | None) -> str | None:
    """The cookie holds one session per organisation, newest first; `organization_id` selects one of them."""
    tokens = cookie.split(".") if cookie else []
    if organization_id is None:
        return tokens[0] if tokens else None
    for token in tokens:
        claim = secrets.parse_token(token, TokenKind.SESSION)
        if claim and str(claim[1]) == organization_id:
            return token
    return None


def find_session_token(authorization: str | None, cookie: str | None, organization_id: UUID) -> str | None:
    """The session token that a request to a public route carries for this organisation: in its header, otherwise in its
    cookie."""
    scheme, _, bearer = (authorization or "").partition(" ")
    if scheme.lower() != "bearer":
        return choose_token(cookie, str(organization_id))
    claim = secrets.parse_token(bearer.strip(), TokenKind.SESSION)
    return bearer.strip() if claim and claim[1] == organization_id else None


def add_token(cookie: str | None, token: str) -> str:
    """The cookie's new value after signing in: this token first, without the organisation's previous one."""
    claim = secrets.parse_token(token, TokenKind.SESSION)
    # Only our own tokens are sent back: a cookie may hold anything, line breaks included.
    others = [t for t in (cookie or "").split(".") if secrets.parse_token(t, TokenKind.SESSION) not in (None, claim)]
    return ".".join([token, *others][:COOKIE_SESSIONS_MAX])


def remove_token(cookie: str | None, organization_id: UUID) -> str:
    kept = []
    for token in (cookie or "").split("."):
        claim = secrets.parse_token(token, TokenKind.SESSION)
        if claim and claim[1] != organization_id:
            kept.append(token)
    return ".".join(kept)


def _to_principal(row: Any) -> Principal:
    return Principal(
        organization_id=row["organization_id"],
        actor=Actor(type="user", id=row["user_id"], name=row["name"]),
        role=row["role"],
        allowed=policy.ROLE_ACTIONS[Role(row["role"])],
        session_id=row["session_id"],
        credential=row["token_hash"],
    )
