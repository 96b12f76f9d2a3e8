"""Letters: written in the transaction of the change that they tell of, delivered by a job (kit/mail/mailer.py).

A room says *what* a letter says (kit/mail/email.py). Words and look are the writer's, which is handed in at start.
Without `SMTP_URL` letters stay here, as a local mailbox: loud, not silent.

What holds here:
- A letter about a fact is posted once for each person, by a unique key, however often the fact is told.
- What was posted is delivered without asking anybody again; only what is enclosed is made then.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Literal, NamedTuple
from uuid import UUID

import msgspec

from fullhouse.kit.db.database import Tx
from fullhouse.kit.ids import new_id
from fullhouse.kit.mail.email import Enclosure, Letter, LetterData
from fullhouse.kit.messages import jobs

JOB = "mail.deliver"
ATTEMPTS = 56  # two days: as long as other mail servers wait for one that is away
TOGETHER = 50  # letters of one job: they share a connection


class To(NamedTuple):
    """A letter and whom it goes to."""

    email: str
    data: LetterData
    enclosures: Sequence[Enclosure] = ()
    language: str | None = None  # none: in which they are known to read


class Mail(msgspec.Struct, frozen=True, kw_only=True):
    """A letter in the mailbox. `status` is waiting, delayed (`last_error` says why), sent, or refused for good."""

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
    """With its HTML, which is blanked with the text once it is sent."""

    html: str | None
    sender_name: str | None
    reply_to: str | None
    enclosures: list[Enclosure]


Write = Callable[[LetterData, str | None], Letter]  # no language: as the organisation speaks
Writer = Callable[[Tx], Awaitable[Write]]  # asks once how the organisation of this transaction writes
_writer: Writer | None = None


def wire(writer: Writer) -> None:
    """Hands in whoever finds the words. Entry points call it once."""
    global _writer
    _writer = writer


async def post(
    tx: Tx,
    recipient: str,
    data: LetterData,
    *,
    about: UUID | None = None,
    enclosures: Sequence[Enclosure] = (),
    language: str | None = None,
) -> UUID | None:
    """One letter. `about` is the id of the fact that it tells of; None comes back if the person has it already."""
    posted = await post_all(tx, [To(recipient, data, enclosures, language)], about=about)
    return posted[0] if posted else None


_POST = """
INSERT INTO mails
    (id, organization_id, about, recipient, template, enclosures, subject, body, html, sender_name, reply_to)
SELECT id, $1, $2, recipient, template, enclosures::jsonb, subject, body, html, sender_name, reply_to
FROM unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
            $11::text[]) AS x (id, recipient, template, enclosures, subject, body, html, sender_name, reply_to)
ON CONFLICT (organization_id, about, template, lower(recipient)) WHERE about IS NOT NULL DO NOTHING
RETURNING id
"""


async def post_all(tx: Tx, letters: Sequence[To], *, about: UUID | None = None) -> list[UUID]:
    """Many at once. Who has one about the same already gets no second; returns those that were posted."""
    if _writer is None:
        raise RuntimeError("this entry point forgot mail.wire: nobody knows the words")
    if not letters:
        return []
    write = await _writer(tx)
    known = await languages_of(tx, [to.email for to in letters if to.language is None])
    said = [(to.data, to.language or known.get(to.email.lower())) for to in letters]
    written = {each: write(*each) for each in set(said)}
    rows = [
        (
            new_id(),
            to.email,
            to.data.template,
            msgspec.json.encode(to.enclosures).decode(),
            *msgspec.structs.astuple(written[each]),
        )
        for to, each in zip(letters, said, strict=True)
    ]
    found = await tx.fetch(_POST, tx.organization_id, about, *map(list, zip(*rows, strict=True)))
    posted = [row["id"] for row in found]
    for first in range(0, len(posted), TOGETHER):
        ids = posted[first : first + TOGETHER]
        await jobs.enqueue(tx, JOB, {"mail_ids": ids}, once=f"mail:{ids[0]}")
    return posted


# --- in which language somebody reads

_NOTE_READER = """
INSERT INTO mail_readers AS r (organization_id, email, language)
SELECT $1, lower($2), $3 WHERE NOT EXISTS (
    SELECT FROM mail_readers WHERE organization_id = $1 AND email = lower($2) AND (language = $3 OR NOT $4))
ON CONFLICT (organization_id, email) DO UPDATE SET language = $3 WHERE $4 AND r.language <> $3
"""
_LANGUAGES = "SELECT email, language FROM mail_readers WHERE organization_id = $1 AND email = ANY ($2::text[])"


async def note_reader(tx: Tx, email: str, *, sure: bool = True) -> None:
    """Letters to this address are in the language of whoever acts: for sure, or as long as nobody knows better.

    Where nothing changes, no row is locked: many may buy with the same address.
    """
    if tx.actor.language:
        await tx.execute(_NOTE_READER, tx.organization_id, email, tx.actor.language, sure)


async def languages_of(tx: Tx, emails: Sequence[str]) -> dict[str, str]:
    """By address, in lower case. Of those who are not in it nobody knows."""
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
_IN_FULL = f"""
SELECT {_COLUMNS}, html, sender_name, reply_to, enclosures FROM mails WHERE organization_id = $1 AND id = $2
"""  # noqa: S608


async def newest(tx: Tx, *, after_at: datetime | None, after_id: UUID | None, limit: int) -> list[Mail]:
    """The local mailbox, newest first."""
    return [Mail(**row) for row in await tx.fetch(_NEWEST, tx.organization_id, after_at, after_id, limit)]


async def in_full(tx: Tx, mail_id: UUID) -> MailInFull | None:
    row = await tx.fetchrow(_IN_FULL, tx.organization_id, mail_id)
    return None if row is None else msgspec.convert(dict(row), MailInFull)
