"""Pages as they come from the server, in Afrikaans: they say nothing that the English catalogues say."""

import re
from html import unescape

import pytest

from fullhouse.web.words import EN
from tests.checkout.helpers import bought, selling
from tests.english import in_english
from tests.fixtures import Client, Tenant

# What a script alone reads, and the way to the other language.
NOT_SAID = re.compile(r"<(script|style)\b.*?</\1>|<a [^>]*lang=\"en\".*?</a>", re.DOTALL)


def said(page: str) -> list[str]:
    """Texts, and attributes that people read or hear."""
    shown = NOT_SAID.sub(" ", page)
    heard = re.findall(r"(?:aria-label|title|placeholder|alt|content|data-[a-z-]+)=\"([^\"]*)\"", shown)
    texts = re.split(r"<[^>]*>", shown)
    return [" ".join(unescape(text).split()) for text in (*texts, *heard) if text.strip()]


@pytest.mark.parametrize(
    "place",
    ["/", "/o/{org}", "/o/{org}/the-tempest", "/o/{org}/the-tempest/queue", "/embed/{org}/the-tempest",
     "/orders/{order}", "/my",
     "/sign-in?at={org}", "/join", "/waiting-list", "/console", "/scan/", "/nothing-of-the-kind"],
)  # fmt: skip
async def test_a_page_in_afrikaans_says_nothing_in_english(client: Client, tenant: Tenant, place: str) -> None:
    sale = await selling(client.as_(tenant.tokens["owner"]))
    order = await bought(client, tenant, sale, 0) if "order" in place else {"secret": ""}
    path = place.format(org=tenant.organization.slug, order=order["secret"])
    page = (await client.get(path, headers={"accept-language": "af", "accept": "text/html"})).text
    assert '<html lang="af"' in page
    assert not in_english(said(page))
    assert in_english(said(page.replace("</body>", f"<p>{EN('nothing_yet')}</p></body>")))
