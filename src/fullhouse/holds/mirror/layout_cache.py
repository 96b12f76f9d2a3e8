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

from fullhouse.kit.cache.optional_redis import Redis
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.seating import reads

TTL_S = 86_400
PLAIN_MAX_BYTES = 1_000_000
PIECE_BYTES = 200_000
CONFIGS_MAX = 16
REWRITE_AFTER_S = 60.0  # events that share a layout are written one after another: once is enough for all
_configs: OrderedDict[UUID, bytes] = OrderedDict()  # a layout version never changes
_written: dict[str, float] = {}  # by key: when this process wrote it


async def store_config(services: Services, organization_id: UUID, layout_id: UUID) -> bool:
    """Writes the config. False if Redis is unavailable."""
    name, config = _key(services, organization_id, layout_id), await _load_config(services, organization_id, layout_id)
    if monotonic() - _written.get(name, -REWRITE_AFTER_S) < REWRITE_AFTER_S and await _read_length(
        services, name
    ) == len(config):
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

        if not await services.redis.call(append, False):
            return False

    async def put(client: Redis) -> bool:
        pipe = client.pipeline(transaction=True)
        pipe.rename(temporary, name)
        pipe.expire(name, TTL_S)
        await pipe.execute()
        return True

    if not await services.redis.call(put, False):
        return False
    if len(_written) > 1000:
        _written.clear()
    _written[name] = monotonic()
    return True


async def find_differences(services: Services, organization_id: UUID, layout_id: UUID) -> list[str]:
    """Compares the config in Redis with the database; returns a sentence if they differ. A missing key is no error."""
    name = _key(services, organization_id, layout_id)

    async def get(client: Redis) -> bytes | None:
        kind = await client.type(name)
        found = await client.get(name) if kind in (b"string", b"none") else b"something else"
        return found if found is None or isinstance(found, bytes) else found.encode()

    found = await services.redis.call(get, None)
    if found is None or found == await _load_config(services, organization_id, layout_id):
        return []
    return [f"redis: layout {layout_id} has another config"]


async def _read_length(services: Services, name: str) -> int:
    async def read(client: Redis) -> int:
        return int(await client.strlen(name))

    return await services.redis.call(read, -1)


async def _load_config(services: Services, organization_id: UUID, layout_id: UUID) -> bytes:
    if layout_id not in _configs:
        async with services.database.tenant(organization_id) as tx:
            config = await reads.render_layout_config(tx, layout_id)
        _configs[layout_id] = await asyncio.to_thread(compress, config)
        if len(_configs) > CONFIGS_MAX:
            _configs.popitem(last=False)
    return _configs[layout_id]


def compress(config: bytes) -> bytes:
    return config if len(config) <= PLAIN_MAX_BYTES else gzip.compress(config, 6, mtime=0)


def _key(services: Services, organization_id: UUID, layout_id: UUID) -> str:
    return services.redis.prefixed_key(f"org:{organization_id}:layout:{layout_id}:config")
