"""Authentication: finds the principal of a request's token. Recent sessions and devices are cached; on a miss,
concurrent lookups of one organisation's sessions are batched into one prepared statement.

The cache is consistent: every change that ends or alters a session or device is published on the bus (store.SESSIONS),
and every process evicts the entry. While the bus is disconnected the cache is bypassed; a change that is not published
(by hand in the database) takes effect after at most `KEPT_S` seconds.
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
from fullhouse.kit.batching import Coalescer
from fullhouse.kit.db.database import HotLine
from fullhouse.kit.live.bus import RESYNC
from fullhouse.kit.secrets import Kind
from fullhouse.kit.services import Credentials, Services

COOKIE_SESSIONS_MAX = 8
KEPT_S, KEPT_MAX = 60.0, 50_000
_TOUCH_EVERY_S = 60.0


class Known(NamedTuple):
    """A cache entry: the principal of a valid session or device, and when the entry expires."""

    principal: Principal
    until: float
    ends: float  # when the session itself expires, by the database's clock; infinite for a device


class Access:
    """Turns credentials into a principal, or None."""

    def __init__(self, services: Services) -> None:
        self._database, self._bus, self._clock = services.database, services.bus, services.clock
        self._sessions = HotLine(services.url, store.who_have_sessions.query.text, settings={"enable_seqscan": "off"})
        self._together: Coalescer[bytes, Known | None] = Coalescer("sessions", self._find_sessions, lines=2)
        self._keys = HotLine(services.url, store.who_has_key.query.text, lines=1)
        self._devices = HotLine(services.url, store.who_has_device.query.text, settings={"enable_seqscan": "off"})
        self._known: OrderedDict[bytes, Known] = OrderedDict()
        self._forgotten = 0  # number of evictions: a result that was read before the latest is not cached
        self._touched: dict[UUID, float] = {}
        self._touching: set[asyncio.Task[None]] = set()
        self._find = {
            Kind.SESSION: self._by_session,
            Kind.API_KEY: self._by_key,
            Kind.DEVICE: self._by_device,
            Kind.PLATFORM: self._by_platform_session,
        }
        self._leave = [
            self._bus.subscribe(store.SESSIONS, lambda _topic, whose: self._forget(UUID(whose))),
            self._bus.subscribe(RESYNC, lambda _topic, _none: self._forget_all()),
        ]

    def remembered(self, credentials: Credentials) -> Principal | None:
        token = credentials.bearer or choose(credentials.cookie, credentials.organization)
        known = self._known.get(secrets.digest(token)) if token else None
        return known.principal if known and self._is_good(known) else None

    async def __call__(self, credentials: Credentials) -> Principal | None:
        token = credentials.bearer or choose(credentials.cookie, credentials.organization)
        claim = secrets.read(token, *self._find) if token else None
        if token is None or claim is None:
            return None
        kind, organization_id = claim
        return await self._find[kind](organization_id, secrets.digest(token))

    async def close(self) -> None:
        for leave in self._leave:
            leave()
        await asyncio.gather(*self._touching, return_exceptions=True)
        await self._sessions.close()
        await self._keys.close()
        await self._devices.close()

    # --- sessions

    def _is_good(self, known: Known) -> bool:
        return known.until > time.monotonic() and known.ends > self._clock.seconds() and self._bus.connected.is_set()

    async def _by_session(self, organization_id: UUID, digest: bytes) -> Principal | None:
        found = await self._together.submit(organization_id, digest)
        return found.principal if found else None

    async def _find_sessions(
        self, key: Hashable, digests: Sequence[bytes], _last: Sequence[bool]
    ) -> Sequence[Known | None]:
        forgotten = self._forgotten
        assert isinstance(key, UUID)
        rows = await store.who_have_sessions(self._sessions.tenant(key), list(set(digests)))
        until = time.monotonic() + KEPT_S
        found = {row["token_hash"]: Known(_caller(row), until, row["expires_at"].timestamp()) for row in rows}
        self._remember(found, forgotten)
        return [found.get(digest) for digest in digests]

    def _remember(self, found: Mapping[bytes, Known], forgotten: int) -> None:
        """Not if anything was evicted since the read began: the eviction may concern these."""
        if forgotten == self._forgotten:
            self._known.update(found)
            while len(self._known) > KEPT_MAX:
                self._known.popitem(last=False)

    def _forget(self, whose: UUID) -> None:
        self._forgotten += 1
        for digest, known in list(self._known.items()):
            principal = known.principal
            if whose in (principal.session_id, principal.id, principal.organization_id):
                del self._known[digest]

    def _forget_all(self) -> None:
        self._forgotten += 1
        self._known.clear()

    # --- API keys, devices and platform staff

    async def _by_key(self, organization_id: UUID, digest: bytes) -> Principal | None:
        key = await store.who_has_key(self._keys.tenant(organization_id), digest)
        if key is None:
            return None
        self._note_use(organization_id, key.key_id)
        return Principal(
            organization_id=organization_id,
            actor=Actor(type="api_key", id=key.key_id, name=key.name),
            role="api_key",
            allowed=policy.actions_of_key(key.scopes),
        )

    async def _by_device(self, organization_id: UUID, digest: bytes) -> Principal | None:
        forgotten = self._forgotten
        found = await store.who_has_device(self._devices.tenant(organization_id), digest)
        if found is None:
            return None
        device = Principal(
            organization_id=organization_id,
            actor=Actor(type="device", id=found.device_id, name=found.name),
            role="device",
            allowed=policy.actions_of_device(found.rights),
        )
        self._remember({digest: Known(device, time.monotonic() + KEPT_S, math.inf)}, forgotten)
        return device

    async def _by_platform_session(self, nowhere: UUID, digest: bytes) -> Principal | None:
        async with self._database.nobody() as tx:
            caller = await store.who_has_platform_session(tx, digest)
        if caller is None:
            return None
        return Principal(
            organization_id=nowhere,
            actor=Actor(type="platform", id=caller.user_id, name=caller.name),
            role=caller.role,
            allowed=policy.PLATFORM_ACTIONS[PlatformRole(caller.role)],
            session_id=caller.session_id,
        )

    def _note_use(self, organization_id: UUID, key_id: UUID) -> None:
        """Updates `last_used_at` in the background, at most once a minute per key."""
        now = time.monotonic()
        if now - self._touched.get(key_id, -_TOUCH_EVERY_S) < _TOUCH_EVERY_S:
            return
        self._touched[key_id] = now
        task = asyncio.create_task(self._touch(organization_id, key_id))
        self._touching.add(task)
        task.add_done_callback(self._touching.discard)

    async def _touch(self, organization_id: UUID, key_id: UUID) -> None:
        async with self._database.tenant(organization_id) as tx:
            await store.touch_api_key(tx, key_id)


def choose(cookie: str | None, organization_id: str | None) -> str | None:
    """The cookie holds one session per organisation, newest first; `organization_id` selects one of them."""
    tokens = cookie.split(".") if cookie else []
    if organization_id is None:
        return tokens[0] if tokens else None
    for token in tokens:
        claim = secrets.read(token, Kind.SESSION)
        if claim and str(claim[1]) == organization_id:
            return token
    return None


def shown(authorization: str | None, cookie: str | None, organization_id: UUID) -> str | None:
    """The session token that a request to a public route carries for this organisation: in its header, otherwise in its
    cookie."""
    scheme, _, bearer = (authorization or "").partition(" ")
    if scheme.lower() != "bearer":
        return choose(cookie, str(organization_id))
    claim = secrets.read(bearer.strip(), Kind.SESSION)
    return bearer.strip() if claim and claim[1] == organization_id else None


def with_token(cookie: str | None, token: str) -> str:
    """The cookie's new value after signing in: this token first, without the organisation's previous one."""
    claim = secrets.read(token, Kind.SESSION)
    # Only our own tokens are sent back: a cookie may hold anything, line breaks included.
    others = [t for t in (cookie or "").split(".") if secrets.read(t, Kind.SESSION) not in (None, claim)]
    return ".".join([token, *others][:COOKIE_SESSIONS_MAX])


def without_token(cookie: str | None, organization_id: UUID) -> str:
    kept = []
    for token in (cookie or "").split("."):
        claim = secrets.read(token, Kind.SESSION)
        if claim and claim[1] != organization_id:
            kept.append(token)
    return ".".join(kept)


def _caller(row: Any) -> Principal:
    return Principal(
        organization_id=row["organization_id"],
        actor=Actor(type="user", id=row["user_id"], name=row["name"]),
        role=row["role"],
        allowed=policy.ROLE_ACTIONS[Role(row["role"])],
        session_id=row["session_id"],
        credential=row["token_hash"],
    )
