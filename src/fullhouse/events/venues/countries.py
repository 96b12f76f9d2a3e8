"""Checks countries against ISO 3166, by code or by name. Pure."""

from functools import cache

import iso3166

from fullhouse.kit.text import fold

UNKNOWN_COUNTRY = "ZZ"  # user-assigned in ISO 3166: stands for an unknown country
# Common names where those of the standard are longer.
_COMMON_NAMES = (
    "Czech Republic", "Great Britain", "Ivory Coast", "North Korea", "Russia", "South Korea", "Turkey", "UK",
    "United Kingdom", "United States", "USA", "Vietnam", "Laos", "Cape Verde", "Brunei", "Swaziland", "Macedonia",
)  # fmt: skip


def is_country(text: str) -> bool:
    """Two letters are a code. A name is the standard's, long or short ("Netherlands, Kingdom of the"), or a common
    one; case and accents are ignored."""
    if len(text) == 2 and text.upper() != "UK":
        return text.upper() == UNKNOWN_COUNTRY or text.upper() in iso3166.countries_by_alpha2
    return fold(text) in _names()


@cache
def _names() -> frozenset[str]:
    long = {name for country in iso3166.countries for name in (country.name, country.apolitical_name)}
    short = {name.partition(mark)[0] for name in long for mark in (",", "(")}
    return frozenset(fold(name) for name in long | short | {*_COMMON_NAMES})
