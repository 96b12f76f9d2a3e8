"""A mailroom for tests: posts and delivers in one organisation, in words of its own."""

from collections.abc import AsyncIterator
from typing import Any, ClassVar
from uuid import UUID

import pytest

from fullhouse.kit.db.database import Tx
from fullhouse.kit.mail import mailbox
from fullhouse.kit.mail.email import Email, EmailData
from fullhouse.kit.mail.mailbox import Mail, MailInFull, OutgoingEmail
from fullhouse.kit.mail.mailer import Mailer
from fullhouse.kit.services import Services
from tests.fixtures import Tenant
from tests.kit import smtp as smtp_server
from tests.kit.smtp import Smtp

SENDER = "The House <tickets@house.example>"


class Note(EmailData, frozen=True, kw_only=True):
    template: ClassVar[str] = "note"
    subject: str = "Hello"
    text: str = "A line.\n"


class OtherNote(Note, frozen=True, kw_only=True):
    template: ClassVar[str] = "other"


@pytest.fixture(autouse=True)
def words(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer that says what it is told."""

    async def ask(tx: Tx) -> mailbox.RenderEmail:
        def write(note: Any, language: str | None) -> Email:
            html = f"<p>{note.text}</p>"
            subject = f"{language}: {note.subject}" if language else note.subject
            return Email(subject=subject, text=note.text, html=html, sender_name="Häuser", reply_to="a@b.example")

        return write

    monkeypatch.setattr(mailbox, "_writer", ask)


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
            letters = [OutgoingEmail(email, Note(**said), enclosures) for email in people or ("ada@example.org",)]
            return await mailbox.enqueue_emails(tx, letters, about=about)

    async def deliver(self, postman: Mailer, ids: list[UUID]) -> None:
        await postman.deliver(self.database, self.organization_id, {"mail_ids": [str(it) for it in ids]})

    async def everything(self) -> list[Mail]:
        async with self.database.tenant(self.organization_id) as tx:
            return await mailbox.list_newest(tx, after_at=None, after_id=None, limit=100)

    async def see(self) -> Mail:
        [found] = await self.everything()
        return found

    async def in_full(self, mail_id: UUID) -> MailInFull:
        async with self.database.tenant(self.organization_id) as tx:
            found = await mailbox.find_mail(tx, mail_id)
        assert found
        return found

    async def statuses(self) -> dict[str, str]:
        return {it.recipient: it.status for it in await self.everything()}


@pytest.fixture
def room(services: Services, tenant: Tenant) -> Mailroom:
    return Mailroom(services, tenant)
