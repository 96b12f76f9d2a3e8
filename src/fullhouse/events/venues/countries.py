"""Which countries there are: ISO 3166, by code or by name. Pure."""

from functools import cache

import iso3166

from fullhouse.kit.text import folded

NOWHERE_KNOWN = "ZZ"  # ISO 3166 for a country that is not known
# What people call them, where the standard is longer.
_COMMON = (
    "Czech Republic", "Great Britain", "Ivory Coast", "North Korea", "Russia", "South Korea", "Turkey", "UK",
    "United Kingdom", "United States", "USA", "Vietnam", "Laos", "Cape Verde", "Brunei", "Swaziland", "Macedonia",
)  # fmt: skip


def is_country(said: str) -> bool:
    """Two letters are a code. A name is the standard's, long or short ("Netherlands, Kingdom of the"), or what
    people say, case and accents aside."""
    if len(said) == 2 and said.upper() != "UK":
        return said.upper() == NOWHERE_KNOWN or said.upper() in iso3166.countries_by_alpha2
    return folded(said) in _names()


@cache
def _names() -> frozenset[str]:
    whole = {name for country in iso3166.countries for name in (country.name, country.apolitical_name)}
    short = {name.partition(mark)[0] for name in whole for mark in (",", "(")}
    return frozenset(folded(name) for name in whole | short | {*_COMMON})
