"""A show's life in words: what it is, and what may be done to it. Which follows which is in `policy`."""

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
