"""The answer to a poll from a slip is the answer that the place itself would give, to the byte."""

from datetime import UTC, datetime
from uuid import UUID

import msgspec
import pytest

from fullhouse.waiting_room import entry_actions
from fullhouse.waiting_room.admission_rate import AdmissionRate
from fullhouse.waiting_room.live_room import LiveRoom
from fullhouse.waiting_room.model import Room, State
from fullhouse.waiting_room.virtual_queue import ADMITTED, DONE, WAITING

NOW_S = 1_800_000_000.123
EVENT = UUID("3df37b16-97e1-48bc-8722-bb56ea18e27f")


def standing(state: State, *, let_in: int = 0, seed: bytes | None = None, sold_out: bool = False) -> LiveRoom:
    """Nine in a line: the first is inside, the second has bought, the rest wait, and one is not known here."""
    opens_at = datetime(2027, 1, 1, tzinfo=UTC) if state == "pre" else None
    room = Room(
        organization_id=EVENT, event_id=EVENT, state=state, seed_hash=seed, sold_out=sold_out, opens_at=opens_at
    )
    found = LiveRoom(room, NOW_S - 600)
    found.rate = AdmissionRate(NOW_S - 600)
    found.rate.count(let_in, NOW_S - 300)
    found.queue.load(list(range(1, 10)), [ADMITTED, DONE, *[WAITING] * 7], [int(NOW_S) - 7 * n for n in range(9)])
    found.queue.admit(1, int(NOW_S * 1000) + 90_000)
    return found


@pytest.mark.req("QUEUE-2")
@pytest.mark.parametrize(
    "room",
    [
        standing("open"),
        standing("open", let_in=50),
        standing("draining", let_in=7),
        standing("paused", let_in=50),
        standing("open", seed=bytes(range(32))),
        standing("pre", seed=bytes(range(32))),
        standing("open", sold_out=True),
        standing("closed"),
    ],
    ids=lambda room: room.room.state,
)
def test_a_slip_says_what_the_place_says(room: LiveRoom) -> None:
    for seq in range(1, 11):
        for token in (None, "dG9rZW4/+=="):
            whole = msgspec.json.encode({"data": entry_actions.to_place(room, seq, NOW_S, token)})
            assert entry_actions.to_response((room, seq, NOW_S, token)) == whole


def test_a_slip_follows_the_room() -> None:
    """What it says is as old as everything else that all of a room have in common."""
    room = standing("open")
    assert b'"room":"open"' in entry_actions.to_response((room, 5, NOW_S, None))
    room.set_room(msgspec.structs.replace(room.room, state="paused"))
    assert b'"room":"paused"' in entry_actions.to_response((room, 5, NOW_S, None))
