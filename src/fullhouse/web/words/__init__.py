"""The pages' texts by language, and which one a visitor gets.

What they ask for (`?lang=`, kept in a cookie), else what their browser prefers, else what the organisation speaks. Both
catalogues have the same keys and the same places to fill (tests/web/test_words.py).
"""

import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from litestar import Request
from litestar.datastructures import State

from fullhouse.accounts import actions as accounts
from fullhouse.kit.money import Money
from fullhouse.kit.services import Services
from fullhouse.web.words import af, en

LOCALE_S = 60
COOKIE, COOKIE_S = "fullhouse_lang", 365 * 86_400


class Words(NamedTuple):
    """One language. `t("key", name=…)` is how a template says something."""

    code: str
    texts: Mapping[str, str]
    days: Sequence[str]
    months: Sequence[str]
    symbols: Mapping[str, str]  # of currencies that have one in this language

    def __call__(self, key: str, **values: Any) -> str:
        return self.texts[key].format(**values)

    def some(self, prefix: str) -> dict[str, str]:
        """Those whose keys begin like this, for a page's script."""
        return {key.removeprefix(prefix): text for key, text in self.texts.items() if key.startswith(prefix)}

    def category(self, name: str) -> str:
        """Organisers make categories up: what is not known is said as it is written."""
        return self.texts.get(f"category_{name}") or name.replace("_", " ").capitalize()

    def money(self, money: Money) -> str:
        """As the pages' scripts write it (frontend/src/lib/format.ts)."""
        amount, currency = f"{money}".split(" ")
        whole, point, rest = amount.removeprefix("-").partition(".")
        thousands, decimal = ("\u00a0", ",") if self.code == "af" else (",", ".")
        sign, symbol = "-" if money.amount < 0 else "", self.symbols.get(currency, currency)
        gap = "" if unicodedata.category(symbol[-1]).startswith("S") else "\u00a0"  # R 5, but €5
        return f"{sign}{symbol}{gap}{int(whole):,}".replace(",", thousands) + (decimal if point else "") + rest

    def day(self, moment: datetime) -> str:
        return f"{self.days[moment.weekday()]} {moment.day} {self.months[moment.month - 1]} {moment.year}"

    def short_day(self, moment: datetime) -> str:
        return f"{self.days[moment.weekday()][: self._short]} {moment.day} {self.month(moment)} {moment.year}"

    def month(self, moment: datetime) -> str:
        return self.months[moment.month - 1][:3]

    @property
    def _short(self) -> int:
        return 2 if self.code == "af" else 3


EN, AF = (Words(module.CODE, module.TEXTS, module.DAYS, module.MONTHS, module.SYMBOLS) for module in (en, af))
LANGUAGES: Mapping[str, Words] = {"en": EN, "af": AF}


def wanted(request: Request[Any, Any, State]) -> Words | None:
    """The reader's own wish, if they have one that we can meet."""
    for code in (request.query_params.get("lang", ""), request.cookies.get(COOKIE, "")):
        if code in LANGUAGES:
            return LANGUAGES[code]
    return preferred(request.headers.get("accept-language", ""))


def preferred(header: str) -> Words | None:
    """The best of ours in an Accept-Language header."""
    ranked = []
    for place, part in enumerate(header.split(",")[:20]):
        tag, _, rest = part.strip().partition(";")
        words = LANGUAGES.get(tag.strip().lower().partition("-")[0])
        weight = _weight(rest)
        if words and weight > 0:
            ranked.append((-weight, place, words))
    return min(ranked, key=lambda one: one[:2])[2] if ranked else None


def _weight(text: str) -> float:
    name, _, value = text.strip().partition("=")
    if name.strip() != "q":
        return 1.0
    try:
        return float(value)
    except ValueError:
        return 0.0


async def of(request: Request[Any, Any, State], organization_id: UUID | None = None) -> Words:
    """The language of a page, which may be an organisation's."""
    if (own := wanted(request)) or organization_id is None:
        return own or EN
    services: Services = request.app.state.services

    async def load() -> str:
        async with services.database.tenant(organization_id) as tx:
            return (await accounts.get_profile(tx)).locale

    locale = await services.cache.get(f"public:locale:{organization_id}", LOCALE_S, load, str)
    return LANGUAGES.get((locale or "en")[:2], EN)


def told(request: Request[Any, Any, State]) -> dict[str, str]:
    """What a page in somebody's language says of itself; a wish that was spoken out is kept."""
    headers = {"vary": "accept-language, cookie"}
    if (code := request.query_params.get("lang", "")) in LANGUAGES:
        headers["set-cookie"] = f"{COOKIE}={code}; Path=/; Max-Age={COOKIE_S}; SameSite=Lax"
    return headers
