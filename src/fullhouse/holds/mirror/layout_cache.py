"""The layouts of events in Redis, for readers outside.

The key `{prefix}:org:{org}:layout:{layout}:config` has, for a day, the layout's config as JSON (docs/layout-config.md).
A large config is compressed: it begins with the two magic bytes of gzip instead of a brace. It is sent in chunks, so
that a stadium's layout does not delay other clients of Redis.
"""

import asyncio
import gzip
from collections import OrderedDict
from time import monotonic
from uuid import UUID

from fullhouse.kit.cache.warm import Redis
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.seating import reads

KEPT_S = 86_400
PLAIN_MAX_BYTES = 1_000_000
PIECE_BYTES = 200_000
CONFIGS_MAX = 16
AGAIN_S = 60.0  # events that share a layout are written one after another: once is enough for all
_configs: OrderedDict[UUID, bytes] = OrderedDict()  # a layout version never changes
_kept: dict[str, float] = {}  # by key: when this process wrote it


async def keep(services: Services, organization_id: UUID, layout_id: UUID) -> bool:
    """Writes the config. False if Redis is unavailable."""
    name, config = _name(services, organization_id, layout_id), await _config(services, organization_id, layout_id)
    if monotonic() - _kept.get(name, -AGAIN_S) < AGAIN_S and await _length(services, name) == len(config):
        return True
    temporary = f"{name}:{new_id()}"

    for start in range(0, len(config), PIECE_BYTES):
        piece = config[start : start + PIECE_BYTES]

        async def append(client: Redis, piece: bytes = piece) -> bool:
            pipe = client.pipeline(transaction=False)
            pipe.append(temporary, piece)
            pipe.expire(temporary, 60)
            await pipe.execute()
            return True

        if not await services.warm.call(append, False):
            return False

    async def put(client: Redis) -> bool:
        pipe = client.pipeline(transaction=True)
        pipe.rename(temporary, name)
        pipe.expire(name, KEPT_S)
        await pipe.execute()
        return True

    if not await services.warm.call(put, False):
        return False
    if len(_kept) > 1000:
        _kept.clear()
    _kept[name] = monotonic()
    return True


async def check(services: Services, organization_id: UUID, layout_id: UUID) -> list[str]:
    """Compares the config in Redis with the database; returns a sentence if they differ. A missing key is no error."""
    name = _name(services, organization_id, layout_id)

    async def get(client: Redis) -> bytes | None:
        kind = await client.type(name)
        found = await client.get(name) if kind in (b"string", b"none") else b"something else"
        return found if found is None or isinstance(found, bytes) else found.encode()

    found = await services.warm.call(get, None)
    if found is None or found == await _config(services, organization_id, layout_id):
        return []
    return [f"redis: layout {layout_id} has another config"]


async def _length(services: Services, name: str) -> int:
    async def read(client: Redis) -> int:
        return int(await client.strlen(name))

    return await services.warm.call(read, -1)


async def _config(services: Services, organization_id: UUID, layout_id: UUID) -> bytes:
    if layout_id not in _configs:
        async with services.database.tenant(organization_id) as tx:
            config = await reads.layout_config(tx, layout_id)
        _configs[layout_id] = await asyncio.to_thread(packed, config)
        if len(_configs) > CONFIGS_MAX:
            _configs.popitem(last=False)
    return _configs[layout_id]


def packed(config: bytes) -> bytes:
    return config if len(config) <= PLAIN_MAX_BYTES else gzip.compress(config, 6, mtime=0)


def _name(services: Services, organization_id: UUID, layout_id: UUID) -> str:
    return services.warm.name(f"org:{organization_id}:layout:{layout_id}:config")
