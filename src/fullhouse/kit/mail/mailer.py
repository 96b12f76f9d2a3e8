"""Delivers what was posted (kit/mail/mails.py), by SMTP when `SMTP_URL` is set.

What holds here:
- A letter is delivered at least once. If we die between the server's "taken" and our note of it, it is sent again with
  the same Message-ID, by which the server or the reader's program can recognise it.
- Of several who have the same job at once (one was thought dead, say), each letter is sent by the one who claimed it.
- What the server refuses for good is not tried again, and the others of its job are not held up by it.
- A server that is away, hangs or asks for patience is asked again by the job queue.
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
from fullhouse.kit.mail.email import Enclosure, one_line
from fullhouse.kit.telemetry.telemetry import warn_once

_HERE = ("localhost", "127.0.0.1", "::1")
_SEND_WITHIN_S = 30.0
_LINES = 4  # at once, from one worker: fewer than there are threads, so that nobody's time runs while they wait for one
_ADDRESS = re.compile(r"[^@\s<>,;:\"()\[\]\\]+@[^@\s<>,;:\"()\[\]\\.]+(?:\.[^@\s<>,;:\"()\[\]\\.]+)*")
log = structlog.get_logger()
TRIES = Counter("fullhouse_mail_tries_total", "Tries to deliver an email, by outcome", ["outcome"])


class Attachment(msgspec.Struct, frozen=True):
    """A file that goes with a letter; `media_type` as in `application/pdf`."""

    name: str
    media_type: str
    content: bytes


Maker = Callable[[Tx, UUID, str], Awaitable[Attachment]]  # of what, and whose letter it goes with


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    """A letter that is to be delivered."""

    id: UUID
    recipient: str
    subject: str
    body: str
    html: str | None
    sender_name: str | None
    reply_to: str | None
    enclosures: list[Enclosure]
    attempts: int
    created_at: datetime


class BadAddress(ValueError):
    """No server can be found for it."""


class InOtherHands(Exception):
    """Somebody else is sending a letter of this job, or died while doing so: the job comes back and looks again."""


# Those that failed before come last: whatever is wrong with one, it holds up nobody for ever.
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


class Postman:
    def __init__(self, smtp_url: str | None, sender: str, makers: Mapping[str, Maker] | None = None) -> None:
        self._url = urlsplit(smtp_url) if smtp_url else None
        self._sender = sender
        self._makers = makers or {}
        self._lines = asyncio.Semaphore(_LINES)

    async def deliver(self, database: Database, organization_id: UUID, payload: Any) -> None:
        """The job: each letter that is not out yet, over one connection. Raises if some must be tried again."""
        async with self._lines:
            await self._deliver(database, organization_id, [UUID(it) for it in payload["mail_ids"]])

    async def _deliver(self, database: Database, organization_id: UUID, ids: list[UUID]) -> None:
        async with database.tenant(organization_id) as tx:
            rows = await tx.fetch(_WAITING, organization_id, ids)
        if rows and self._url is None:
            warn_once(log, "no SMTP_URL: mail is kept in the local mailbox", mail_ids=[str(row["id"]) for row in rows])
            return
        line = _Line(self._connect)
        again: Exception | None = None
        try:
            for mail in (msgspec.convert(dict(row), Waiting) for row in rows):
                if not await _note(database, _CLAIM, organization_id, mail.id, mail.attempts):
                    again = InOtherHands()
                    continue
                try:
                    await line.send(await self._message(database, organization_id, mail))
                except Exception as error:
                    for_good = is_for_good(error)
                    await _note(database, _FAILED, organization_id, mail.id, _in_words(error), for_good)
                    TRIES.labels("refused" if for_good else "later").inc()
                    log.warning("a mail was not taken", mail_id=str(mail.id), error=_in_words(error), for_good=for_good)
                    again = again if for_good else error
                    if is_about_the_line(error):
                        raise
                else:
                    await _note(database, _SENT, organization_id, mail.id)
                    TRIES.labels("sent").inc()
        finally:
            await line.close()
        if again is not None:
            raise again

    async def _message(self, database: Database, organization_id: UUID, mail: Waiting) -> EmailMessage:
        files = []
        if mail.enclosures:
            async with database.tenant(organization_id) as tx:
                files = [await self._makers[it.kind](tx, it.id, mail.recipient) for it in mail.enclosures]
        return message(mail, self._sender, files)

    def greet(self) -> str:
        """Says hello as it would to deliver, and returns how. For whoever asks whether mail would go out."""
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
            self._come_in(server, host, context)
        except BaseException:
            server.close()
            raise
        return server

    def _come_in(self, server: smtplib.SMTP, host: str, context: ssl.SSLContext) -> None:
        assert self._url is not None
        server.ehlo()
        if self._url.scheme == "smtp" and server.has_extn("starttls"):
            server.starttls(context=context)
            server.ehlo()
        elif self._url.scheme == "smtp" and self._url.username and host not in _HERE:
            raise smtplib.SMTPException("the server offers no encryption; the password stays here (use smtps://)")
        if self._url.username:
            server.login(unquote(self._url.username), unquote(self._url.password or ""))


class _Line:
    """One connection, opened with the first letter and used for all of a job. Threads do the talking."""

    def __init__(self, connect: Callable[[], smtplib.SMTP]) -> None:
        self._connect = connect
        self._server: smtplib.SMTP | None = None
        self._talking = False

    async def send(self, letter: EmailMessage) -> None:
        async with asyncio.timeout(_SEND_WITHIN_S):
            if self._server is None:
                self._server = await asyncio.to_thread(self._connect)
            await self._say(self._server.send_message, letter)

    async def close(self) -> None:
        """Politely if it answers. What was taken is taken either way."""
        if self._server is None:
            return
        if not self._talking:
            with suppress(OSError, smtplib.SMTPException, TimeoutError):
                async with asyncio.timeout(2):
                    await self._say(self._server.quit)
        # A thread that still waits for an answer is woken, and closes by itself: it has what a close would wait for.
        if self._server.sock:
            with suppress(OSError):
                self._server.sock.shutdown(socket.SHUT_RDWR)

    async def _say(self, call: Callable[..., Any], *values: Any) -> None:
        self._talking = True
        await asyncio.to_thread(call, *values)
        self._talking = False


async def _note(database: Database, statement: str, *values: Any) -> bool:
    """Whether there was anything to note."""
    async with database.tenant(values[0]) as tx:
        status: str = await tx.execute(statement, *values)
    return status != "UPDATE 0"


# --- what a failure means


def is_for_good(error: Exception) -> bool:
    """Whether another attempt is idle: the person or the letter is refused. If we are (a wrong password, a sender who
    may not send), the operator mends it, and the letter waits.
    """
    match error:
        case smtplib.SMTPRecipientsRefused():
            return all(code >= 500 for code, _ in error.recipients.values())
        case smtplib.SMTPDataError():
            return error.smtp_code >= 500
    return isinstance(error, (BadAddress, smtplib.SMTPNotSupportedError))


def is_about_the_line(error: Exception) -> bool:
    """Whether the next letter would meet the same end."""
    if isinstance(error, (smtplib.SMTPRecipientsRefused, smtplib.SMTPDataError, smtplib.SMTPNotSupportedError)):
        return False
    return isinstance(error, OSError | TimeoutError)  # every other word of SMTP's is an OSError


def _in_words(error: Exception) -> str:
    return (repr(error) if str(error) else type(error).__name__)[:500]


# --- a letter as SMTP carries it


def message(mail: Waiting, sender: str, files: list[Attachment]) -> EmailMessage:
    """Text, the same in HTML, and the files. Plain ASCII in lines of at most 76, whatever is in it."""
    found = EmailMessage(policy=policy.SMTP)
    name, sender_address = parseaddr(sender)
    found["From"] = address(sender_address, mail.sender_name or name)
    found["To"] = address(mail.recipient)
    if mail.reply_to:
        found["Reply-To"] = address(mail.reply_to)
    found["Subject"] = one_line(mail.subject)
    found["Date"] = format_datetime(mail.created_at)
    # The same id on every attempt, from whichever machine: a server that saw the first can recognise the second.
    found["Message-ID"] = f"<{mail.id}@{address(sender_address).domain}>"
    found["Auto-Submitted"] = "auto-generated"  # no holiday notices in answer, please
    found.set_content(mail.body, cte="quoted-printable")
    if mail.html is not None:
        found.add_alternative(mail.html, subtype="html", cte="quoted-printable")
    for file in files:
        main, _, sub = file.media_type.partition("/")
        found.add_attachment(file.content, maintype=main, subtype=sub, filename=one_line(file.name))
    return found


def address(text: str, name: str = "") -> Address:
    """For a header. A domain in any script is written as the name system knows it."""
    local, _, domain = text.rpartition("@")
    if not _ADDRESS.fullmatch(text) or one_line(text) != text:
        raise BadAddress(f"no mail address: {text!r}")
    try:
        ascii_domain = domain if domain.isascii() else idna.encode(domain, uts46=True).decode()
        return Address(one_line(name), local, ascii_domain)
    except (idna.IDNAError, ValueError, IndexError) as error:
        raise BadAddress(f"no mail address: {text!r} ({error})") from error
