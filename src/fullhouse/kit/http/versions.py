"""Rows that people edit have a version, which is their ETag. A change may require it with If-Match."""

from fullhouse.kit.errors import Refusal


class StaleVersion(Refusal):
    """It was changed since you read it. Read it again, and repeat the change with the new version."""

    code, status, title = "stale_version", 412, "It was changed in the meantime"


def etag(version: int) -> str:
    return f'"{version}"'


def matches_etag(if_none_match: str, tag: str) -> bool:
    """Accepts weak tags (proxies weaken them) and lists of tags."""
    return tag in (part.strip().removeprefix("W/") for part in if_none_match.split(","))


def check_if_match(if_match: str | None, version: int) -> None:
    """Without a header there is no condition; `*` matches any version."""
    if if_match is None or if_match.strip() == "*":
        return
    if etag(version) not in (part.strip().removeprefix("W/") for part in if_match.split(",")):
        raise StaleVersion(f"The current version is {version}.", version=version)
