"""What this room announces. A person's steps are in the entries themselves; these are about the room as a whole."""

from datetime import datetime
from typing import ClassVar
from uuid import UUID

from fullhouse.kit.messages.outbox import Fact


class QueueFact(Fact, frozen=True, kw_only=True):
    """What every fact about a waiting room says; its subject is the show."""

    event_id: UUID
    mode: str
    state: str
    slots: int


class QueueOpened(QueueFact, frozen=True, kw_only=True):
    """From now on people choose by turns: in state `pre` they gather, in state `open` they are let in."""

    name: ClassVar[str] = "queue.opened"
    opens_at: datetime | None = None


class QueuePaused(QueueFact, frozen=True, kw_only=True):
    """Nobody is let in for now; those inside go on."""

    name: ClassVar[str] = "queue.paused"


class QueueResumed(QueueFact, frozen=True, kw_only=True):
    """People are let in again."""

    name: ClassVar[str] = "queue.resumed"


class QueueDraining(QueueFact, frozen=True, kw_only=True):
    """Nobody new; those who wait are served."""

    name: ClassVar[str] = "queue.draining"


class QueueClosed(QueueFact, frozen=True, kw_only=True):
    """Nobody waits any more: whoever comes may choose at once."""

    name: ClassVar[str] = "queue.closed"


class QueueSettingsChanged(QueueFact, frozen=True, kw_only=True):
    """The organiser changed how many may choose at a time, or when the room opens."""

    name: ClassVar[str] = "queue.settings_changed"
