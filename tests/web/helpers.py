"""What is on a page, and the shows that are to be seen there."""

from html.parser import HTMLParser
from typing import Any

import httpx

from tests.events.helpers import show_in
from tests.fixtures import Client

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</title></script><!-- ]]> & &amp;",
    "{{ 7 * 7 }} {% raw %}",
    "🎭 Großes Theater",
    "مسرحية العاصفة",
]


class Seen(HTMLParser):
    """What is on a page: its elements, its text, and what its script element says."""

    def __init__(self, answer: httpx.Response) -> None:
        super().__init__()
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text, self.script = "", ""
        self.feed(answer.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.elements and self.elements[-1][0] == "script":
            self.script += data
        self.text += data

    def all(self, tag: str, **wanted: str) -> list[dict[str, str | None]]:
        return [a for t, a in self.elements if t == tag and wanted.items() <= a.items()]

    def meta(self, name: str) -> str | None:
        found = [a["content"] for a in self.all("meta") if name in (a.get("name"), a.get("property"))]
        return found[0] if found else None

    def links(self) -> list[str]:
        return [a["href"] or "" for a in self.all("a")]


async def in_city(admin: Client, city: str, **more: Any) -> Any:
    hall = {"name": "Zaal", "city": city, "country": "BE", "timezone": "Europe/Brussels", "address": "Markt 1"}
    venue = await admin.post("/api/venues", json=hall | more.pop("venue", {}))
    assert venue.status_code == 201, venue.text
    return await show_in(admin, "published", venue_id=venue.json()["data"]["id"], **more)


async def seen(client: Client, path: str, **params: Any) -> Seen:
    answer = await client.get(path, params=params or None)
    assert answer.status_code == 200, answer.text
    return Seen(answer)
