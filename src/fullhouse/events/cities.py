"""City suggestions: by prefix first, then by likeness, accents and case aside. Pure; the list comes from the cache."""

from rapidfuzz import fuzz, process

from fullhouse.events.public_model import CitySuggestion
from fullhouse.kit.text import folded

_LIKENESS_MIN = 70


def suggest(cities: list[CitySuggestion], typed: str, limit: int) -> list[CitySuggestion]:
    """The busiest cities first among those that begin with what was typed; then those that look like it."""
    busiest = sorted(cities, key=lambda city: (-city.events, city.city))
    wanted = folded(typed)
    names = [folded(city.city) for city in busiest]
    found = [i for i, name in enumerate(names) if name.startswith(wanted)]
    if wanted and len(found) < limit:
        alike = process.extract(wanted, names, scorer=fuzz.WRatio, score_cutoff=_LIKENESS_MIN, limit=limit * 2)
        found += [i for _, _, i in alike if i not in found]
    return [busiest[i] for i in found[:limit]]
