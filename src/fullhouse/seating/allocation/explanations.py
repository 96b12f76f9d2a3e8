"""Sentences that explain an allocation, in English and Afrikaans. Row and seat names come from the caller."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from fullhouse.seating.allocation.index import Index


class Phrases(NamedTuple):
    """The phrases of a reason in one language."""

    numbers: Sequence[str]
    together: str
    single: str
    beside: str
    elsewhere: str
    along: str
    behind: tuple[str, str]  # one row, several
    in_front: tuple[str, str]
    alone: str
    like_all: str
    both: str


ENGLISH = Phrases(
    numbers=("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    together="{n} together in row {row}",
    single="{n} in row {row}",
    beside="{n} more beside yours in row {row}",
    elsewhere=" of another section",
    along=", further along the row",
    behind=(", {n} row behind", ", {n} rows behind"),
    in_front=(", {n} row in front", ", {n} rows in front"),
    alone="leaves {seats} alone",
    like_all="; {alone}, as every similar choice would",
    both="{all} and {last}",
)
AFRIKAANS = Phrases(
    numbers=("geen", "een", "twee", "drie", "vier", "vyf", "ses", "sewe", "agt", "nege", "tien"),
    together="{n} langs mekaar in ry {row}",
    single="{n} in ry {row}",
    beside="nog {n} langs joune in ry {row}",
    elsewhere=" van ’n ander blok",
    along=", verder in die ry",
    behind=(", {n} ry agter", ", {n} rye agter"),
    in_front=(", {n} ry voor", ", {n} rye voor"),
    alone="laat {seats} alleen",
    like_all="; dit {alone}, soos elke soortgelyke keuse ook sou",
    both="{all} en {last}",
)
LANGUAGES: Mapping[str, Phrases] = {"en": ENGLISH, "af": AFRIKAANS}


class Names(NamedTuple):
    row: Callable[[int], str]  # of a row's index: "A"
    seat: Callable[[int], str]  # of an ordinal: "A-1"
    phrases: Phrases = ENGLISH

    def in_language(self, language: str) -> "Names":
        return self._replace(phrases=LANGUAGES[language])


NUMBERS = Names(row=lambda row: str(row + 1), seat=lambda ordinal: str(ordinal + 1))


def describe_seats(index: Index, pieces: Sequence[Sequence[int]], own: Sequence[int], names: Names) -> str:
    """“4 together in row A, 1 in row B, one row behind”."""
    rows = [int(index.chart.row[piece[0]]) for piece in pieces]
    base = int(index.chart.row[own[0]]) if own else rows[0]
    parts = []
    for place, (piece, row) in enumerate(zip(pieces, rows, strict=True)):
        form = names.phrases.together if len(piece) > 1 else names.phrases.single
        text = form.format(n=len(piece), row=names.row(row))
        parts.append(text if place == 0 and not own else text + describe_row(index, base, row, names.phrases))
    return ", ".join(parts)


def describe_row(index: Index, base: int, row: int, phrases: Phrases = ENGLISH) -> str:
    if index.row_section[row] != index.row_section[base]:
        return phrases.elsewhere
    if row == base:
        return phrases.along
    distance = abs(row - base)
    number = phrases.numbers[distance] if distance < len(phrases.numbers) else str(distance)
    return (phrases.behind if row > base else phrases.in_front)[distance > 1].format(n=number)


def describe_addition(count: int, row: int, names: Names) -> str:
    """“2 more beside yours in row A”."""
    return names.phrases.beside.format(n=count, row=names.row(row))


def describe_orphans(orphans: Sequence[int], names: Names) -> str:
    """“leaves A-1 and A-4 alone”."""
    seats = [names.seat(ordinal) for ordinal in orphans]
    listed = seats[0] if len(seats) == 1 else names.phrases.both.format(all=", ".join(seats[:-1]), last=seats[-1])
    return names.phrases.alone.format(seats=listed)


def describe_unavoidable(orphans: Sequence[int], names: Names) -> str:
    """“; leaves A-1 alone, as every similar choice would”."""
    return names.phrases.like_all.format(alone=describe_orphans(orphans, names))
