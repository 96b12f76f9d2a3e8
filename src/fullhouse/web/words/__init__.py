"""The pages' texts by language, and which one a visitor gets.

What they ask for (`?lang=`, kept in a cookie), else what their browser prefers, else what the organisation speaks.
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

LOCALE_S = 60
COOKIE_S = 365 * 86_400
ALL = EN, AF = languages.catalogue(en=en.TEXTS | KINDS.en.texts, af=af.TEXTS | KINDS.af.texts)


def wanted(request: Request[Any, Any, State]) -> Words | None:
    """The reader's own wish, if they have one that we can meet."""
    code = _spoken_out(request) or languages.asked(request.headers.get)
    return ALL.of(code) if code else None


def _spoken_out(request: Request[Any, Any, State]) -> str | None:
    code = request.query_params.get("lang", "")
    return code if code in languages.DAYS else None


async def of(request: Request[Any, Any, State], organization_id: UUID | None = None) -> Words:
    """The language of a page, which may be an organisation's."""
    if (own := wanted(request)) or organization_id is None:
        return own or EN
    services: Services = request.app.state.services

    async def load() -> str:
        async with services.database.tenant(organization_id) as tx:
            return (await accounts.get_profile(tx)).locale

    return ALL.of(await services.cache.get(accounts.locale_key(organization_id), LOCALE_S, load, str))


def told(request: Request[Any, Any, State]) -> dict[str, str]:
    """What a page in somebody's language says of itself; a wish that was spoken out is kept."""
    headers = {"vary": "accept-language, cookie"}
    if code := _spoken_out(request):
        headers["set-cookie"] = f"{COOKIE}={code}; Path=/; Max-Age={COOKIE_S}; SameSite=Lax"
    return headers
