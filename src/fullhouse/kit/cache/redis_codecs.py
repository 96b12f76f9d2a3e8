"""How a cached value lies in Redis: packed, as a hash of its fields, or as a list of its items.

The last two are for those who look in from outside (a dashboard, another service): they can be read without us.
"""

from typing import Any, Protocol, TypeVar

import msgspec

T = TypeVar("T")


class Shape(Protocol):
    def ask(self, pipe: Any, name: str) -> None:
        """Adds the command that reads it."""

    def read(self, raw: Any, of: type[T]) -> T:
        """What Redis answered, as a value; an answer that is empty never comes here."""

    def write(self, pipe: Any, name: str, value: Any) -> None:
        """Adds the commands that put it there in place of what was."""


class Packed:
    def ask(self, pipe: Any, name: str) -> None:
        pipe.get(name)

    def read(self, raw: Any, of: type[T]) -> T:
        return msgspec.msgpack.decode(raw, type=of)

    def write(self, pipe: Any, name: str, value: Any) -> None:
        pipe.set(name, msgspec.msgpack.encode(value))


class Fields:
    """A struct as a hash; what is null has no field. Nothing at all has no hash, and is looked for again."""

    def ask(self, pipe: Any, name: str) -> None:
        pipe.hgetall(name)

    def read(self, raw: Any, of: type[T]) -> T:
        said = {key.decode(): value.decode() for key, value in raw.items()}
        names: tuple[str, ...] = getattr(of, "__struct_fields__", ())
        return msgspec.convert({name: said.get(name) for name in names}, of, strict=False)

    def write(self, pipe: Any, name: str, value: Any) -> None:
        pipe.delete(name)
        if value is not None:
            said = {key: str(part) for key, part in msgspec.to_builtins(value).items() if part is not None}
            pipe.hset(name, mapping=said)


class Items:
    """A list of structs, each in JSON. Redis knows no empty list: that one is loaded again."""

    def ask(self, pipe: Any, name: str) -> None:
        pipe.lrange(name, 0, -1)

    def read(self, raw: Any, of: type[T]) -> T:
        return msgspec.json.decode(b"[" + b",".join(raw) + b"]", type=of)

    def write(self, pipe: Any, name: str, value: Any) -> None:
        pipe.delete(name)
        if value:
            pipe.rpush(name, *map(msgspec.json.encode, value))


PACKED, FIELDS, ITEMS = Packed(), Fields(), Items()
