"""Letters in every language: nothing is left in English, and nothing is said that no letter says."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2 import Environment

from fullhouse.accounts.model import Role
from fullhouse.checkout.orders.settle import REASONS
from fullhouse.mail import render as mail_render
from fullhouse.mail.render import WIDTH, render
from fullhouse.mail.samples import SAMPLES
from fullhouse.mail.words import AFRIKAANS
from tests.messaging.test_mail_letters import HOUSE, Tags

TEMPLATES = sorted(Path(mail_render.__file__).with_name("templates").iterdir())
# What a template says by a value, or a filter says itself.
BY_VALUE = {
    *REASONS.values(),
    *(str(role) for role in Role if role != Role.CUSTOMER),
    "general admission",
    "no replacement seat",
}
OUTSIDE = re.compile(r"\{[{%#].*?[}%#]\}|<[^>]*>|&#?\w+;", re.DOTALL)


def said() -> Iterator[str]:
    environment = Environment(extensions=["jinja2.ext.i18n"], autoescape=True)
    for path in TEMPLATES:
        for _, _, texts in environment.extract_translations(path.read_text()):  # type: ignore[attr-defined]
            yield from filter(None, texts if isinstance(texts, tuple) else (texts,))


def test_every_text_has_its_afrikaans_with_the_same_places_to_fill() -> None:
    assert {*said(), *BY_VALUE} == set(AFRIKAANS)
    for english, afrikaans in AFRIKAANS.items():
        assert sorted(re.findall(r"%\(\w+\)s", english)) == sorted(re.findall(r"%\(\w+\)s", afrikaans)), english


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_no_template_says_anything_beside_its_texts(path: Path) -> None:
    assert re.findall(r"[A-Za-z]{2,}", OUTSIDE.sub(" ", path.read_text())) in ([], ["doctype", "html"])


@pytest.mark.parametrize("name", SAMPLES)
def test_a_letter_in_afrikaans_has_no_english_in_it(name: str) -> None:
    english, letter = render(SAMPLES[name], HOUSE), render(SAMPLES[name], HOUSE, "af-ZA")
    assert Tags(letter.html).seen[0] == ("html", {"lang": "af", "xmlns": "http://www.w3.org/1999/xhtml"})
    assert Tags(english.html).seen[0][1]["lang"] == "en"
    assert letter.subject != english.subject
    assert max(map(len, letter.text.split("\n"))) <= WIDTH
    assert "\n\n\n" not in letter.text
    for shown in (letter.subject, letter.text, Tags(letter.html).text):
        flat = " ".join(shown.split())
        for english_text, afrikaans in AFRIKAANS.items():
            known = re.sub(r"\\?%\\?\(\w+\\?\)s", ".{1,80}?", re.escape(english_text))
            if " " in english_text and english_text not in afrikaans:
                assert not re.search(known, flat), (english_text, flat)


def test_a_letter_says_days_money_and_places_as_its_reader_does() -> None:
    text = " ".join(render(SAMPLES["order_confirmed"], HOUSE, "af").text.split())
    assert "Wanneer: Saterdag 13 Maart 2027, 19:30 (Europe/Amsterdam)" in text
    assert "- Adult, Stalls, ry C, sitplek 12: €42,50, kode 7F4KQ2MX" in text
    moved = " ".join(render(SAMPLES["seats_moved"], HOUSE, "af").text.split())
    assert "- Stalls, ry C, sitplek 12: nou Stalls, ry B, sitplek 8" in moved
    assert "- Stalls, ry C, sitplek 13: nou geen plaasvervangende sitplek nie" in moved


def test_whoever_reads_what_nobody_here_speaks_gets_english() -> None:
    assert render(SAMPLES["sign_in_link"], HOUSE, "nl") == render(SAMPLES["sign_in_link"], HOUSE)
