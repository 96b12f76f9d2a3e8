"""Mail goes out by SMTP when `SMTP_URL` is set. Without it, mail stays in the local mailbox, for the organiser to read:
loud, not silent. `post` writes it in the change's transaction; a job delivers it.
"""

import asyncio
import smtplib
import ssl
from datetime import datetime
from email.message import EmailMessage
from email.utils import parseaddr
from typing import Any
from urllib.parse import unquote, urlsplit
from uuid import UUID

import msgspec
import structlog

from fullhouse.kit import jobs
from fullhouse.kit.db import Database, Tx
from fullhouse.kit.ids import new_id

JOB = "mail.deliver"
_HERE = ("localhost", "127.0.0.1", "::1")
log = structlog.get_logger()


class Mail(msgspec.Struct, frozen=True):
    id: UUID
    recipient: str
    subject: str
    body: str | None
    created_at: datetime
    sent_at: datetime | None
    last_error: str | None


async def post(tx: Tx, recipient: str, subject: str, body: str) -> UUID:
    mail_id = new_id()
    subject = " ".join(subject.split())  # a header is one line, whatever is in the names that it mentions
    await tx.execute(
        "INSERT INTO mails (id, organization_id, recipient, subject, body) VALUES ($1, $2, $3, $4, $5)",
        mail_id, tx.organization_id, recipient, subject, body,
    )  # fmt: skip
    await jobs.enqueue(tx, JOB, {"mail_id": mail_id}, once=f"mail:{mail_id}")
    return mail_id


async def newest(tx: Tx, organization_id: UUID, since: datetime | None, last: UUID | None, limit: int) -> list[Mail]:
    """The local mailbox, newest first."""
    rows = await tx.fetch(
        "SELECT id, recipient, subject, body, created_at, sent_at, last_error FROM mails"
        " WHERE organization_id = $1 AND ($2::timestamptz IS NULL OR (created_at, id) < ($2, $3::uuid))"
        " ORDER BY created_at DESC, id DESC LIMIT $4",
        organization_id, since, last, limit,
    )  # fmt: skip
    return [Mail(**row) for row in rows]


class Postman:
    """Delivers what was posted."""

    def __init__(self, smtp_url: str | None, sender: str) -> None:
        self._url = urlsplit(smtp_url) if smtp_url else None
        self._sender = sender

    async def deliver(self, database: Database, organization_id: UUID, payload: Any) -> None:
        mail_id = UUID(payload["mail_id"])
        async with database.tenant(organization_id) as tx:
            mail = await tx.fetchrow("SELECT recipient, subject, body, sent_at FROM mails WHERE id = $1", mail_id)
        if mail is None or mail["sent_at"] is not None:
            return
        if self._url is None:
            log.warning(
                "no SMTP_URL: mail kept in the local mailbox",
                recipient=mail["recipient"],
                mail_id=str(mail_id),
            )
            return
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = self._sender, mail["recipient"], mail["subject"]
        # The same id on every attempt, from whichever machine: a server that saw the first can recognise the second.
        message["Message-ID"] = f"<{mail_id}@{parseaddr(self._sender)[1].rpartition('@')[2]}>"
        message.set_content(mail["body"])
        try:
            async with asyncio.timeout(30):
                await asyncio.to_thread(self._send, message)
        except (OSError, smtplib.SMTPException, TimeoutError) as error:
            async with database.tenant(organization_id) as tx:
                await tx.execute("UPDATE mails SET last_error = $2 WHERE id = $1", mail_id, repr(error)[:500])
            raise
        async with database.tenant(organization_id) as tx:
            await tx.execute(
                "UPDATE mails SET sent_at = app.clock(), body = NULL, last_error = NULL WHERE id = $1",
                mail_id,
            )

    def greet(self) -> str:
        """Says hello as it would to deliver, and returns how. For whoever asks whether mail would go out."""
        with self._connect() as server:
            return "encrypted" if isinstance(server.sock, ssl.SSLSocket) else "not encrypted"

    def _send(self, message: EmailMessage) -> None:
        with self._connect() as server:
            server.send_message(message)

    def _connect(self) -> smtplib.SMTP:
        assert self._url is not None
        host, port = self._url.hostname or "localhost", self._url.port
        context = ssl.create_default_context()
        if self._url.scheme == "smtps":
            server: smtplib.SMTP = smtplib.SMTP_SSL(host, port or 465, timeout=20, context=context)
        else:
            server = smtplib.SMTP(host, port or 587, timeout=20)
        server.ehlo()
        if self._url.scheme == "smtp" and server.has_extn("starttls"):
            server.starttls(context=context)
            server.ehlo()
        elif self._url.scheme == "smtp" and self._url.username and host not in _HERE:
            server.close()
            raise smtplib.SMTPException("the server offers no encryption; the password stays here (use smtps://)")
        if self._url.username:
            server.login(unquote(self._url.username), unquote(self._url.password or ""))
        return server
