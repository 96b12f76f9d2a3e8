"""How a cached value is stored in Redis: as MessagePack, as a hash of its fields, or as a list of its items.

The last two are for other readers (a dashboard, another service): they can be read without fullhouse.
"""

from typing import Any, Protocol, TypeVar

import msgspec

T = TypeVar("T")


class RedisCodec(Protocol):
    def add_read(self, pipe: Any, name: str) -> None:
        """Adds the command that reads the value."""

    def decode(self, raw: Any, of: type[T]) -> T:
        """Decodes Redis' reply, which is never empty here."""

    def add_write(self, pipe: Any, name: str, value: Any) -> None:
        """Adds the commands that replace the stored value."""


class Packed:
    def add_read(self, pipe: Any, name: str) -> None:
        pipe.get(name)

    def decode(self, raw: Any, of: type[T]) -> T:
        return msgspec.msgpack.decode(raw, type=of)

    def add_write(self, pipe: Any, name: str, value: Any) -> None:
        pipe.set(name, msgspec.msgpack.encode(value))


class Fields:
    """A struct as a hash, without a field for nulls. None has no hash, so it is loaded again."""

    def add_read(self, pipe: Any, name: str) -> None:
        pipe.hgetall(name)

    def decode(self, raw: Any, of: type[T]) -> T:
        fields = {key.decode(): value.decode() for key, value in raw.items()}
        names: tuple[str, ...] = getattr(of, "__struct_fields__", ())
        return msgspec.convert({name: fields.get(name) for name in names}, of, strict=False)

    def add_write(self, pipe: Any, name: str, value: Any) -> None:
        pipe.delete(name)
        if value is not None:
            fields = {key: str(part) for key, part in msgspec.to_builtins(value).items() if part is not None}
            pipe.hset(name, mapping=fields)


class Items:
    """A list of structs, each in JSON. Redis has no empty lists, so an empty one is loaded again."""

    def add_read(self, pipe: Any, name: str) -> None:
        pipe.lrange(name, 0, -1)

    def decode(self, raw: Any, of: type[T]) -> T:
        return msgspec.json.decode(b"[" + b",".join(raw) + b"]", type=of)

    def add_write(self, pipe: Any, name: str, value: Any) -> None:
        pipe.delete(name)
        if value:
            pipe.rpush(name, *map(msgspec.json.encode, value))


PACKED, FIELDS, ITEMS = Packed(), Fields(), Items()
