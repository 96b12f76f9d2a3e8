"""City suggestions: by prefix first, then by likeness, accents and case aside. Pure; the list comes from the cache."""

from bisect import bisect_left, bisect_right

from rapidfuzz import process
from rapidfuzz.distance.JaroWinkler import normalized_similarity as _likeness

from fullhouse.events.public.model import CitySuggestion
from fullhouse.kit.text import folded

_LIKENESS_MIN = 0.82  # Jaro-Winkler: it forgives slips, and a word whose end is not typed yet
_AFTER_ALL = "\U0010ffff"


class CityIndex:
    """The cities of one list, folded and sorted once: a suggestion costs microseconds."""

    _last: "tuple[list[CitySuggestion], CityIndex] | None" = None

    def __init__(self, cities: list[CitySuggestion]) -> None:
        self._busiest = sorted(cities, key=lambda city: (-city.events, city.city))
        self._names = [folded(city.city) for city in self._busiest]
        self._sorted = sorted((name, place) for place, name in enumerate(self._names))

    @classmethod
    def of(cls, cities: list[CitySuggestion]) -> "CityIndex":
        """The same list, as long as it stays cached, gives the same index."""
        if cls._last is None or cls._last[0] is not cities:
            cls._last = (cities, cls(cities))
        return cls._last[1]

    def suggest(self, typed: str, limit: int) -> list[CitySuggestion]:
        """The busiest first among those that begin with what was typed; then those that look like it."""
        wanted = folded(typed)
        if not wanted:
            return self._busiest[:limit]
        first = bisect_left(self._sorted, (wanted, -1))
        last = bisect_right(self._sorted, (wanted + _AFTER_ALL, len(self._names)))
        found = sorted(place for _, place in self._sorted[first:last])[:limit]
        if len(found) < limit:
            most = limit * 2
            alike = process.extract(wanted, self._names, scorer=_likeness, score_cutoff=_LIKENESS_MIN, limit=most)
            found += [place for _, _, place in alike if place not in found]
        return [self._busiest[place] for place in found[:limit]]
