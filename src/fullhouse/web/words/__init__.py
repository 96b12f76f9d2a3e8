"""The pages' texts by language, and the choice of a visitor's language.

`?lang=` (stored in a cookie), else the browser's preference, else the organisation's language.
"""

from typing import Any
from uuid import UUID

from litestar import Request
from litestar.datastructures import State

from fullhouse.accounts import actions as accounts
from fullhouse.events.words import WORDS as KINDS
from fullhouse.kit import languages
from fullhouse.kit.languages import COOKIE, Words
from fullhouse.kit.services import Services
from fullhouse.web.words import af, en

LOCALE_CACHE_S = 60
COOKIE_S = 365 * 86_400
ALL = EN, AF = languages.catalogue(en=en.TEXTS | KINDS.en.texts, af=af.TEXTS | KINDS.af.texts)


def preferred_language(request: Request[Any, Any, State]) -> Words | None:
    """The language that the visitor prefers, if there are texts in it."""
    code = _requested_code(request) or languages.requested_language(request.headers.get)
    return ALL.of(code) if code else None


def _requested_code(request: Request[Any, Any, State]) -> str | None:
    code = request.query_params.get("lang", "")
    return code if code in languages.DAYS else None


async def choose_language(request: Request[Any, Any, State], organization_id: UUID | None = None) -> Words:
    """The language of a page: the visitor's, else the organisation's, else English."""
    if (preferred := preferred_language(request)) or organization_id is None:
        return preferred or EN
    services: Services = request.app.state.services

    async def load() -> str:
        async with services.database.tenant(organization_id) as tx:
            return (await accounts.require_profile(tx)).locale

    return ALL.of(await services.cache.get(accounts.locale_key(organization_id), LOCALE_CACHE_S, load, str))


def language_headers(request: Request[Any, Any, State]) -> dict[str, str]:
    """The headers of a page whose language depends on the visitor; an explicit choice is stored in a cookie."""
    headers = {"vary": "accept-language, cookie"}
    if code := _requested_code(request):
        headers["set-cookie"] = f"{COOKIE}={code}; Path=/; Max-Age={COOKIE_S}; SameSite=Lax"
    return headers
