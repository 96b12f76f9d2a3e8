"""What is written to Redis of several changes that were heard of before the first was written."""

from datetime import UTC, datetime

import pytest

from fullhouse.holds.mirror import writer
from fullhouse.holds.mirror.writer import INFINITY, Changes
from fullhouse.holds.store import HoldDeadline
from fullhouse.kit.ids import new_id

UNTIL = datetime(2030, 6, 1, 12, tzinfo=UTC)


@pytest.mark.req("HOLD-9")
@pytest.mark.parametrize("has_seat", [True, False])
def test_a_hold_that_is_frozen_and_thawed_stays(has_seat: bool) -> None:
    """Seen to be taken out of the mirror, as if it had ended, when what was gone before was not looked at again."""
    organization_id, event_id, place = new_id(), new_id(), new_id()
    frozen = HoldDeadline(
        new_id(),
        event_id,
        new_id(),
        place if has_seat else None,
        None if has_seat else place,
        None,
        UNTIL,
        INFINITY,
        0 if has_seat else None,
        3 if has_seat else None,
        1,
    )
    thawed = frozen._replace(held_before=INFINITY, held_until=UNTIL, version=4 if has_seat else None)
    changes = Changes({}, {}, [], [])
    for row in (frozen, thawed):
        writer._collect_prolonged({(organization_id, event_id): changes}, organization_id, [row])
    live = changes.held[place][0] if has_seat else changes.without_seat[-1]
    assert (live.hold_id, live.held_until) == (frozen.hold_id, UNTIL)
    assert live not in changes.ended
    assert [gone.held_until for gone in changes.ended] == [INFINITY]
