"""Parameters shared by many routes."""

from datetime import datetime
from typing import Annotated

import msgspec
from litestar.params import HeaderParameter, QueryParameter

from fullhouse.kit.db.cursors import LIMIT_MAX
from fullhouse.kit.errors import FieldError, Invalid
from fullhouse.kit.times import to_utc

PageSize = Annotated[int, QueryParameter(ge=1, le=LIMIT_MAX, description="The maximum number of items to return.")]
After = Annotated[str | None, QueryParameter(max_length=1000, description="The `next_cursor` of the previous page.")]

IfMatch = Annotated[
    str | None,
    HeaderParameter(name="If-Match", max_length=40, description="The ETag that the change is based on."),
]

IfNoneMatch = Annotated[str | None, HeaderParameter(name="If-None-Match", description="The ETag of the caller's copy.")]

Secret = Annotated[
    str | None, HeaderParameter(name="Authorization", max_length=200, description="`Bearer ` and the secret.")
]


def parse_bearer(authorization: str | None) -> str:
    return (authorization or "").removeprefix("Bearer ").strip()


# Text, parsed by the function below: Litestar would accept the number 0.5 as a time.
Moment = Annotated[
    str | None, QueryParameter(pattern=r"^\d{4}-\d{2}-\d{2}T", max_length=40, description="RFC 3339, by default UTC.")
]


def parse_moment(name: str, text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        found = msgspec.convert(text, datetime)
    except msgspec.ValidationError:
        raise Invalid(fields=[FieldError(name, "Expected a time such as 2026-01-31T19:30:00Z.")]) from None
    return to_utc(found)
