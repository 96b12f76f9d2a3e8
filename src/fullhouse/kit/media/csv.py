"""CSV files for spreadsheets. Text that people have typed is never interpreted as a formula."""

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from fullhouse.kit.http.response import Response
from fullhouse.kit.money import Money

# Spreadsheets interpret a cell that begins so as a formula. An apostrophe before it makes it text.
FORMULA_PREFIXES = ("=", "+", "-", "@", "\t", "\r")
ROWS_MAX = 5000
MEDIA_TYPE = "text/csv"


def to_cell(value: Any) -> str:
    """Numbers and times are our own; text may come from anybody, and is escaped."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    if isinstance(value, str):
        return f"'{value}" if value.startswith(FORMULA_PREFIXES) else value
    return str(value)


def to_major_units(amount: int, currency: str) -> Decimal:
    """The amount in major units, as accountants use it."""
    return Decimal(str(Money(amount, currency)).partition(" ")[0])


def csv_response(name: str, head: Sequence[str], rows: Iterable[Sequence[Any]], next_cursor: str | None) -> Response:
    """A page of a list as a file. The byte order mark at its beginning tells spreadsheets that it is UTF-8."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(head)
    writer.writerows([to_cell(value) for value in row] for row in rows)
    headers = [("content-disposition", f'attachment; filename="{name}.csv"'), ("cache-control", "private, no-store")]
    if next_cursor:
        headers.append(("x-next-cursor", next_cursor))
    return Response(200, text.getvalue().encode("utf-8-sig"), tuple(headers), MEDIA_TYPE)
