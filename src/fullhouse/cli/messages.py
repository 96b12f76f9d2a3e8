"""Commands for messages: what is waiting, dead-lettered or in RabbitMQ's dead-letter queue; retry, replay and drop."""

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
TOGETHER = timedelta(minutes=15)  # of facts in one statement: a busy day's facts would exceed the statement timeout
OURS = consumers.topology().queues


def status(settings: Config, _args: argparse.Namespace) -> int:
    async def show(finder: Database) -> None:
        waits, mails = await jobs.look(finder), await jobs.look_at_mail(finder)
        to_send = "facts to be sent to RabbitMQ" if settings.amqp_url else "facts to be sent (AMQP_URL is not set)"
        emails = "emails to be sent" if settings.smtp_url else "emails to be sent (SMTP_URL is not set)"
        rows = [
            ("count", "waiting", "oldest"),
            (str(waits.unhandled), "facts to be handled", _ago(waits.unhandled_s)),
            (str(waits.owed), "handler runs to be retried", ""),
            (str(waits.parked_reactions), "dead-lettered handler runs, for an operator", ""),
            (str(waits.unsent), to_send, _ago(waits.unsent_s)),
            (str(waits.parked_facts), "dead-lettered facts that RabbitMQ rejected, for an operator", ""),
            (str(waits.failed_jobs), "failed jobs, for an operator (`fullhouse jobs`)", ""),
            (str(mails.waiting), emails, _ago(mails.oldest_s)),
            (str(mails.delayed), "emails to be retried", ""),
            (str(mails.given_up), "emails that could not be delivered, for an operator", ""),
        ]
        print(table(rows))

    return _on_outbox(settings, show)


def list_dead_lettered(settings: Config, _args: argparse.Namespace) -> int:
    async def show(finder: Database) -> None:
        async with finder.nobody() as tx:
            rows = await store.parked(tx)
        for row in rows[:SHOWN_MAX]:
            print(f"{row.message_id}  {row.name} of {row.subject_id}, organisation {row.organization_id}")
            print(f"    given up by {row.consumer} after {row.attempts} attempts, {row.parked_at:%Y-%m-%d %H:%M:%S %Z}")
            print(f"    {row.last_error}")
        say(f"{len(rows)} are dead-lettered" if rows else "nothing is dead-lettered")

    return _on_outbox(settings, show)


def retry(settings: Config, args: argparse.Namespace) -> int:
    async def again(finder: Database) -> None:
        async with finder.nobody() as tx:
            facts = await store.retry_facts(tx, args.id or None)
            reactions = await store.retry_reactions(tx, args.id or None)
        say(f"{facts} facts and {reactions} handler runs will be retried")

    return _on_outbox(settings, again)


def drop(settings: Config, args: argparse.Namespace) -> int:
    """An id names a message wherever it is: dead-lettered here, or in RabbitMQ's dead-letter queue."""

    async def give_up(finder: Database) -> None:
        async with finder.nobody() as tx:
            facts = await store.give_up_facts(tx, args.id)
            reactions = await store.give_up_reactions(tx, args.id)
        dead = 0
        if settings.amqp_url:
            dead = len((await _dead(settings, args.id, _let_go)).found)
        say(f"{facts} facts, {reactions} handler runs and {dead} dead letters were discarded")

    return _on_outbox(settings, give_up)


def resend(settings: Config, args: argparse.Namespace) -> int:
    async def again(finder: Database) -> None:
        async with finder.nobody() as tx:
            now = await tx.now()
        pattern = args.name.replace("_", r"\_").replace("*", "%") if args.name else None
        since, facts = now - timedelta(hours=args.hours), 0
        while since < now:  # the oldest first: a relay that starts meanwhile preserves the order of a subject
            async with finder.nobody() as tx:
                facts += await store.resend(tx, since=since, until=min(since + TOGETHER, now), pattern=pattern)
            since += TOGETHER
        say(f"{facts} facts will be sent again, with their original ids")

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
            sent = await _redeliver_all(database, organization.id, one.id, since)
            say(f"{one.url}: {sent} deliveries will be sent again")
        if not chosen:
            say(f"{args.org} has no enabled webhook")

    return on_database(settings, again)


