"""The rate of admissions: an exponentially decaying mean, which follows a change within minutes."""

HALF_LIFE_S = 300.0


class AdmissionRate:
    def __init__(self, since_s: float) -> None:
        self._since_s = self._at_s = since_s
        self.counted = 0.0  # how many were admitted, older admissions counting less

    def count(self, people: int, now_s: float) -> None:
        self._decay(now_s)
        self.counted += people

    def per_second(self, now_s: float) -> float | None:
        """None if there is too little to measure."""
        self._decay(now_s)
        watched_s = HALF_LIFE_S / 0.6931471805599453 * (1 - 0.5 ** ((now_s - self._since_s) / HALF_LIFE_S))
        return self.counted / watched_s if watched_s > 1 and self.counted > 0 else None

    def _decay(self, now_s: float) -> None:
        if now_s > self._at_s:
            self.counted *= 0.5 ** ((now_s - self._at_s) / HALF_LIFE_S)
            self._at_s = now_s
