"""Mail: written with the change, delivered once, forgotten when sent; and kept, loudly, when it cannot be."""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from email.message import Message
from typing import Any
from uuid import UUID

import pytest
import structlog.testing

from fullhouse.kit import mail
from fullhouse.kit.job_worker import Worker
from fullhouse.kit.mail import Mail, Postman
from fullhouse.kit.services import Services
from tests.fixtures import Tenant
from tests.kit import smtp as smtp_server
from tests.kit.helpers import until
from tests.kit.smtp import Smtp

SENDER = "The House <tickets@house.example>"


@pytest.fixture
async def smtp() -> AsyncIterator[Smtp]:
    async with smtp_server.serving() as server:
        yield server


class Mailroom:
    """Posts and delivers in one organisation."""

    def __init__(self, services: Services, tenant: Tenant) -> None:
        self.database, self.organization_id = services.database, tenant.id

    async def post(self, subject: str = "Hello", body: str = "A line.\n") -> UUID:
        async with self.database.tenant(self.organization_id) as tx:
            return await mail.post(tx, "ada@example.org", subject, body)

    async def deliver(self, postman: Postman, mail_id: UUID) -> None:
        await postman.deliver(self.database, self.organization_id, {"mail_id": str(mail_id)})

    async def everything(self) -> list[Mail]:
        async with self.database.tenant(self.organization_id) as tx:
            return await mail.newest(tx, self.organization_id, None, None, 10)

    async def see(self) -> Mail:
        [found] = await self.everything()
        return found


@pytest.fixture
def room(services: Services, tenant: Tenant) -> Mailroom:
    return Mailroom(services, tenant)


def text_of(message: Message) -> str:
    content = message.get_payload(decode=True)
    assert isinstance(content, bytes)
    return content.decode().replace("\r\n", "\n")


async def test_a_mail_is_delivered_and_its_text_forgotten(room: Mailroom, smtp: Smtp) -> None:
    mail_id = await room.post("Grüße", "Zeile eins.\nhttps://example.org/#secret\n")
    assert (await room.see()).body
    await room.deliver(Postman(smtp.url, SENDER), mail_id)
    [message] = smtp.mails
    assert (message["To"], message["From"]) == ("ada@example.org", SENDER)
    assert text_of(message) == "Zeile eins.\nhttps://example.org/#secret\n"
    seen = await room.see()
    assert (seen.body, seen.last_error) == (None, None)
    assert seen.sent_at is not None


async def test_a_mail_that_was_sent_is_not_sent_again(room: Mailroom, smtp: Smtp) -> None:
    mail_id = await room.post()
    for _ in range(3):
        await room.deliver(Postman(smtp.url, SENDER), mail_id)
    assert len(smtp.mails) == 1


async def test_without_smtp_it_stays_readable_and_says_so(room: Mailroom) -> None:
    mail_id = await room.post()
    with structlog.testing.capture_logs() as logs:
        await room.deliver(Postman(None, SENDER), mail_id)
    seen = await room.see()
    assert (seen.body, seen.sent_at, seen.last_error) == ("A line.\n", None, None)
    assert [(entry["log_level"], entry["mail_id"]) for entry in logs] == [("warning", str(mail_id))]


async def test_a_refusal_is_written_down_and_the_mail_kept(room: Mailroom, smtp: Smtp) -> None:
    smtp.refuse["DATA"] = "451 try later"
    mail_id = await room.post()
    with pytest.raises(Exception, match="try later"):
        await room.deliver(Postman(smtp.url, SENDER), mail_id)
    seen = await room.see()
    assert (seen.body, seen.sent_at) == ("A line.\n", None)
    assert seen.last_error is not None
    assert "try later" in seen.last_error

    smtp.refuse.clear()
    await room.deliver(Postman(smtp.url, SENDER), mail_id)
    seen = await room.see()
    assert seen.last_error is None
    assert seen.sent_at is not None


