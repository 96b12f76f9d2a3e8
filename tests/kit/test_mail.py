"""Mail: written with the change, delivered once, forgotten when sent; and kept, loudly, when it cannot be."""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from typing import Any, ClassVar
from uuid import UUID

import pytest
import structlog.testing

from fullhouse.kit import mail, postman
from fullhouse.kit.db import Tx
from fullhouse.kit.ids import new_id
from fullhouse.kit.job_worker import Worker
from fullhouse.kit.letters import Enclosure, Letter, LetterData
from fullhouse.kit.mail import Mail, MailInFull, To
from fullhouse.kit.postman import Attachment, Postman
from fullhouse.kit.services import Services
from tests.fixtures import Tenant
from tests.kit import smtp as smtp_server
from tests.kit.helpers import until
from tests.kit.smtp import Smtp

SENDER = "The House <tickets@house.example>"
THREADS = 5  # of a pool on a machine with one core: `min(32, cores + 4)`


class Note(LetterData, frozen=True, kw_only=True):
    template: ClassVar[str] = "note"
    subject: str = "Hello"
    text: str = "A line.\n"


class OtherNote(Note, frozen=True, kw_only=True):
    template: ClassVar[str] = "other"


@pytest.fixture(autouse=True)
def words(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer that says what it is told."""

    async def ask(tx: Tx) -> mail.Write:
        def write(note: Any, language: str | None) -> Letter:
            html = f"<p>{note.text}</p>"
            subject = f"{language}: {note.subject}" if language else note.subject
            return Letter(subject=subject, text=note.text, html=html, sender_name="Häuser", reply_to="a@b.example")

        return write

    monkeypatch.setattr(mail, "_writer", ask)


@pytest.fixture
async def smtp() -> AsyncIterator[Smtp]:
    async with smtp_server.serving() as server:
        yield server


class Mailroom:
    """Posts and delivers in one organisation."""

    def __init__(self, services: Services, tenant: Tenant) -> None:
        self.database, self.organization_id = services.database, tenant.id

    async def post(self, *people: str, about: UUID | None = None, **said: Any) -> list[UUID]:
        enclosures = said.pop("enclosures", ())
        async with self.database.tenant(self.organization_id) as tx:
            letters = [To(email, Note(**said), enclosures) for email in people or ("ada@example.org",)]
            return await mail.post_all(tx, letters, about=about)

    async def deliver(self, postman: Postman, ids: list[UUID]) -> None:
        await postman.deliver(self.database, self.organization_id, {"mail_ids": [str(it) for it in ids]})

    async def everything(self) -> list[Mail]:
        async with self.database.tenant(self.organization_id) as tx:
            return await mail.newest(tx, self.organization_id, None, None, 100)

    async def see(self) -> Mail:
        [found] = await self.everything()
        return found

    async def in_full(self, mail_id: UUID) -> MailInFull:
        async with self.database.tenant(self.organization_id) as tx:
            found = await mail.in_full(tx, mail_id)
        assert found
        return found

    async def statuses(self) -> dict[str, str]:
        return {it.recipient: it.status for it in await self.everything()}


@pytest.fixture
def room(services: Services, tenant: Tenant) -> Mailroom:
    return Mailroom(services, tenant)


async def test_a_mail_is_delivered_and_its_text_forgotten(room: Mailroom, smtp: Smtp) -> None:
    ids = await room.post(subject="Grüße", text="Zeile eins.\nhttps://example.org/#secret\n")
    waiting = await room.in_full(ids[0])
    assert (waiting.status, bool(waiting.body), bool(waiting.html)) == ("waiting", True, True)
    await room.deliver(Postman(smtp.url, SENDER), ids)
    [message] = smtp.mails
    text, html = message.get_body(("plain",)), message.get_body(("html",))
    assert text is not None
    assert html is not None
    assert text.get_content().replace("\r\n", "\n") == "Zeile eins.\nhttps://example.org/#secret\n"
    assert html.get_content().startswith("<p>Zeile eins.")
    assert message["To"] == "ada@example.org"
    seen = await room.in_full(ids[0])
    assert (seen.status, seen.body, seen.html, seen.last_error, seen.attempts) == ("sent", None, None, None, 1)
    assert seen.sent_at is not None


async def test_a_mail_that_was_sent_is_not_sent_again(room: Mailroom, smtp: Smtp) -> None:
    ids = await room.post()
    for _ in range(3):
        await room.deliver(Postman(smtp.url, SENDER), ids)
    assert len(smtp.mails) == 1


# --- once for each fact and person


@pytest.mark.req("MSG-4")
async def test_a_fact_is_told_once_to_a_person_however_often_it_comes(room: Mailroom) -> None:
    fact = new_id()
    assert len(await room.post("ada@example.org", "ben@example.org", about=fact)) == 2
    assert await room.post("Ada@example.org", about=fact) == []
    assert len(await room.post("ada@example.org", "cy@example.org", about=fact)) == 1
    assert len(await room.post("ada@example.org", about=new_id())) == 1
    # What tells of no fact is a letter each time; so is another letter about the same.
    assert len([*await room.post(), *await room.post()]) == 2
    async with room.database.tenant(room.organization_id) as tx:
        assert await mail.post(tx, "ada@example.org", OtherNote(), about=fact)
        assert await mail.post(tx, "ada@example.org", OtherNote(), about=fact) is None


@pytest.mark.req("MSG-4")
async def test_two_who_tell_the_same_fact_at_once_write_one_letter(room: Mailroom) -> None:
    fact = new_id()
    people = [f"{n}@example.org" for n in range(20)]
    posted = await asyncio.gather(*(room.post(*people, about=fact) for _ in range(4)))
    assert sum(map(len, posted)) == 20
    assert len(await room.everything()) == 20


async def test_many_letters_are_few_jobs(room: Mailroom, smtp: Smtp, owner: Any) -> None:
    await owner.execute("DELETE FROM jobs.queue WHERE entrypoint = $1", mail.JOB)
    people = [f"{n}@example.org" for n in range(120)]
    ids = await room.post(*people)
    assert await owner.fetchval("SELECT count(*) FROM jobs.queue WHERE entrypoint = $1", mail.JOB) == 3
    await room.deliver(Postman(smtp.url, SENDER), ids)
    assert {message["To"] for message in smtp.mails} == set(people)
    assert smtp.connections == 1


@pytest.mark.req("MSG-4")
async def test_who_waits_for_a_slow_server_is_not_sent_twice(room: Mailroom, smtp: Smtp) -> None:
    """A crowd is told: far more jobs than threads. The time that a letter has must not run while it waits for a thread;
    cut off in the middle, it would be taken by the server and counted as failed by us. So fewer are sent at once than
    there are threads on the smallest machine, and the others wait before their time begins."""
    smtp.takes_s = 0.1
    letters = [await room.post(f"{n}@example.org") for n in range(40)]
    carrier = Postman(smtp.url, SENDER)
    await asyncio.gather(*(room.deliver(carrier, ids) for ids in letters))
    assert 1 < smtp.most_at_once < THREADS
    assert len(smtp.mails) == len({message["Message-ID"] for message in smtp.mails}) == 40
    assert set((await room.statuses()).values()) == {"sent"}


@pytest.mark.req("MSG-4")
async def test_two_who_have_the_same_job_send_each_letter_once(room: Mailroom, smtp: Smtp) -> None:
    """One of them was thought dead. Whoever finds a letter in other hands comes back to see that it went out."""
    ids = await room.post(*(f"{n}@example.org" for n in range(20)))
    smtp.takes_s = 0.02
    ends = await asyncio.gather(
        *(room.deliver(Postman(smtp.url, SENDER), ids) for _ in range(3)), return_exceptions=True
    )
    assert any(isinstance(end, postman.InOtherHands) for end in ends)
    assert len(smtp.mails) == len({message["Message-ID"] for message in smtp.mails}) == 20
    await room.deliver(Postman(smtp.url, SENDER), ids)
    assert len(smtp.mails) == 20


# --- what can go wrong


async def test_without_smtp_it_stays_readable_and_says_so(room: Mailroom) -> None:
    ids = await room.post()
    with structlog.testing.capture_logs() as logs:
        await room.deliver(Postman(None, SENDER), ids)
    seen = await room.see()
    assert (seen.body, seen.sent_at, seen.last_error, seen.status) == ("A line.\n", None, None, "waiting")
    assert [(entry["log_level"], entry["mail_ids"]) for entry in logs] == [("warning", [str(ids[0])])]


async def test_a_refusal_for_now_is_written_down_and_the_mail_kept(room: Mailroom, smtp: Smtp) -> None:
    smtp.refuse["DATA"] = "451 try later"
    ids = await room.post()
    with pytest.raises(Exception, match="try later"):
        await room.deliver(Postman(smtp.url, SENDER), ids)
    seen = await room.see()
    assert (seen.body, seen.sent_at, seen.status, seen.attempts) == ("A line.\n", None, "delayed", 1)
    assert seen.last_error is not None
    assert "try later" in seen.last_error

    smtp.refuse.clear()
    await room.deliver(Postman(smtp.url, SENDER), ids)
    seen = await room.see()
    assert (seen.last_error, seen.status, seen.attempts) == (None, "sent", 2)


@pytest.mark.parametrize("command", ["DATA", "bad@example.org"])
async def test_a_refusal_for_good_is_final_and_holds_up_nobody(room: Mailroom, smtp: Smtp, command: str) -> None:
    smtp.refuse[command] = "550 no such thing"
    ids = await room.post("bad@example.org")
    await room.deliver(Postman(smtp.url, SENDER), ids)  # no error: the job is done
    seen = await room.see()
    assert (seen.status, "no such thing" in (seen.last_error or "")) == ("refused", True)
    smtp.refuse.clear()
    await room.deliver(Postman(smtp.url, SENDER), ids)
    assert smtp.mails == []


async def test_those_who_are_refused_hold_up_nobody(room: Mailroom, smtp: Smtp) -> None:
    smtp.refuse = {"bad@example.org": "550 no such person", "full@example.org": "452 mailbox full"}
    ids = await room.post("bad@example.org", "full@example.org", "no address", "ada@example.org", "ben@example.org")
    with pytest.raises(Exception, match="mailbox full"):
        await room.deliver(Postman(smtp.url, SENDER), ids)
    assert await room.statuses() == {
        "bad@example.org": "refused",
        "full@example.org": "delayed",
        "no address": "refused",
        "ada@example.org": "sent",
        "ben@example.org": "sent",
    }
    assert smtp.connections == 1


@pytest.mark.parametrize(
    ("command", "answer"),
    [("AUTH", "535 wrong password"), ("MAIL", "550 you may not send as this one")],
)
async def test_what_the_operator_must_mend_is_tried_again(
    room: Mailroom, smtp: Smtp, command: str, answer: str
) -> None:
    smtp.extensions = ["AUTH PLAIN"]
    smtp.refuse[command] = answer
    ids = await room.post("ada@example.org", "ben@example.org")
    url = smtp.url.replace("//", "//user:password@")
    with pytest.raises(Exception, match=answer[4:]):
        await room.deliver(Postman(url, SENDER), ids)
    assert sorted((await room.statuses()).values()) == ["delayed", "waiting"]  # the second was not even tried
    smtp.refuse.clear()
    await room.deliver(Postman(url, SENDER), ids)
    assert set((await room.statuses()).values()) == {"sent"}


async def test_a_server_that_is_not_there_is_written_down(room: Mailroom, smtp: Smtp) -> None:
    ids = await room.post()
    with pytest.raises(OSError):
        await room.deliver(Postman("smtp://127.0.0.1:1", SENDER), ids)
    assert (await room.see()).status == "delayed"


@pytest.mark.parametrize("command", ["EHLO", "RCPT", "DATA"])
async def test_a_server_that_hangs_or_breaks_off_is_written_down(
    room: Mailroom, smtp: Smtp, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = await room.post()
    smtp.hang = {command}
    with monkeypatch.context() as patience, pytest.raises(TimeoutError):
        patience.setattr(postman, "_SEND_WITHIN_S", 0.3)
        await room.deliver(Postman(smtp.url, SENDER), ids)
    assert (await room.see()).status == "delayed"
    smtp.hang, smtp.drop = set(), {command}
    with pytest.raises(OSError):
        await room.deliver(Postman(smtp.url, SENDER), ids)
    assert (await room.see()).attempts == 2
    smtp.drop = set()
    await room.deliver(Postman(smtp.url, SENDER), ids)
    assert len(smtp.mails) == 1


async def test_one_that_breaks_the_line_holds_up_nobody_for_ever(room: Mailroom, smtp: Smtp) -> None:
    """Those that failed come last: the others are out in the next run, though the same one breaks it again."""
    ids = sorted(await room.post("poison@example.org", "ada@example.org", "ben@example.org"))
    poison = (await room.in_full(ids[0])).recipient

    class Breaks(Postman):
        async def _message(self, database: Any, organization_id: UUID, found: Any) -> Any:
            if found.recipient == poison:
                raise ConnectionResetError("this one breaks it")
            return await super()._message(database, organization_id, found)

    for _ in range(2):
        with pytest.raises(ConnectionResetError):
            await room.deliver(Breaks(smtp.url, SENDER), ids)
    assert sorted((await room.statuses()).values()) == ["delayed", "sent", "sent"]


async def test_at_least_once_with_the_same_message_id(room: Mailroom, smtp: Smtp) -> None:
    """The line breaks after the server has the mail and before we know: it goes out again, recognisably."""
    ids = await room.post()
    smtp.drop = {"taken"}
    with pytest.raises(OSError):
        await room.deliver(Postman(smtp.url, SENDER), ids)
    smtp.drop = set()
    await room.deliver(Postman(smtp.url, SENDER), ids)
    first, second = smtp.mails
    assert first["Message-ID"] == second["Message-ID"] == f"<{ids[0]}@house.example>"
    assert first["Date"] == second["Date"]
    assert (await room.see()).status == "sent"


async def test_no_text_and_no_password_crosses_a_line_that_should_be_encrypted(room: Mailroom, smtp: Smtp) -> None:
    smtp.extensions, smtp.refuse = ["STARTTLS", "AUTH PLAIN"], {"STARTTLS": "454 not now"}
    ids = await room.post()
    with pytest.raises(Exception, match="not now"):
        await room.deliver(Postman(smtp.url.replace("//", "//user:password@"), SENDER), ids)
    assert "STARTTLS" in smtp.commands
    assert not {"AUTH", "MAIL", "DATA"} & set(smtp.commands)


# --- what goes with it


async def test_what_is_enclosed_is_made_when_the_letter_leaves(room: Mailroom, smtp: Smtp) -> None:
    wanted = new_id()
    asked = []

    async def tickets(tx: Tx, order_id: UUID, recipient: str) -> Attachment:
        asked.append((tx.organization_id, order_id, recipient))
        return Attachment("Tickets, für Ada.pdf", "application/pdf", b"%PDF-1.7 \x00\xff")

    async def calendar(tx: Tx, order_id: UUID, recipient: str) -> Attachment:
        return Attachment("show.ics", "text/calendar", b"BEGIN:VCALENDAR\r\n")

    enclosures = [Enclosure("tickets.pdf", wanted), Enclosure("show.ics", wanted)]
    ids = await room.post(enclosures=enclosures)
    assert asked == []
    assert (await room.in_full(ids[0])).enclosures == enclosures
    with pytest.raises(KeyError):  # nobody makes these here yet: kept, and tried again
        await room.deliver(Postman(smtp.url, SENDER), ids)
    assert (await room.see()).status == "delayed"

    makers = {"tickets.pdf": tickets, "show.ics": calendar}
    await room.deliver(Postman(smtp.url, SENDER, makers), ids)
    assert asked == [(room.organization_id, wanted, "ada@example.org")]
    [message] = smtp.mails
    assert message.get_content_type() == "multipart/mixed"
    pdf, ics = message.iter_attachments()
    assert (pdf.get_content_type(), pdf.get_filename()) == ("application/pdf", "Tickets, für Ada.pdf")
    assert pdf.get_content() == b"%PDF-1.7 \x00\xff"
    assert (ics.get_content_type(), ics.get_filename()) == ("text/calendar", "show.ics")


# --- with the change, and in its organisation


async def test_a_change_that_fails_writes_no_mail(services: Services, tenant: Tenant, owner: Any) -> None:
    jobs_before = await owner.fetchval("SELECT count(*) FROM jobs.queue WHERE entrypoint = $1", mail.JOB)
    with pytest.raises(ZeroDivisionError):
        async with services.database.tenant(tenant.id) as tx:
            await mail.post(tx, "ada@example.org", Note())
            raise ZeroDivisionError
    assert await owner.fetchval("SELECT count(*) FROM mails WHERE organization_id = $1", tenant.id) == 0
    assert await owner.fetchval("SELECT count(*) FROM jobs.queue WHERE entrypoint = $1", mail.JOB) == jobs_before


@pytest.mark.req("TEN-1")
async def test_a_job_cannot_reach_another_organisations_mail(
    room: Mailroom, smtp: Smtp, services: Services, other_tenant: Tenant
) -> None:
    ids = await room.post()
    payload = {"mail_ids": [str(ids[0])]}
    await Postman(smtp.url, SENDER).deliver(services.database, other_tenant.id, payload)
    assert smtp.mails == []


async def test_a_worker_tries_again_until_the_server_takes_it(
    room: Mailroom, smtp: Smtp, services: Services, server_url: str, owner: Any
) -> None:
    await owner.execute("DELETE FROM jobs.queue WHERE entrypoint = $1", mail.JOB)  # what other tests left unsent
    smtp.refuse["MAIL"] = "451 try later"
    posted = await room.post()
    handlers = {mail.JOB: Postman(smtp.url, SENDER).deliver}
    worker = Worker(server_url, services.database, handlers, first_pause=timedelta(milliseconds=10))
    running = asyncio.create_task(worker.run())
    try:
        await until(lambda: _all(room, lambda found: found.last_error is not None))
        smtp.refuse.clear()
        posted += await room.post()  # and the worker looks again
        await until(lambda: _all(room, lambda found: found.sent_at is not None))
    finally:
        running.cancel()
        await asyncio.wait((running,))
    assert {message["Message-ID"] for message in smtp.mails} == {f"<{mail_id}@house.example>" for mail_id in posted}
    assert len(smtp.mails) == 2


async def _all(room: Mailroom, holds: Callable[[Mail], bool]) -> bool:
    return all(map(holds, await room.everything()))
