"""The log of a client, which `fullhouse prove --log FILE` reads.

The file has JSON lines. A client writes one before it sends a call, and one when it knows how the call ended:

    {"call": "17", "kind": "hold", "event": "…", "user": "…", "items": [{"seat": "…"}, {"zone": "…", "quantity": 2}]}
    {"call": "17", "end": "ok", "holds": ["…", "…"]}

| `kind`     | the request                                            | the response (`"end": "ok"`)       |
|------------|--------------------------------------------------------|------------------------------------|
| `hold`     | `event`, `user`, `items` or `best` (how many)          | `holds`                            |
| `release`  | `hold`                                                 |                                    |
| `purchase` | `event`, `user`, `checkout`                            | `order`, `tickets`                 |
| `refund`   | `order`, `tickets`                                     | `refund`                           |
| `transfer` | `ticket`, `to` (an address)                            |                                    |
| `scan`     | `ticket`, `direction` (`in` unless it says `out`)      | `scan`                             |

`end` is `ok` (it was acknowledged; of a scan: admitted), `fail` (it was refused) or `unknown` (a time-out, a broken
connection, a 5xx); a call without an end is unknown. Lines of one call are merged. Other fields are ignored.

What was acknowledged must be in the database; what was refused must not; what is unknown is there completely, once, or
not at all. `client.holds` compares holds, `client.sales` everything that follows them.
"""

from pathlib import Path
from typing import Literal
from uuid import UUID

import msgspec

from fullhouse.kit.errors import OperatorError

End = Literal["ok", "fail", "unknown"]
Kind = Literal["hold", "release", "purchase", "refund", "transfer", "scan"]
ItemKey = tuple[UUID | None, int]  # a seat, a zone or a ticket type, and how many of it


class Item(msgspec.Struct, frozen=True, omit_defaults=True):
    seat: UUID | None = None
    zone: UUID | None = None
    ticket_type: UUID | None = None
    quantity: int = 1

    @property
    def key(self) -> ItemKey:
        return self.seat or self.zone or self.ticket_type, self.quantity


class Call(msgspec.Struct, omit_defaults=True):
    """A line, or the merged lines of a call."""

    call: str
    kind: Kind | None = None
    event: UUID | None = None
    user: UUID | None = None
    items: list[Item] = []
    best: int | None = None
    hold: UUID | None = None
    checkout: UUID | None = None
    order: UUID | None = None
    tickets: list[UUID] = []
    refund: UUID | None = None
    ticket: UUID | None = None
    to: str | None = None
    direction: Literal["in", "out"] | None = None
    scan: UUID | None = None
    end: End | None = None
    holds: list[UUID] = []

    @property
    def is_unknown(self) -> bool:
        return self.end in (None, "unknown")


def read_log(path: Path) -> list[Call]:
    """Reads the calls. The last line may be incomplete: the client can be killed while it writes."""
    decoder, calls = msgspec.json.Decoder(Call), dict[str, Call]()
    lines = path.read_bytes().split(b"\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            entry = decoder.decode(line)
        except msgspec.DecodeError as error:
            if number == len(lines):
                continue
            raise OperatorError(f"{path}, line {number}: {error}") from None
        before = calls.get(entry.call)
        calls[entry.call] = entry if before is None else _merge(before, entry)
    nameless = [call.call for call in calls.values() if call.kind is None]
    if nameless:
        raise OperatorError(f"{path}: call {nameless[0]} has no kind.")
    return list(calls.values())


def _merge(before: Call, entry: Call) -> Call:
    new = {name: value for name in Call.__struct_fields__ if (value := getattr(entry, name)) not in (None, [])}
    return msgspec.structs.replace(before, **new)