async def test_a_server_that_is_not_there_is_written_down(room: Mailroom, smtp: Smtp) -> None:
    mail_id = await room.post()
    with pytest.raises(OSError):
        await room.deliver(Postman("smtp://127.0.0.1:1", SENDER), mail_id)
    assert (await room.see()).last_error is not None


async def test_every_attempt_carries_the_same_message_id(room: Mailroom, smtp: Smtp, owner: Any) -> None:
    mail_id = await room.post()
    for _ in range(2):
        await room.deliver(Postman(smtp.url, SENDER), mail_id)
        # As if the process had died between the server's "taken" and our note of it.
        await owner.execute("UPDATE mails SET sent_at = NULL, body = 'x' WHERE id = $1", mail_id)
    first, second = (message["Message-ID"] for message in smtp.mails)
    assert first == second == f"<{mail_id}@house.example>"


async def test_no_text_and_no_password_crosses_a_line_that_should_be_encrypted(room: Mailroom, smtp: Smtp) -> None:
    smtp.extensions, smtp.refuse = ["STARTTLS", "AUTH PLAIN"], {"STARTTLS": "454 not now"}
    mail_id = await room.post()
    with pytest.raises(Exception, match="not now"):
        await room.deliver(Postman(smtp.url.replace("//", "//user:password@"), SENDER), mail_id)
    assert "STARTTLS" in smtp.commands
    assert not {"AUTH", "MAIL", "DATA"} & set(smtp.commands)


async def test_a_subject_is_one_line(room: Mailroom, smtp: Smtp) -> None:
    mail_id = await room.post("Join\r\nBcc: everybody@example.org")
    await room.deliver(Postman(smtp.url, SENDER), mail_id)
    [message] = smtp.mails
    assert message["Bcc"] is None
    assert message["Subject"] == "Join Bcc: everybody@example.org"


async def test_a_change_that_fails_writes_no_mail(services: Services, tenant: Tenant, owner: Any) -> None:
    jobs_before = await owner.fetchval("SELECT count(*) FROM jobs.queue WHERE entrypoint = $1", mail.JOB)
    with pytest.raises(ZeroDivisionError):
        async with services.database.tenant(tenant.id) as tx:
            await mail.post(tx, "ada@example.org", "Hello", "A line.")
            raise ZeroDivisionError
    assert await owner.fetchval("SELECT count(*) FROM mails WHERE organization_id = $1", tenant.id) == 0
    assert await owner.fetchval("SELECT count(*) FROM jobs.queue WHERE entrypoint = $1", mail.JOB) == jobs_before


@pytest.mark.req("TEN-1")
async def test_a_job_cannot_reach_another_organisations_mail(
    room: Mailroom, smtp: Smtp, services: Services, other_tenant: Tenant
) -> None:
    mail_id = await room.post()
    await Postman(smtp.url, SENDER).deliver(services.database, other_tenant.id, {"mail_id": str(mail_id)})
    assert smtp.mails == []


async def test_a_worker_tries_again_until_the_server_takes_it(
    room: Mailroom, smtp: Smtp, services: Services, server_url: str, owner: Any
) -> None:
    await owner.execute("DELETE FROM jobs.queue WHERE entrypoint = $1", mail.JOB)  # what other tests left unsent
    smtp.refuse["MAIL"] = "451 try later"
    posted = [await room.post()]
    handlers = {mail.JOB: Postman(smtp.url, SENDER).deliver}
    worker = Worker(server_url, services.database, handlers, first_pause=timedelta(milliseconds=10))
    running = asyncio.create_task(worker.run())
    try:
        await until(lambda: _all(room, lambda found: found.last_error is not None))
        smtp.refuse.clear()
        posted.append(await room.post())  # and the worker looks again
        await until(lambda: _all(room, lambda found: found.sent_at is not None))
    finally:
        running.cancel()
        await asyncio.wait((running,))
    assert {message["Message-ID"] for message in smtp.mails} == {f"<{mail_id}@house.example>" for mail_id in posted}
    assert len(smtp.mails) == 2


async def _all(room: Mailroom, holds: Callable[[Mail], bool]) -> bool:
    return all(map(holds, await room.everything()))
