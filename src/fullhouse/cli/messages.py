"""Commands for messages: what waits, what was given up and why, what is dead in the broker; and trying it again."""

import argparse
import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from aio_pika.abc import AbstractChannel, AbstractIncomingMessage

from fullhouse.broker import consumers, jobs, store
from fullhouse.cli.operators import on_database, organization_named
from fullhouse.config import Config
from fullhouse.kit.actors import SYSTEM
from fullhouse.kit.db.database import WORKER, Database
from fullhouse.kit.errors import OperatorError
from fullhouse.kit.messages.broker import GONE, looking
from fullhouse.kit.messages.dead_letters import Death, death_of, id_of, revived
from fullhouse.kit.terminal import say, table
from fullhouse.processes import serve
from fullhouse.webhooks import deliveries
from fullhouse.webhooks import store as webhook_store
from fullhouse.webhooks.model import RedeliverFailed
from fullhouse.webhooks.policy import WEBHOOKS_MAX

SHOWN_MAX = 200
CONFIRM_S = 5.0
TOGETHER = timedelta(minutes=15)  # of facts in one statement: those of a large house's day would run into its time-out
OURS = consumers.topology().queues


def status(settings: Config, _args: argparse.Namespace) -> int:
    async def show(finder: Database) -> None:
        waits, mails = await jobs.look(finder), await jobs.look_at_mail(finder)
        broker = "the broker" if settings.amqp_url else "a broker, if one is named"
        rows = [
            ("waiting", "for", "oldest"),
            (str(waits.unhandled), "the house to react", _ago(waits.unhandled_s)),
            (str(waits.owed), "a reaction to be tried again", ""),
            (str(waits.parked_reactions), "an operator: parked reactions", ""),
            (str(waits.unsent), broker, _ago(waits.unsent_s)),
            (str(waits.parked_facts), "an operator: facts that the broker refuses", ""),
            (str(waits.failed_jobs), "an operator: jobs that were given up (`fullhouse jobs`)", ""),
            (
                str(mails.waiting),
                "an email's first delivery" if settings.smtp_url else "an SMTP_URL",
                _ago(mails.oldest_s),
            ),
            (str(mails.delayed), "another try to deliver an email", ""),
            (str(mails.given_up), "an operator: emails that were given up", ""),
        ]
        print(table(rows))

    return _on_outbox(settings, show)


def parked(settings: Config, _args: argparse.Namespace) -> int:
    async def show(finder: Database) -> None:
        async with finder.nobody() as tx:
            rows = await store.parked(tx)
        for row in rows[:SHOWN_MAX]:
            print(f"{row.message_id}  {row.name} of {row.subject_id}, organisation {row.organization_id}")
            print(f"    given up by {row.consumer} after {row.attempts} attempts, {row.parked_at:%Y-%m-%d %H:%M:%S %Z}")
            print(f"    {row.last_error}")
        say(f"{len(rows)} are parked" if rows else "nothing is parked")

    return _on_outbox(settings, show)


def retry(settings: Config, args: argparse.Namespace) -> int:
    async def again(finder: Database) -> None:
        async with finder.nobody() as tx:
            facts = await store.retry_facts(tx, args.id or None)
            reactions = await store.retry_reactions(tx, args.id or None)
        say(f"{facts} facts and {reactions} reactions are tried again")

    return _on_outbox(settings, again)


def drop(settings: Config, args: argparse.Namespace) -> int:
    """Of both kinds: whoever names an id means that message, wherever it is stuck."""

    async def give_up(finder: Database) -> None:
        async with finder.nobody() as tx:
            facts = await store.give_up_facts(tx, args.id)
            reactions = await store.give_up_reactions(tx, args.id)
        dead = 0
        if settings.amqp_url:
            dead = len((await _dead(settings, args.id, _let_go)).found)
        say(f"{facts} facts, {reactions} reactions and {dead} dead letters were given up")

    return _on_outbox(settings, give_up)


def resend(settings: Config, args: argparse.Namespace) -> int:
    async def again(finder: Database) -> None:
        async with finder.nobody() as tx:
            now = await tx.now()
        pattern = args.name.replace("_", r"\_").replace("*", "%") if args.name else None
        since, facts = now - timedelta(hours=args.hours), 0
        while since < now:  # the oldest first: a relay that begins meanwhile keeps the order of a subject
            async with finder.nobody() as tx:
                facts += await store.resend(tx, since=since, until=min(since + TOGETHER, now), pattern=pattern)
            since += TOGETHER
        say(f"{facts} facts are sent again, under the ids that they had")

    return _on_outbox(settings, again)


