"""How a cached value is stored in Redis: as MessagePack, as a hash of its fields, or as a list of its items.

The last two are for other readers (a dashboard, another service): they can be read without fullhouse.
"""

from typing import Any, Protocol, TypeVar

import msgspec

T = TypeVar("T")


class Shape(Protocol):
    def ask(self, pipe: Any, name: str) -> None:
        """Adds the command that reads the value."""

    def read(self, raw: Any, of: type[T]) -> T:
        """Decodes Redis' reply, which is never empty here."""

    def write(self, pipe: Any, name: str, value: Any) -> None:
        """Adds the commands that replace the stored value."""


class Packed:
    def ask(self, pipe: Any, name: str) -> None:
        pipe.get(name)

    def read(self, raw: Any, of: type[T]) -> T:
        return msgspec.msgpack.decode(raw, type=of)

    def write(self, pipe: Any, name: str, value: Any) -> None:
        pipe.set(name, msgspec.msgpack.encode(value))


class Fields:
    """A struct as a hash, without a field for nulls. None has no hash, so it is loaded again."""

    def ask(self, pipe: Any, name: str) -> None:
        pipe.hgetall(name)

    def read(self, raw: Any, of: type[T]) -> T:
        fields = {key.decode(): value.decode() for key, value in raw.items()}
        names: tuple[str, ...] = getattr(of, "__struct_fields__", ())
        return msgspec.convert({name: fields.get(name) for name in names}, of, strict=False)

    def write(self, pipe: Any, name: str, value: Any) -> None:
        pipe.delete(name)
        if value is not None:
            fields = {key: str(part) for key, part in msgspec.to_builtins(value).items() if part is not None}
            pipe.hset(name, mapping=fields)


class Items:
    """A list of structs, each in JSON. Redis has no empty lists, so an empty one is loaded again."""

    def ask(self, pipe: Any, name: str) -> None:
        pipe.lrange(name, 0, -1)

    def read(self, raw: Any, of: type[T]) -> T:
        return msgspec.json.decode(b"[" + b",".join(raw) + b"]", type=of)

    def write(self, pipe: Any, name: str, value: Any) -> None:
        pipe.delete(name)
        if value:
            pipe.rpush(name, *map(msgspec.json.encode, value))


PACKED, FIELDS, ITEMS = Packed(), Fields(), Items()
