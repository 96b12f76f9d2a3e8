"""The facts of waitlists."""

from datetime import datetime
from typing import ClassVar
from uuid import UUID

from fullhouse.kit.messages.outbox import Fact


class WaitlistFact(Fact, frozen=True, kw_only=True):
    """Base of all facts about an entry on a waitlist."""

    event_id: UUID
    user_id: UUID
    party: int
    answer_by: datetime | None = None


class WaitlistJoined(WaitlistFact, frozen=True, kw_only=True):
    """A customer joined the waitlist of a sold-out event."""

    name: ClassVar[str] = "waitlist.joined"


class WaitlistOffered(WaitlistFact, frozen=True, kw_only=True):
    """Seats or tickets are held for a customer until `answer_by`. Written by the statement that makes the offer."""

    name: ClassVar[str] = "waitlist.offered"


class WaitlistTaken(WaitlistFact, frozen=True, kw_only=True):
    """The offered seats or tickets were bought."""

    name: ClassVar[str] = "waitlist.taken"


class WaitlistLapsed(WaitlistFact, frozen=True, kw_only=True):
    """An offer expired. The next entry gets one."""

    name: ClassVar[str] = "waitlist.lapsed"


class WaitlistLeft(WaitlistFact, frozen=True, kw_only=True):
    """A customer left the waitlist, or declined an offer."""

    name: ClassVar[str] = "waitlist.left"


class WaitlistWithdrawn(WaitlistFact, frozen=True, kw_only=True):
    """An offer was withdrawn (a seat was blocked, the event was moved). The entry waits again, in its old position."""

    name: ClassVar[str] = "waitlist.withdrawn"
