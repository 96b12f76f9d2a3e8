"""Delivers queued emails (kit/mail/mailbox.py) by SMTP if `SMTP_URL` is set.

Invariants:
- An email is delivered at least once. If the process dies between the server's acceptance and the write of `sent_at`,
  it is sent again with the same Message-ID, by which the server or the reader's program can recognise it.
- If several workers run the same job (one was believed dead, say), each email is sent by the one that claimed it.
- An email that the server rejects for good is not retried, and does not block the others of its job.
- If the server is unavailable, hangs or answers with a temporary error, the job queue retries.
"""

import asyncio
import re
import smtplib
import socket
import ssl
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import datetime
from email import policy
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime, parseaddr
from typing import Any
from urllib.parse import unquote, urlsplit
from uuid import UUID

import idna
import msgspec
import structlog
from prometheus_client import Counter

from fullhouse.kit.db.database import Database, Tx
from fullhouse.kit.mail.email import AttachmentRef, to_one_line
from fullhouse.kit.tasks import timeout
from fullhouse.kit.telemetry.telemetry import warn_once

_LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
_SEND_WITHIN_S = 30.0
_CONNECTIONS_MAX = 4  # of one worker: fewer than threads, so that no deadline runs while a call waits for one
_ADDRESS = re.compile(r"[^@\s<>,;:\"()\[\]\\]+@[^@\s<>,;:\"()\[\]\\.]+(?:\.[^@\s<>,;:\"()\[\]\\.]+)*")
log = structlog.get_logger()
TRIES = Counter("fullhouse_email_attempts_total", "Tries to deliver an email, by outcome", ["outcome"])


class Attachment(msgspec.Struct, frozen=True):
    """A file that is attached to an email; `media_type` as in `application/pdf`."""

    name: str
    media_type: str
    content: bytes


AttachmentMaker = Callable[[Tx, UUID, str], Awaitable[Attachment]]  # of which id, and the recipient


class QueuedEmail(msgspec.Struct, frozen=True, kw_only=True):
    """An email that is to be delivered."""

    id: UUID
    recipient: str
    subject: str
    body: str
    html: str | None
    sender_name: str | None
    reply_to: str | None
    enclosures: list[AttachmentRef]
    attempts: int
    created_at: datetime


class BadAddress(ValueError):
    """Not an email address that a server can be found for."""


class ClaimedByAnotherWorker(Exception):
    """Another worker is sending an email of this job, or died while doing so: the job is retried."""


# Those that failed before come last, so that a failing one never blocks the others.
_WAITING = """
SELECT id, recipient, subject, body, html, sender_name, reply_to, enclosures, attempts, created_at FROM mails
WHERE organization_id = $1 AND id = ANY ($2::uuid[]) AND sent_at IS NULL AND refused_at IS NULL AND body IS NOT NULL
ORDER BY attempts, id
"""
_CLAIM = """
UPDATE mails SET attempts = attempts + 1
WHERE organization_id = $1 AND id = $2 AND attempts = $3 AND sent_at IS NULL AND refused_at IS NULL
"""
_SENT = """
UPDATE mails SET sent_at = app.clock(), body = NULL, html = NULL, last_error = NULL
WHERE organization_id = $1 AND id = $2
"""
_FAILED = """
UPDATE mails SET last_error = $3, refused_at = CASE WHEN $4 THEN app.clock() END
WHERE organization_id = $1 AND id = $2 AND sent_at IS NULL
"""


class Mailer:
    def __init__(self, smtp_url: str | None, sender: str, makers: Mapping[str, AttachmentMaker] | None = None) -> None:
        self._url = urlsplit(smtp_url) if smtp_url else None
        self._sender = sender
        self._makers = makers or {}
        self._connections = asyncio.Semaphore(_CONNECTIONS_MAX)

    async def deliver(self, database: Database, organization_id: UUID, payload: Any) -> None:
        """The job: sends each email that is still unsent, over one connection. Raises if some must be retried."""
        async with self._connections:
            await self._deliver(database, organization_id, [UUID(it) for it in payload["mail_ids"]])

    async def _deliver(self, database: Database, organization_id: UUID, ids: list[UUID]) -> None:
        async with database.tenant(organization_id) as tx:
            rows = await tx.fetch(_WAITING, organization_id, ids)
        if rows and self._url is None:
            detail = "SMTP_URL is not set: emails stay in the local mailbox"
            warn_once(log, "mail.not_sent", detail=detail, mail_ids=[str(row["id"]) for row in rows])
            return
        connection = _SmtpConnection(self._connect)
        again: Exception | None = None
        try:
            for mail in (msgspec.convert(dict(row), QueuedEmail) for row in rows):
                if not await _update_mail(database, _CLAIM, organization_id, mail.id, mail.attempts):
                    again = ClaimedByAnotherWorker()
                    continue
                try:
                    await connection.send(await self._build_message(database, organization_id, mail))
                except Exception as error:
                    for_good = is_for_good(error)
                    await _update_mail(database, _FAILED, organization_id, mail.id, _describe_error(error), for_good)
                    TRIES.labels("rejected" if for_good else "retry_scheduled").inc()
                    log.warning(
                        "mail.rejected" if for_good else "mail.delivery_failed",
                        mail_id=str(mail.id), error=_describe_error(error), for_good=for_good,
                    )  # fmt: skip
                    again = again if for_good else error
                    if is_connection_error(error):
                        raise
                else:
                    await _update_mail(database, _SENT, organization_id, mail.id)
                    TRIES.labels("sent").inc()
        finally:
            await connection.close()
        if again is not None:
            raise again

    async def _build_message(self, database: Database, organization_id: UUID, mail: QueuedEmail) -> EmailMessage:
        files = []
        if mail.enclosures:
            async with database.tenant(organization_id) as tx:
                files = [await self._makers[it.kind](tx, it.id, mail.recipient) for it in mail.enclosures]
        return build_message(mail, self._sender, files)

    def check_connection(self) -> str:
        """Connects and logs in as for a delivery, and returns how. Used to check whether email can be sent."""
        with self._connect() as server:
            return "encrypted" if isinstance(server.sock, ssl.SSLSocket) else "not encrypted"

    def _connect(self) -> smtplib.SMTP:
        assert self._url is not None
        host, port = self._url.hostname or "localhost", self._url.port
        context = ssl.create_default_context()
        if self._url.scheme == "smtps":
            server: smtplib.SMTP = smtplib.SMTP_SSL(host, port or 465, timeout=20, context=context)
        else:
            server = smtplib.SMTP(host, port or 587, timeout=20)
        try:
            self._log_in(server, host, context)
        except BaseException:
            server.close()
            raise
        return server

    def _log_in(self, server: smtplib.SMTP, host: str, context: ssl.SSLContext) -> None:
        assert self._url is not None
        server.ehlo()
        if self._url.scheme == "smtp" and server.has_extn("starttls"):
            server.starttls(context=context)
            server.ehlo()
        elif self._url.scheme == "smtp" and self._url.username and host not in _LOCAL_HOSTS:
            raise smtplib.SMTPException("the server offers no encryption; the password was not sent (use smtps://)")
        if self._url.username:
            server.login(unquote(self._url.username), unquote(self._url.password or ""))


