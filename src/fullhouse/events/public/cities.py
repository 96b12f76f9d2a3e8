"""City suggestions: by prefix, then by similarity, ignoring accents and case. Pure; the list comes from the cache."""

from bisect import bisect_left, bisect_right

from rapidfuzz import process
from rapidfuzz.distance.JaroWinkler import normalized_similarity as _likeness

from fullhouse.events.public.model import CitySuggestion
from fullhouse.kit.text import fold

_LIKENESS_MIN = 0.82  # Jaro-Winkler similarity: tolerates typing errors and incomplete words
_LAST_CHARACTER = "\U0010ffff"


class CityIndex:
    """The cities of one list, folded and sorted once, so that a suggestion takes microseconds."""

    _last: "tuple[list[CitySuggestion], CityIndex] | None" = None

    def __init__(self, cities: list[CitySuggestion]) -> None:
        self._busiest = sorted(cities, key=lambda city: (-city.events, city.city))
        self._names = [fold(city.city) for city in self._busiest]
        self._sorted = sorted((name, place) for place, name in enumerate(self._names))

    @classmethod
    def of(cls, cities: list[CitySuggestion]) -> "CityIndex":
        """Reuses the index as long as the cache returns the same list."""
        if cls._last is None or cls._last[0] is not cities:
            cls._last = (cities, cls(cities))
        return cls._last[1]

    def suggest(self, typed: str, limit: int) -> list[CitySuggestion]:
        """Cities with the prefix, those with most events first; then similar names."""
        wanted = fold(typed)
        if not wanted:
            return self._busiest[:limit]
        first = bisect_left(self._sorted, (wanted, -1))
        last = bisect_right(self._sorted, (wanted + _LAST_CHARACTER, len(self._names)))
        found = sorted(place for _, place in self._sorted[first:last])[:limit]
        if len(found) < limit:
            most = limit * 2
            alike = process.extract(wanted, self._names, scorer=_likeness, score_cutoff=_LIKENESS_MIN, limit=most)
            found += [place for _, _, place in alike if place not in found]
        return [self._busiest[place] for place in found[:limit]]
