"""What can go wrong with mail: no server, one that refuses, hangs or breaks off. The mail is kept, and says why."""

from typing import Any
from uuid import UUID

import pytest
import structlog.testing

from fullhouse.kit.mail import mailer
from fullhouse.kit.mail.mailer import Mailer
from tests.kit.mailroom import SENDER, Mailroom, room, smtp, words
from tests.kit.smtp import Smtp

__all__ = ["room", "smtp", "words"]  # fixtures


async def test_without_smtp_it_stays_readable_and_says_so(room: Mailroom) -> None:
    ids = await room.post()
    with structlog.testing.capture_logs() as logs:
        await room.deliver(Mailer(None, SENDER), ids)
    seen = await room.see()
    assert (seen.body, seen.sent_at, seen.last_error, seen.status) == ("A line.\n", None, None, "waiting")
    assert [(entry["log_level"], entry["mail_ids"]) for entry in logs] == [("warning", [str(ids[0])])]


async def test_a_refusal_for_now_is_written_down_and_the_mail_kept(room: Mailroom, smtp: Smtp) -> None:
    smtp.refuse["DATA"] = "451 try later"
    ids = await room.post()
    with pytest.raises(Exception, match="try later"):
        await room.deliver(Mailer(smtp.url, SENDER), ids)
    seen = await room.see()
    assert (seen.body, seen.sent_at, seen.status, seen.attempts) == ("A line.\n", None, "delayed", 1)
    assert seen.last_error is not None
    assert "try later" in seen.last_error

    smtp.refuse.clear()
    await room.deliver(Mailer(smtp.url, SENDER), ids)
    seen = await room.see()
    assert (seen.last_error, seen.status, seen.attempts) == (None, "sent", 2)


@pytest.mark.parametrize("command", ["DATA", "bad@example.org"])
async def test_a_refusal_for_good_is_final_and_holds_up_nobody(room: Mailroom, smtp: Smtp, command: str) -> None:
    smtp.refuse[command] = "550 no such thing"
    ids = await room.post("bad@example.org")
    await room.deliver(Mailer(smtp.url, SENDER), ids)  # no error: the job is done
    seen = await room.see()
    assert (seen.status, "no such thing" in (seen.last_error or "")) == ("refused", True)
    smtp.refuse.clear()
    await room.deliver(Mailer(smtp.url, SENDER), ids)
    assert smtp.mails == []


async def test_those_who_are_refused_hold_up_nobody(room: Mailroom, smtp: Smtp) -> None:
    smtp.refuse = {"bad@example.org": "550 no such person", "full@example.org": "452 mailbox full"}
    ids = await room.post("bad@example.org", "full@example.org", "no address", "ada@example.org", "ben@example.org")
    with pytest.raises(Exception, match="mailbox full"):
        await room.deliver(Mailer(smtp.url, SENDER), ids)
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
        await room.deliver(Mailer(url, SENDER), ids)
    assert sorted((await room.statuses()).values()) == ["delayed", "waiting"]  # the second was not even tried
    smtp.refuse.clear()
    await room.deliver(Mailer(url, SENDER), ids)
    assert set((await room.statuses()).values()) == {"sent"}


async def test_a_server_that_is_not_there_is_written_down(room: Mailroom, smtp: Smtp) -> None:
    ids = await room.post()
    with pytest.raises(OSError):
        await room.deliver(Mailer("smtp://127.0.0.1:1", SENDER), ids)
    assert (await room.see()).status == "delayed"


@pytest.mark.parametrize("command", ["EHLO", "RCPT", "DATA"])
async def test_a_server_that_hangs_or_breaks_off_is_written_down(
    room: Mailroom, smtp: Smtp, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = await room.post()
    smtp.hang = {command}
    with monkeypatch.context() as patience, pytest.raises(TimeoutError):
        patience.setattr(mailer, "_SEND_WITHIN_S", 0.3)
        await room.deliver(Mailer(smtp.url, SENDER), ids)
    assert (await room.see()).status == "delayed"
    smtp.hang, smtp.drop = set(), {command}
    with pytest.raises(OSError):
        await room.deliver(Mailer(smtp.url, SENDER), ids)
    assert (await room.see()).attempts == 2
    smtp.drop = set()
    await room.deliver(Mailer(smtp.url, SENDER), ids)
    assert len(smtp.mails) == 1


async def test_one_that_breaks_the_line_holds_up_nobody_for_ever(room: Mailroom, smtp: Smtp) -> None:
    """Those that failed come last: the others are out in the next run, though the same one breaks it again."""
    ids = sorted(await room.post("poison@example.org", "ada@example.org", "ben@example.org"))
    poison = (await room.in_full(ids[0])).recipient

    class Breaks(Mailer):
        async def _build_message(self, database: Any, organization_id: UUID, found: Any) -> Any:
            if found.recipient == poison:
                raise ConnectionResetError("this one breaks it")
            return await super()._build_message(database, organization_id, found)

    for _ in range(2):
        with pytest.raises(ConnectionResetError):
            await room.deliver(Breaks(smtp.url, SENDER), ids)
    assert sorted((await room.statuses()).values()) == ["delayed", "sent", "sent"]


async def test_at_least_once_with_the_same_message_id(room: Mailroom, smtp: Smtp) -> None:
    """The line breaks after the server has the mail and before we know: it goes out again, recognisably."""
    ids = await room.post()
    smtp.drop = {"taken"}
    with pytest.raises(OSError):
        await room.deliver(Mailer(smtp.url, SENDER), ids)
    smtp.drop = set()
    await room.deliver(Mailer(smtp.url, SENDER), ids)
    first, second = smtp.mails
    assert first["Message-ID"] == second["Message-ID"] == f"<{ids[0]}@house.example>"
    assert first["Date"] == second["Date"]
    assert (await room.see()).status == "sent"


async def test_no_text_and_no_password_crosses_a_line_that_should_be_encrypted(room: Mailroom, smtp: Smtp) -> None:
    smtp.extensions, smtp.refuse = ["STARTTLS", "AUTH PLAIN"], {"STARTTLS": "454 not now"}
    ids = await room.post()
    with pytest.raises(Exception, match="not now"):
        await room.deliver(Mailer(smtp.url.replace("//", "//user:password@"), SENDER), ids)
    assert "STARTTLS" in smtp.commands
    assert not {"AUTH", "MAIL", "DATA"} & set(smtp.commands)