async def _redeliver_all(database: Database, organization_id: UUID, webhook_id: UUID, since: datetime) -> int:
    sent, more = 0, True
    while more:
        async with database.tenant(organization_id, SYSTEM) as tx:
            request = RedeliverFailed(since=since)
            found = await deliveries.redeliver_failed(tx, webhook_id, request, already=sent)
        sent, more = sent + found.redelivered, found.more
    return sent


def recount(settings: Config, _args: argparse.Namespace) -> int:
    async def anew(database: Database, urls: serve.Urls) -> None:
        finder = await Database.open(urls.serving, WORKER, size=1)
        try:
            wrong = await jobs.recount(finder, database)
        finally:
            await finder.close()
        say(
            f"{wrong} events had a wrong participant count, now corrected"
            if wrong
            else "the participant counts are correct"
        )

    with serve.answering():
        return on_database(settings, anew)


# --- RabbitMQ's dead-letter queue


class Letters(NamedTuple):
    """The dead letters that were selected, and how many the queue has in all."""

    found: list[tuple[AbstractIncomingMessage, Death]]
    all: int


def list_dead_letters(settings: Config, _args: argparse.Namespace) -> int:
    letters = asyncio.run(_dead(settings, (), None))
    for message, death in letters.found:
        print(f"{id_of(message) or 'without an id'}  {death.key}, dead-lettered {death.died_at}")
        print(f"    {death.reason}")
        print(f"    {message.body[:300].decode(errors='replace')}")
    say(f"{letters.all} dead letters" if letters.all else "no dead letters")
    if len(letters.found) < letters.all:
        say(f"only the first {len(letters.found)} are shown")
    return 0


def replay(settings: Config, args: argparse.Namespace) -> int:
    found = asyncio.run(_dead(settings, args.id, _put_back)).found
    lost = sum(death.queue not in OURS for _, death in found)
    say(f"{len(found) - lost} dead letters were put back into their queues")
    if lost:
        say(f"{lost} remain: they did not come from a queue of fullhouse")
    return 0


Deed = Callable[[AbstractChannel, AbstractIncomingMessage, Death], Awaitable[None]]


async def _dead(settings: Config, ids: Sequence[UUID], action: Deed | None) -> Letters:
    """Reads the dead-letter queue; applies `action` to messages with these ids, or to all if none are given. Messages
    that are not acknowledged stay in the queue.
    """
    if settings.amqp_url is None:
        raise OperatorError("AMQP_URL is not set, so there is no dead-letter queue.")
    names, letters = consumers.topology(), Letters([], 0)
    try:
        async with looking(settings.amqp_url, names) as channel, asyncio.timeout(60):
            queue = await channel.declare_queue(names.dead, passive=True)
            letters = Letters([], queue.declaration_result.message_count or 0)
            for _ in range(letters.all):  # and no more: a message that was put back may return meanwhile
                message: Any = await queue.get(fail=False)
                if message is None:
                    break
                if not ids or id_of(message) in ids:
                    letters.found.append((message, death_of(message)))
                    if action:
                        await action(channel, *letters.found[-1])
                    elif len(letters.found) == SHOWN_MAX:
                        break
    except GONE as error:
        raise OperatorError(f"RabbitMQ is unavailable: {error!r}") from None
    return letters


async def _put_back(channel: AbstractChannel, message: AbstractIncomingMessage, death: Death) -> None:
    """Publishes it to the queue that it came from only: other consumers have processed it."""
    if death.queue is None or death.queue not in OURS:
        return
    await channel.default_exchange.publish(revived(message, death), death.queue, mandatory=True, timeout=CONFIRM_S)
    await message.ack()


async def _let_go(_channel: AbstractChannel, message: AbstractIncomingMessage, _death: Death) -> None:
    await message.ack()


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
