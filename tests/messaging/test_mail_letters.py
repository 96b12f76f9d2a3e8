"""Letters: every template with whatever people type, and as SMTP carries it."""

import re
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from html.parser import HTMLParser
from typing import Any

import msgspec
import pytest

from fullhouse.kit.ids import new_id
from fullhouse.kit.mail.email import EmailData, to_one_line
from fullhouse.kit.mail.mailer import BadAddress, QueuedEmail, build_message, to_address
from fullhouse.kit.money import Money
from fullhouse.mail.model import EMAILS, Brand, EventDetails, OrderRefunded, SeatsMoved, TimeChanged
from fullhouse.mail.render import BLACK, WHITE, WIDTH, contrast, format_time, render, text_colour_on, wrap_text
from fullhouse.mail.samples import SAMPLES
from fullhouse.tickets.words import WORDS

HOUSE = Brand(
    name="Harbour Theatre",
    colour="#0F5C4D",
    address="https://tickets.example.org",
    path="/o/harbour-theatre",
    contact_email="box@harbour.example",
)
# What people type, or try.
AWKWARD = [
    "x" * 500,
    "A name " * 60,
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7 * 7 }} {% raw %} {# #}",
    "Two\r\nBcc: everybody@example.org\n\nlines",
    "مسرحية العاصفة ‮txet‬",
    "🎭 Für Élise 東京 ‏",
    "&amp; & &lt;",
    "a\x00b\x1bc\x85d\u2028e",
]