def redeliver(settings: Config, args: argparse.Namespace) -> int:
    """To one webhook of an organisation, or to all that are enabled."""

    async def again(database: Database, _urls: serve.Urls) -> None:
        organization = await organization_named(database, args.org)
        async with database.tenant(organization.id, SYSTEM) as tx:
            known = await webhook_store.list_webhooks(tx, after_at=None, after_id=None, limit=WEBHOOKS_MAX)
            since = await tx.now() - timedelta(hours=args.hours)
        chosen = [one for one in known if one.enabled and args.webhook in (None, one.id)]
        if args.webhook and not chosen:
            raise OperatorError(f"{args.org} has no enabled webhook {args.webhook}.")
        for one in chosen:
            say(f"{one.url}: {await _redeliver_all(database, organization.id, one.id, since)} are sent again")
        if not chosen:
            say(f"{args.org} has no enabled webhook")

    return on_database(settings, again)


async def _redeliver_all(database: Database, organization_id: UUID, webhook_id: UUID, since: datetime) -> int:
    sent, more = 0, True
    while more:
        async with database.tenant(organization_id, SYSTEM) as tx:
            asked = RedeliverFailed(since=since)
            found = await deliveries.redeliver_failed(tx, webhook_id, asked, already=sent)
        sent, more = sent + found.redelivered, found.more
    return sent


def recount(settings: Config, _args: argparse.Namespace) -> int:
    async def anew(database: Database, urls: serve.Urls) -> None:
        finder = await Database.open(urls.serving, WORKER, size=1)
        try:
            wrong = await jobs.recount(finder, database)
        finally:
            await finder.close()
        say(f"{wrong} shows were miscounted, and are right now" if wrong else "the participants of all shows are right")

    with serve.answering():
        return on_database(settings, anew)


# --- dead letters


class Letters(NamedTuple):
    """Those that were looked for, and how many there were in all."""

    found: list[tuple[AbstractIncomingMessage, Death]]
    all: int


def dead(settings: Config, _args: argparse.Namespace) -> int:
    letters = asyncio.run(_dead(settings, (), None))
    for letter, death in letters.found:
        print(f"{id_of(letter) or 'without an id'}  {death.key}, died {death.died_at}")
        print(f"    {death.reason}")
        print(f"    {letter.body[:300].decode(errors='replace')}")
    say(f"{letters.all} dead letters" if letters.all else "no dead letters")
    if len(letters.found) < letters.all:
        say(f"these are the first {len(letters.found)}")
    return 0


def replay(settings: Config, args: argparse.Namespace) -> int:
    found = asyncio.run(_dead(settings, args.id, _put_back)).found
    lost = sum(death.queue not in OURS for _, death in found)
    say(f"{len(found) - lost} dead letters were put back into their queues")
    if lost:
        say(f"{lost} stay: they came from no queue of ours")
    return 0


Deed = Callable[[AbstractChannel, AbstractIncomingMessage, Death], Awaitable[None]]


async def _dead(settings: Config, ids: Sequence[UUID], deed: Deed | None) -> Letters:
    """Looks at the dead letters; does something to those with these ids, or to all if none are given. The others, and
    those that nothing was done to, stay where they are.
    """
    if settings.amqp_url is None:
        raise OperatorError("There is no AMQP_URL, and so there are no dead letters.")
    names, letters = consumers.topology(), Letters([], 0)
    try:
        async with looking(settings.amqp_url, names) as channel, asyncio.timeout(60):
            queue = await channel.declare_queue(names.dead, passive=True)
            letters = Letters([], queue.declaration_result.message_count or 0)
            for _ in range(letters.all):  # and no further: what is put back may die again meanwhile
                letter: Any = await queue.get(fail=False)
                if letter is None:
                    break
                if not ids or id_of(letter) in ids:
                    letters.found.append((letter, death_of(letter)))
                    if deed:
                        await deed(channel, *letters.found[-1])
                    elif len(letters.found) == SHOWN_MAX:
                        break
    except GONE as error:
        raise OperatorError(f"RabbitMQ does not answer: {error!r}") from None
    return letters


async def _put_back(channel: AbstractChannel, letter: AbstractIncomingMessage, death: Death) -> None:
    """Into the queue that it came from, and nowhere else: other consumers had no trouble with it."""
    if death.queue is None or death.queue not in OURS:
        return
    await channel.default_exchange.publish(revived(letter, death), death.queue, mandatory=True, timeout=CONFIRM_S)
    await letter.ack()


async def _let_go(_channel: AbstractChannel, letter: AbstractIncomingMessage, _death: Death) -> None:
    await letter.ack()


def _ago(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds))) if seconds else ""


def _on_outbox(settings: Config, work: Callable[[Database], Awaitable[None]]) -> int:
    async def run(urls: serve.Urls) -> None:
        finder = await Database.open(urls.serving, WORKER, size=1)
        try:
            await work(finder)
        finally:
            await finder.close()

    with serve.database(settings) as (urls, _), serve.answering():
        asyncio.run(run(urls))
    return 0
