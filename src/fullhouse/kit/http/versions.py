"""Rows that people edit carry a version. It travels as the ETag; a change may insist on it with If-Match."""

from fullhouse.kit.errors import Refusal


class StaleVersion(Refusal):
    """Somebody has changed it since you read it. Read it again, and decide again."""

    code, status, title = "stale_version", 412, "It was changed meanwhile"


def etag(version: int) -> str:
    return f'"{version}"'


def has_tag(if_none_match: str, tag: str) -> bool:
    """A proxy may have weakened the tag, or a client keep several."""
    return tag in (part.strip().removeprefix("W/") for part in if_none_match.split(","))


def check(if_match: str | None, version: int) -> None:
    """No header, no condition; `*` is any version that exists."""
    if if_match is None or if_match.strip() == "*":
        return
    if etag(version) not in (part.strip().removeprefix("W/") for part in if_match.split(",")):
        raise StaleVersion(f"The current version is {version}.", version=version)
