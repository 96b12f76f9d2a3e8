"""The statuses of an event, and its transitions (moves). Which are allowed is in `policy`."""

from enum import StrEnum


class Status(StrEnum):
    DRAFT = "draft"
    PUBLISHED = "published"
    LIVE = "live"
    ENDED = "ended"
    CANCELLED = "cancelled"
    POSTPONED = "postponed"
    ARCHIVED = "archived"


class Move(StrEnum):
    PUBLISH = "publish"
    UNPUBLISH = "unpublish"
    START = "start"
    END = "end"
    POSTPONE = "postpone"
    RESCHEDULE = "reschedule"
    CANCEL = "cancel"
    ARCHIVE = "archive"
