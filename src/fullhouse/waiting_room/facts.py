"""The facts of this domain: about a waiting room as a whole. There are none about single entries."""

from datetime import datetime
from typing import ClassVar
from uuid import UUID

from fullhouse.kit.messages.outbox import Fact


class QueueFact(Fact, frozen=True, kw_only=True):
    """The fields of every fact about a waiting room. The subject is the event."""

    event_id: UUID
    mode: str
    state: str
    slots: int


class QueueOpened(QueueFact, frozen=True, kw_only=True):
    """The room is open: in state `pre` people join the pre-queue, in state `open` they are admitted."""

    name: ClassVar[str] = "queue.opened"
    opens_at: datetime | None = None


class QueuePaused(QueueFact, frozen=True, kw_only=True):
    """Nobody is admitted for now. People who were admitted go on."""

    name: ClassVar[str] = "queue.paused"


class QueueResumed(QueueFact, frozen=True, kw_only=True):
    """People are admitted again."""

    name: ClassVar[str] = "queue.resumed"


class QueueDraining(QueueFact, frozen=True, kw_only=True):
    """Nobody can join any more. The people who wait are served."""

    name: ClassVar[str] = "queue.draining"


class QueueClosed(QueueFact, frozen=True, kw_only=True):
    """Nobody waits any more: everybody may choose seats at once."""

    name: ClassVar[str] = "queue.closed"


class QueueSettingsChanged(QueueFact, frozen=True, kw_only=True):
    """The organiser has changed the room's mode, slots, admission window or opening time."""

    name: ClassVar[str] = "queue.settings_changed"
