"""What the waitlist announces."""

from datetime import datetime
from typing import ClassVar
from uuid import UUID

from fullhouse.kit.messages.outbox import Fact


class WaitlistFact(Fact, frozen=True, kw_only=True):
    """What every fact about somebody on a waiting list says."""

    event_id: UUID
    user_id: UUID
    party: int
    answer_by: datetime | None = None


class WaitlistJoined(WaitlistFact, frozen=True, kw_only=True):
    """Somebody waits for places of a sold-out show."""

    name: ClassVar[str] = "waitlist.joined"


class WaitlistOffered(WaitlistFact, frozen=True, kw_only=True):
    """Places are held for somebody who waited, until `answer_by`. Written by the statement that makes the offer."""

    name: ClassVar[str] = "waitlist.offered"


class WaitlistTaken(WaitlistFact, frozen=True, kw_only=True):
    """What was offered is bought."""

    name: ClassVar[str] = "waitlist.taken"


class WaitlistLapsed(WaitlistFact, frozen=True, kw_only=True):
    """An offer's time was over. The next one is served."""

    name: ClassVar[str] = "waitlist.lapsed"


class WaitlistLeft(WaitlistFact, frozen=True, kw_only=True):
    """Somebody does not wait any more, or has given back what was offered."""

    name: ClassVar[str] = "waitlist.left"


class WaitlistWithdrawn(WaitlistFact, frozen=True, kw_only=True):
    """The house took an offer back (a seat was blocked, the show was moved). Whoever had it waits on, in front."""

    name: ClassVar[str] = "waitlist.withdrawn"
