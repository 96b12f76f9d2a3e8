"""Emails: written in the transaction of the change that they report, delivered by a job (kit/mail/mailer.py).

A domain passes an email's data (kit/mail/email.py); text and layout come from the writer, which is set at start.
Without `SMTP_URL` emails stay here as a local mailbox, with a warning in the log.

Invariants:
- An email about a fact is queued once for each recipient, by a unique key, however often the fact is delivered.
- A queued email is complete: delivery makes its attachments, and reads nothing else.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Literal, NamedTuple
from uuid import UUID

import msgspec

from fullhouse.kit.db.database import Tx
from fullhouse.kit.ids import new_id
from fullhouse.kit.mail.email import AttachmentRef, Email, EmailData
from fullhouse.kit.messages import jobs

JOB = "mail.deliver"
ATTEMPTS = 56  # two days: as long as mail servers usually retry an unavailable one
EMAILS_PER_JOB = 50  # emails of one job: they share a connection


class OutgoingEmail(NamedTuple):
    """An email and its recipient."""

    email: str
    data: EmailData
    enclosures: Sequence[AttachmentRef] = ()
    language: str | None = None  # none: the recipient's, if it is known


class Mail(msgspec.Struct, frozen=True, kw_only=True):
    """An email in the mailbox. `status` is waiting, delayed (`last_error` says why), sent, or refused for good."""

    id: UUID
    recipient: str
    subject: str
    template: str | None
    body: str | None
    status: Literal["waiting", "delayed", "sent", "refused"]
    attempts: int
    created_at: datetime
    sent_at: datetime | None
    last_error: str | None


class MailInFull(Mail, frozen=True, kw_only=True):
    """With its HTML, which is blanked together with the text once it is sent."""

    html: str | None
    sender_name: str | None
    reply_to: str | None
    enclosures: list[AttachmentRef]


RenderEmail = Callable[[EmailData, str | None], Email]  # no language: the organisation's
Writer = Callable[[Tx], Awaitable[RenderEmail]]  # reads the organisation's branding and language once
_writer: Writer | None = None


def wire(writer: Writer) -> None:
    """Sets the writer of all emails. Entry points call it once."""
    global _writer
    _writer = writer


async def enqueue_email(
    tx: Tx,
    recipient: str,
    data: EmailData,
    *,
    about: UUID | None = None,
    enclosures: Sequence[AttachmentRef] = (),
    language: str | None = None,
) -> UUID | None:
    """Queues one email. `about` is the id of the fact that it reports; returns None if the recipient has it already."""
    posted = await enqueue_emails(tx, [OutgoingEmail(recipient, data, enclosures, language)], about=about)
    return posted[0] if posted else None


_INSERT_MAILS = """
INSERT INTO mails
    (id, organization_id, about, recipient, template, enclosures, subject, body, html, sender_name, reply_to)
SELECT id, $1, $2, recipient, template, enclosures::jsonb, subject, body, html, sender_name, reply_to
FROM unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
            $11::text[]) AS x (id, recipient, template, enclosures, subject, body, html, sender_name, reply_to)
ON CONFLICT (organization_id, about, template, lower(recipient)) WHERE about IS NOT NULL DO NOTHING
RETURNING id
"""


async def enqueue_emails(tx: Tx, emails: Sequence[OutgoingEmail], *, about: UUID | None = None) -> list[UUID]:
    """Queues many. Recipients who have one about the same fact get no second; returns the ids of those queued."""
    if _writer is None:
        raise RuntimeError("mails.wire was not called at start: emails have no writer")
    if not emails:
        return []
    write = await _writer(tx)
    known = await find_languages(tx, [to.email for to in emails if to.language is None])
    versions = [(to.data, to.language or known.get(to.email.lower())) for to in emails]
    written = {version: write(*version) for version in set(versions)}
    rows = [
        (
            new_id(),
            to.email,
            to.data.template,
            msgspec.json.encode(to.enclosures).decode(),
            *msgspec.structs.astuple(written[version]),
        )
        for to, version in zip(emails, versions, strict=True)
    ]
    found = await tx.fetch(_INSERT_MAILS, tx.organization_id, about, *map(list, zip(*rows, strict=True)))
    posted = [row["id"] for row in found]
    for first in range(0, len(posted), EMAILS_PER_JOB):
        ids = posted[first : first + EMAILS_PER_JOB]
        await jobs.enqueue(tx, JOB, {"mail_ids": ids}, once=f"mail:{ids[0]}")
    return posted


# --- the language of each recipient

_UPSERT_LANGUAGE = """
INSERT INTO mail_readers AS r (organization_id, email, language)
SELECT $1, lower($2), $3 WHERE NOT EXISTS (
    SELECT FROM mail_readers WHERE organization_id = $1 AND email = lower($2) AND (language = $3 OR NOT $4))
ON CONFLICT (organization_id, email) DO UPDATE SET language = $3 WHERE $4 AND r.language <> $3
"""
_LANGUAGES = "SELECT email, language FROM mail_readers WHERE organization_id = $1 AND email = ANY ($2::text[])"


async def record_language(tx: Tx, email: str, *, sure: bool = True) -> None:
    """Stores the actor's language for emails to this address. Unless `sure`, a stored language is not replaced.

    If nothing changes, no row is locked: many may buy with the same address.
    """
    if tx.actor.language:
        await tx.execute(_UPSERT_LANGUAGE, tx.organization_id, email, tx.actor.language, sure)


async def find_languages(tx: Tx, emails: Sequence[str]) -> dict[str, str]:
    """By address, in lower case. Addresses without a stored language are left out."""
    rows = await tx.fetch(_LANGUAGES, tx.organization_id, [email.lower() for email in emails])
    return {row["email"]: row["language"] for row in rows}


# --- the local mailbox

_COLUMNS = """
id, recipient, subject, template, body, attempts, created_at, sent_at, last_error,
CASE WHEN sent_at IS NOT NULL THEN 'sent' WHEN refused_at IS NOT NULL THEN 'refused'
     WHEN last_error IS NOT NULL THEN 'delayed' ELSE 'waiting' END AS status
"""
_NEWEST = f"""
SELECT {_COLUMNS} FROM mails
WHERE organization_id = $1 AND ($2::timestamptz IS NULL OR (created_at, id) < ($2, $3::uuid))
ORDER BY created_at DESC, id DESC LIMIT $4
"""  # noqa: S608
_BY_ID = f"""
SELECT {_COLUMNS}, html, sender_name, reply_to, enclosures FROM mails WHERE organization_id = $1 AND id = $2
"""  # noqa: S608


async def list_newest(tx: Tx, *, after_at: datetime | None, after_id: UUID | None, limit: int) -> list[Mail]:
    """The local mailbox, newest first."""
    return [Mail(**row) for row in await tx.fetch(_NEWEST, tx.organization_id, after_at, after_id, limit)]


async def find_mail(tx: Tx, mail_id: UUID) -> MailInFull | None:
    row = await tx.fetchrow(_BY_ID, tx.organization_id, mail_id)
    return None if row is None else msgspec.convert(dict(row), MailInFull)