class Tags(HTMLParser):
    """What a mail program would see: elements with their attributes, and the text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def said_as(value: Any, text: str) -> Any:
    """The same letter with every text in it replaced, addresses of pages aside."""
    if isinstance(value, str):
        return text
    if isinstance(value, tuple):
        return tuple(said_as(it, text) for it in value)
    if isinstance(value, msgspec.Struct) and not isinstance(value, Money):
        plain = {n for n in value.__struct_fields__ if n.endswith("path") or n in ("timezone", "colour", "address")}
        keep = plain - {"address"} if isinstance(value, EventDetails) else plain
        changed = {n: said_as(getattr(value, n), text) for n in value.__struct_fields__ if n not in keep}
        return msgspec.structs.replace(value, **changed)
    return value


def test_every_letter_has_words_a_sample_and_an_occasion() -> None:
    assert set(SAMPLES) == {letter.template for letter in EMAILS}
    for letter in EMAILS:
        assert (letter.__doc__ or "").endswith(".")
        assert letter.__doc__ != EmailData.__doc__


@pytest.mark.parametrize("name", SAMPLES)
def test_a_letter_in_its_own_words(name: str) -> None:
    letter = render(SAMPLES[name], HOUSE)
    assert 5 < len(letter.subject) <= 70, letter.subject
    assert max(map(len, letter.text.split("\n"))) <= WIDTH
    assert "\n\n\n" not in letter.text
    assert letter.text.endswith(
        "--\nHarbour Theatre\nbox@harbour.example\nhttps://tickets.example.org/o/harbour-theatre\n"
    )
    assert (letter.sender_name, letter.reply_to) == ("Harbour Theatre", "box@harbour.example")
    tags = Tags(letter.html)
    assert not {"img", "script", "link", "style", "form", "iframe"} & {tag for tag, _ in tags.seen}
    links = [attrs["href"] or "" for tag, attrs in tags.seen if tag == "a"]
    assert links
    assert all(it.startswith(("https://tickets.example.org/", "mailto:")) for it in links)
    assert set(re.findall(r"https?://\S+", letter.text)) - {"https://hooks.example.org/fullhouse"} <= set(links)
    # Every mail program shows something beside the subject: ours, and nothing that follows by chance.
    assert letter.html.index("display:none") < letter.html.index("<h1")
    # Mail programs cut off what is longer than about 100 kB.
    assert len(letter.html.encode()) < 30_000


@pytest.mark.parametrize("text", AWKWARD, ids=range(len(AWKWARD)))
@pytest.mark.parametrize("name", SAMPLES)
def test_whatever_people_type_is_only_text(name: str, text: str) -> None:
    plain = render(SAMPLES[name], HOUSE)
    letter = render(said_as(SAMPLES[name], text), said_as(HOUSE, text))
    one = to_one_line(text)
    before, after = Tags(plain.html), Tags(letter.html)
    assert [(tag, set(attrs)) for tag, attrs in after.seen] == [(tag, set(attrs)) for tag, attrs in before.seen]
    assert one in " ".join(after.text.split())
    assert "\n" not in letter.subject
    assert len(letter.subject) <= 120
    # As many paragraphs as ever: nobody's name begins one.
    assert letter.text.count("\n\n") == plain.text.count("\n\n")
    for shown in (letter.subject, letter.text, letter.html):
        assert not re.search("[\x00-\x08\x1b\u202a-\u202e\u2066-\u2069]", shown)


@pytest.mark.parametrize("letter", EMAILS)
def test_a_letter_cannot_be_written_without_what_it_says(letter: type[EmailData]) -> None:
    needed = [f.name for f in msgspec.structs.fields(letter) if f.required]
    assert needed
    whole = msgspec.structs.asdict(SAMPLES[letter.template])
    for name in needed:
        with pytest.raises(TypeError, match=name):
            letter(**{n: value for n, value in whole.items() if n != name})


def test_optional_parts_leave_no_gap() -> None:
    for data in SAMPLES.values():
        optional = {f.name: f.default for f in msgspec.structs.fields(data) if not f.required}
        bare = render(msgspec.structs.replace(data, **optional), msgspec.structs.replace(HOUSE, contact_email=None))
        assert "None" not in bare.text + bare.html
        assert "\n\n\n" not in bare.text
        assert bare.reply_to is None


def test_times_are_those_of_the_place_and_say_so() -> None:
    moment = datetime(2026, 7, 4, 18, 5, tzinfo=UTC)
    assert format_time(WORDS.en, moment, "America/New_York") == "Saturday 4 July 2026, 14:05 (America/New York)"
    show = EventDetails(
        name="X", path="/x", starts_at=moment, timezone="Africa/Johannesburg", venue="V", doors_at=moment
    )
    letter = render(TimeChanged(show=show, ends_at=moment), HOUSE)
    assert "Saturday 4 July 2026, 20:05 (Africa/Johannesburg)" in letter.text
    assert "Saturday 4 July 2026, 20:05 (Africa/Johannesburg)" in letter.html


def test_a_refund_in_full_and_in_part() -> None:
    part = SAMPLES["order_refunded"]
    assert isinstance(part, OrderRefunded)
    assert "€25.00 of the €113.00" in " ".join(render(part, HOUSE).text.split())
    whole = render(msgspec.structs.replace(part, amount=part.paid), HOUSE)
    assert whole.subject == "Your refund for The Tempest"
    assert "no longer valid" in whole.text
    yen = render(msgspec.structs.replace(part, amount=Money(1200, "JPY"), paid=Money(1200, "JPY")), HOUSE)
    assert "¥1,200" in yen.text


def test_moved_seats_name_both_and_ask_for_an_answer() -> None:
    letter = render(SAMPLES["seats_moved"], HOUSE)
    assert isinstance(SAMPLES["seats_moved"], SeatsMoved)
    assert "- Stalls, row C, seat 12: now Stalls, row B, seat 8" in letter.text
    assert "Saturday 27 February 2027, 19:30 (Europe/Amsterdam)" in letter.text


# --- the look


@pytest.mark.parametrize(
    "colour", ["#000000", "#FFFFFF", "#0F5C4D", "#F2B233", "#777777", "#767676", "#e07a1f", "#0000FF"]
)
def test_ink_is_readable_on_every_colour(colour: str) -> None:
    assert text_colour_on(colour) in (BLACK, WHITE)
    assert contrast(text_colour_on(colour), colour) >= 4.5


def test_the_organisations_name_and_colour_are_everywhere() -> None:
    brand = msgspec.structs.replace(HOUSE, colour="#FFCC00", sender_name="Box office", reply_to="answers@x.example")
    for data in SAMPLES.values():
        letter = render(data, brand)
        assert 'bgcolor="#FFCC00"' in letter.html
        assert f"color:{BLACK}; text-decoration:none" in letter.html
        assert (letter.sender_name, letter.reply_to) == ("Box office", "answers@x.example")


@pytest.mark.parametrize("name", ["password_changed", "team_invitation"])
def test_a_houses_name_within_a_sentence_keeps_its_own_direction(name: str) -> None:
    house = msgspec.structs.replace(HOUSE, name="مسرح <الميناء>")
    html = render(SAMPLES[name], house).html
    (sentence,) = re.findall(r"<p [^>]*>((?:The password for|You are invited).*?)</p>", html)
    assert "<bdi>مسرح &lt;الميناء&gt;</bdi>" in sentence


def test_text_is_wrapped_and_addresses_are_not() -> None:
    long = "https://example.org/" + "a" * 100
    lines = wrap_text(f"  Where:    {'word ' * 30}\n{long}\n{'word ' * 30}").split("\n")
    assert long in lines
    assert all(len(line) <= WIDTH for line in lines if line != long)
    assert lines[1].startswith(" " * 12 + "word")


# --- as SMTP carries it


def sent(**more: Any) -> EmailMessage:
    """Written, flattened as for the line, and parsed again by somebody else."""
    letter = render(SAMPLES["order_confirmed"], HOUSE)
    usual: dict[str, Any] = {
        "id": new_id(), "recipient": "ada@example.org", "subject": letter.subject, "body": letter.text,
        "html": letter.html, "sender_name": letter.sender_name, "reply_to": letter.reply_to, "enclosures": [],
        "attempts": 0, "created_at": datetime(2026, 7, 4, 18, 5, tzinfo=UTC),
    }  # fmt: skip
    raw = build_message(QueuedEmail(**usual | more), "Platform <tickets@house.example>", []).as_bytes()
    assert raw.isascii()
    head, _, body = raw.partition(b"\r\n\r\n")
    assert all(len(line) <= 998 for line in head.split(b"\r\n"))
    assert all(len(line) <= 78 for line in body.split(b"\r\n")), max(body.split(b"\r\n"), key=len)
    assert b"\n" not in raw.replace(b"\r\n", b"")
    return message_from_bytes(raw, policy=policy.default)


def test_both_parts_are_there_and_say_the_same() -> None:
    parsed = sent()
    assert parsed.get_content_type() == "multipart/alternative"
    assert [part.get_content_type() for part in parsed.iter_parts()] == ["text/plain", "text/html"]
    letter = render(SAMPLES["order_confirmed"], HOUSE)
    text, html = (part.get_content() for part in parsed.iter_parts())
    assert text.replace("\r\n", "\n") == letter.text
    assert html.replace("\r\n", "\n").strip() == letter.html.strip()
    assert parsed["Date"].datetime == datetime(2026, 7, 4, 18, 5, tzinfo=UTC)
    assert parsed["Auto-Submitted"] == "auto-generated"
    assert parsed["Reply-To"] == "box@harbour.example"
    assert not parsed.defects


@pytest.mark.parametrize("text", AWKWARD, ids=range(len(AWKWARD)))
def test_any_text_fits_a_line_that_knows_ascii_only(text: str) -> None:
    for said in (to_one_line(text), to_one_line(text) * 20):
        text_part, html_part = (part.get_content() for part in sent(body=said, html=f"<p>{said}</p>").iter_parts())
        assert (text_part.strip(), html_part.strip()) == (said, f"<p>{said}</p>")


@pytest.mark.parametrize(
    "name", [*AWKWARD, 'O"Brien, "Jr", <x@y.example>', "Ünïcode, Ltd; (Köln)", "a" * 120, "=?utf-8?q?x?="]
)
def test_names_come_out_as_they_went_in_and_inject_nothing(name: str) -> None:
    parsed = sent(subject=name, sender_name=name)
    assert set(parsed.keys()) == {
        "From",
        "To",
        "Reply-To",
        "Subject",
        "Date",
        "Message-ID",
        "Auto-Submitted",
        "MIME-Version",
        "Content-Type",
    }
    [author] = parsed["From"].addresses
    assert author.addr_spec == "tickets@house.example"
    if not name.startswith("=?"):
        assert " ".join(author.display_name.split()) == to_one_line(name)
        assert " ".join(parsed["Subject"].split()) == to_one_line(name)


def test_without_a_name_of_its_own_the_platform_signs() -> None:
    [author] = sent(sender_name=None)["From"].addresses
    assert (author.display_name, author.addr_spec) == ("Platform", "tickets@house.example")


@pytest.mark.parametrize(
    ("typed", "spelled"),
    [
        ("ada@example.org", "ada@example.org"),
        ("ada+tickets@example.org", "ada+tickets@example.org"),
        ("ada@bücher.example", "ada@xn--bcher-kva.example"),
        ("ada@straße.example", "ada@xn--strae-oqa.example"),
        ("ada@例え.テスト", "ada@xn--r8jz45g.xn--zckzah"),
        ("o'hara@example.org", "o'hara@example.org"),
    ],
)
def test_domains_in_any_script(typed: str, spelled: str) -> None:
    assert to_address(typed).addr_spec == spelled
    assert sent(recipient=typed)["To"].addresses[0].addr_spec == spelled


@pytest.mark.parametrize(
    "typed",
    [
        "", "ada", "@example.org", "ada@", "ada@example.org\r\nBcc: x@example.org", "a b@example.org", "a@b@c",
        "ada@exa mple.org", "ada@example.org\n", "ada@-ü-.example", "ada@" + "ü" * 80 + ".example",
        "ada@example.org, ben@example.org", "<ada@example.org>", "ada@example..org",
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused(typed: str) -> None:
    with pytest.raises(BadAddress):
        to_address(typed)