class _SmtpConnection:
    """One SMTP connection, opened for the first email and used for all of a job. Its blocking calls run in threads."""

    def __init__(self, connect: Callable[[], smtplib.SMTP]) -> None:
        self._connect = connect
        self._server: smtplib.SMTP | None = None
        self._busy = False

    async def send(self, email: EmailMessage) -> None:
        async with timeout(_SEND_WITHIN_S):
            if self._server is None:
                self._server = await asyncio.to_thread(self._connect)
            await self._call(self._server.send_message, email)

    async def close(self) -> None:
        """With QUIT if the server responds. What it has accepted stays accepted either way."""
        if self._server is None:
            return
        if not self._busy:
            with suppress(OSError, smtplib.SMTPException, TimeoutError):
                async with timeout(2):
                    await self._call(self._server.quit)
        # Wakes a thread that still waits for a response; it closes the connection, on which a close here would block.
        if self._server.sock:
            with suppress(OSError):
                self._server.sock.shutdown(socket.SHUT_RDWR)

    async def _call(self, call: Callable[..., Any], *values: Any) -> None:
        self._busy = True
        await asyncio.to_thread(call, *values)
        self._busy = False


async def _update_mail(database: Database, statement: str, *values: Any) -> bool:
    """Whether a row was updated."""
    async with database.tenant(values[0]) as tx:
        status: str = await tx.execute(statement, *values)
    return status != "UPDATE 0"


# --- what a failure means


def is_for_good(error: Exception) -> bool:
    """Whether a retry is useless because the recipient or the content is rejected. If the sender is (a wrong password,
    a sender that may not send), the operator corrects that, and the email waits.
    """
    match error:
        case smtplib.SMTPRecipientsRefused():
            return all(code >= 500 for code, _ in error.recipients.values())
        case smtplib.SMTPDataError():
            return error.smtp_code >= 500
    return isinstance(error, (BadAddress, smtplib.SMTPNotSupportedError))


def is_connection_error(error: Exception) -> bool:
    """Whether the next email would fail in the same way."""
    if isinstance(error, (smtplib.SMTPRecipientsRefused, smtplib.SMTPDataError, smtplib.SMTPNotSupportedError)):
        return False
    return isinstance(error, OSError | TimeoutError)  # every other SMTP error is an OSError


def _describe_error(error: Exception) -> str:
    return (repr(error) if str(error) else type(error).__name__)[:500]


# --- an email as SMTP transports it


def build_message(mail: QueuedEmail, sender: str, files: list[Attachment]) -> EmailMessage:
    """Text, the same in HTML, and the files. Encoded as ASCII in lines of at most 76 characters."""
    email = EmailMessage(policy=policy.SMTP)
    name, sender_address = parseaddr(sender)
    email["From"] = to_address(sender_address, mail.sender_name or name)
    email["To"] = to_address(mail.recipient)
    if mail.reply_to:
        email["Reply-To"] = to_address(mail.reply_to)
    email["Subject"] = to_one_line(mail.subject)
    email["Date"] = format_datetime(mail.created_at)
    # The same id on every attempt, from whichever machine: a server that saw the first can recognise the second.
    email["Message-ID"] = f"<{mail.id}@{to_address(sender_address).domain}>"
    email["Auto-Submitted"] = "auto-generated"  # no out-of-office replies
    email.set_content(mail.body, cte="quoted-printable")
    if mail.html is not None:
        email.add_alternative(mail.html, subtype="html", cte="quoted-printable")
    for file in files:
        main, _, sub = file.media_type.partition("/")
        email.add_attachment(file.content, maintype=main, subtype=sub, filename=to_one_line(file.name))
    return email


def to_address(text: str, name: str = "") -> Address:
    """An address for a header. A domain in any script is encoded for the DNS."""
    local, _, domain = text.rpartition("@")
    if not _ADDRESS.fullmatch(text) or to_one_line(text) != text:
        raise BadAddress(f"not an email address: {text!r}")
    try:
        ascii_domain = domain if domain.isascii() else idna.encode(domain, uts46=True).decode()
        return Address(to_one_line(name), local, ascii_domain)
    except (idna.IDNAError, ValueError, IndexError) as error:
        raise BadAddress(f"not an email address: {text!r} ({error})") from error
