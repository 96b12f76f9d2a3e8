"""The supported languages: how one is chosen for a request, and how each writes days, numbers and money.

The texts are in the catalogues of their domains. Each catalogue has all languages, with the same keys and the same
placeholders (tests/web/test_words.py).
"""

import unicodedata
from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from fullhouse.kit.money import Money

COOKIE = "fullhouse_lang"  # the language chosen on a page
PREFERENCES_MAX = 200  # characters of an Accept-Language header that are parsed, and cached
DAYS = {
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "af": ("Maandag", "Dinsdag", "Woensdag", "Donderdag", "Vrydag", "Saterdag", "Sondag"),
}
MONTHS = {
    "en": ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December"),
    "af": ("Januarie", "Februarie", "Maart", "April", "Mei", "Junie", "Julie", "Augustus", "September", "Oktober",
           "November", "Desember"),
}  # fmt: skip
# As browsers write them (Intl), so that a price looks the same before and after a page's script has run.
SYMBOLS = {
    "en": {
        "AUD": "A$", "BRL": "R$", "CAD": "CA$", "CNY": "CN¥", "EUR": "€", "GBP": "£", "HKD": "HK$", "ILS": "₪",
        "INR": "₹", "JPY": "¥", "KRW": "₩", "MXN": "MX$", "NZD": "NZ$", "PHP": "₱", "TWD": "NT$", "USD": "$",
        "VND": "₫", "XAF": "FCFA", "XCD": "EC$", "XOF": "F\u202fCFA", "XPF": "CFPF",
    },
    "af": {
        "AUD": "A$", "BRL": "R$", "CNY": "CN¥", "EUR": "€", "GBP": "£", "HKD": "HK$", "ILS": "₪", "INR": "₹",
        "JPY": "JP¥", "KRW": "₩", "NZD": "NZ$", "THB": "฿", "TWD": "NT$", "VND": "₫", "XAF": "FCFA", "XCD": "EC$",
        "XOF": "F\u202fCFA", "XPF": "CFPF", "ZAR": "R",
    },
}  # fmt: skip


class Words(NamedTuple):
    """The texts of one language. `t("key", name=…)` returns one with its placeholders filled."""

    code: str
    texts: dict[str, str]

    def __call__(self, key: str, **values: Any) -> str:
        return self.texts[key].format(**values)

    def with_prefix(self, prefix: str) -> dict[str, str]:
        """The texts whose keys have this prefix, for a page's script."""
        return {key.removeprefix(prefix): text for key, text in self.texts.items() if key.startswith(prefix)}

    def category(self, name: str) -> str:
        """Organisers may invent categories: an unknown one is shown as it is written."""
        return self.texts.get(f"category_{name}") or name.replace("_", " ").capitalize()

    def money(self, money: Money) -> str:
        """As the pages' scripts write it (frontend/src/lib/format.ts)."""
        amount, currency = f"{money}".split(" ")
        whole, point, rest = amount.removeprefix("-").partition(".")
        thousands, decimal = ("\u00a0", ",") if self.code == "af" else (",", ".")
        sign, symbol = "-" if money.amount < 0 else "", SYMBOLS[self.code].get(currency, currency)
        gap = "" if unicodedata.category(symbol[-1]).startswith("S") else "\u00a0"  # R 5, but €5
        return f"{sign}{symbol}{gap}{int(whole):,}".replace(",", thousands) + (decimal if point else "") + rest

    def day(self, moment: datetime) -> str:
        month = MONTHS[self.code][moment.month - 1]
        return f"{DAYS[self.code][moment.weekday()]} {moment.day} {month} {moment.year}"

    def short_day(self, moment: datetime) -> str:
        day = DAYS[self.code][moment.weekday()][: 2 if self.code == "af" else 3]
        return f"{day} {moment.day} {self.month(moment)} {moment.year}"

    def month(self, moment: datetime) -> str:
        return MONTHS[self.code][moment.month - 1][:3]


class Catalogue(NamedTuple):
    """A domain's texts, in every language."""

    en: Words
    af: Words

    def of(self, locale: str | None) -> Words:
        """The texts for a locale; English if its language is not supported."""
        return self.af if (locale or "")[:2] == "af" else self.en


def catalogue(*, en: dict[str, str], af: dict[str, str]) -> Catalogue:
    return Catalogue(Words("en", en), Words("af", af))


def requested_language(header: Callable[[str], str | None]) -> str | None:
    """A request's language: the one chosen on our pages (a cookie), otherwise the browser's preference."""
    for part in (header("cookie") or "").split(";"):
        name, _, code = part.strip().partition("=")
        if name == COOKIE and code in DAYS:
            return code
    return preferred_language((header("accept-language") or "")[:PREFERENCES_MAX])


@lru_cache(maxsize=1024)
def preferred_language(header: str) -> str | None:
    """The supported language that an Accept-Language header ranks highest."""
    ranked = []
    for place, part in enumerate(header.split(",")[:20]):
        tag, _, rest = part.strip().partition(";")
        code, weight = tag.strip().lower().partition("-")[0], _parse_weight(rest)
        if code in DAYS and weight > 0:
            ranked.append((-weight, place, code))
    return min(ranked)[2] if ranked else None


def _parse_weight(text: str) -> float:
    name, _, value = text.strip().partition("=")
    if name.strip() != "q":
        return 1.0
    try:
        return float(value)
    except ValueError:
        return 0.0
