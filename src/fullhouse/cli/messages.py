"""Commands for messages: what is waiting, dead-lettered or in RabbitMQ's dead-letter queue; retry, replay and drop."""

import argparse
import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from aio_pika.abc import AbstractChannel, AbstractIncomingMessage

from fullhouse.broker import consumers, jobs, store
from fullhouse.cli.operators import require_organization, run_on_database
from fullhouse.config import Config
from fullhouse.kit.actors import SYSTEM
from fullhouse.kit.db.database import WORKER, Database
from fullhouse.kit.errors import OperatorError
from fullhouse.kit.messages.dead_letters import DeadLetterOrigin, parse_id, parse_origin, restore_message
from fullhouse.kit.messages.rabbitmq import BROKER_ERRORS, open_operator_channel
from fullhouse.kit.tasks import timeout
from fullhouse.kit.terminal import print_message, table
from fullhouse.processes import serve
from fullhouse.webhooks import deliveries
from fullhouse.webhooks import store as webhook_store
from fullhouse.webhooks.model import RedeliverFailed
from fullhouse.webhooks.policy import WEBHOOKS_MAX

SHOWN_MAX = 200
CONFIRM_S = 5.0
RESEND_WINDOW = timedelta(
    minutes=15
)  # of facts in one statement: a busy day's facts would exceed the statement timeout
OUR_QUEUES = consumers.build_topology().queues


def status(settings: Config, _args: argparse.Namespace) -> int:
    async def show(finder: Database) -> None:
        waits, mails = await jobs.read_backlog(finder), await jobs.read_mail_backlog(finder)
        to_send = "facts to be sent to RabbitMQ" if settings.amqp_url else "facts to be sent (AMQP_URL is not set)"
        emails = "emails to be sent" if settings.smtp_url else "emails to be sent (SMTP_URL is not set)"
        rows = [
            ("count", "waiting", "oldest"),
            (str(waits.unhandled), "facts to be handled", _format_age(waits.unhandled_s)),
            (str(waits.owed), "handler runs to be retried", ""),
            (str(waits.parked_reactions), "dead-lettered handler runs, for an operator", ""),
            (str(waits.unsent), to_send, _format_age(waits.unsent_s)),
            (str(waits.parked_facts), "dead-lettered facts that RabbitMQ rejected, for an operator", ""),
            (str(waits.failed_jobs), "failed jobs, for an operator (`fullhouse jobs`)", ""),
            (str(mails.waiting), emails, _format_age(mails.oldest_s)),
            (str(mails.delayed), "emails to be retried", ""),
            (str(mails.given_up), "emails that could not be delivered, for an operator", ""),
        ]
        print(table(rows))

    return _run_as_worker(settings, show)


def list_dead_lettered(settings: Config, _args: argparse.Namespace) -> int:
    async def show(finder: Database) -> None:
        async with finder.without_tenant() as tx:
            rows = await store.list_dead_lettered(tx)
        for row in rows[:SHOWN_MAX]:
            print(f"{row.message_id}  {row.name} of {row.subject_id}, organisation {row.organization_id}")
            print(f"    given up by {row.consumer} after {row.attempts} attempts, {row.parked_at:%Y-%m-%d %H:%M:%S %Z}")
            print(f"    {row.last_error}")
        print_message(f"{len(rows)} are dead-lettered" if rows else "nothing is dead-lettered")

    return _run_as_worker(settings, show)


def retry(settings: Config, args: argparse.Namespace) -> int:
    async def again(finder: Database) -> None:
        async with finder.without_tenant() as tx:
            facts = await store.retry_facts(tx, args.id or None)
            reactions = await store.retry_handler_calls(tx, args.id or None)
        print_message(f"{facts} facts and {reactions} handler runs will be retried")

    return _run_as_worker(settings, again)


def drop(settings: Config, args: argparse.Namespace) -> int:
    """An id names a message wherever it is: dead-lettered here, or in RabbitMQ's dead-letter queue."""

    async def give_up(finder: Database) -> None:
        async with finder.without_tenant() as tx:
            facts = await store.give_up_facts(tx, args.id)
            reactions = await store.give_up_handler_calls(tx, args.id)
        dead = 0
        if settings.amqp_url:
            dead = len((await _process_dead_letters(settings, args.id, _acknowledge)).found)
        print_message(f"{facts} facts, {reactions} handler runs and {dead} dead letters were discarded")

    return _run_as_worker(settings, give_up)


def resend(settings: Config, args: argparse.Namespace) -> int:
    async def again(finder: Database) -> None:
        async with finder.without_tenant() as tx:
            now = await tx.now()
        pattern = args.name.replace("_", r"\_").replace("*", "%") if args.name else None
        since, facts = now - timedelta(hours=args.hours), 0
        while since < now:  # the oldest first: a relay that starts meanwhile preserves the order of a subject
            async with finder.without_tenant() as tx:
                facts += await store.resend(tx, since=since, until=min(since + RESEND_WINDOW, now), pattern=pattern)
            since += RESEND_WINDOW
        print_message(f"{facts} facts will be sent again, with their original ids")

    return _run_as_worker(settings, again)


def redeliver(settings: Config, args: argparse.Namespace) -> int:
    """To one webhook of an organisation, or to all that are enabled."""

    async def again(database: Database, _urls: serve.Urls) -> None:
        organization = await require_organization(database, args.org)
        async with database.tenant(organization.id, SYSTEM) as tx:
            known = await webhook_store.list_webhooks(tx, after_at=None, after_id=None, limit=WEBHOOKS_MAX)
            since = await tx.now() - timedelta(hours=args.hours)
        chosen = [one for one in known if one.enabled and args.webhook in (None, one.id)]
        if args.webhook and not chosen:
            raise OperatorError(f"{args.org} has no enabled webhook {args.webhook}.")
        for one in chosen:
            sent = await _redeliver_all(database, organization.id, one.id, since)
            print_message(f"{one.url}: {sent} deliveries will be sent again")
        if not chosen:
            print_message(f"{args.org} has no enabled webhook")

    return run_on_database(settings, again)


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
            wrong = await jobs.correct_counts(finder, database)
        finally:
            await finder.close()
        print_message(
            f"{wrong} events had a wrong participant count, now corrected"
            if wrong
            else "the participant counts are correct"
        )

    with serve.reporting_database_errors():
        return run_on_database(settings, anew)


# --- RabbitMQ's dead-letter queue


class DeadLetters(NamedTuple):
    """The dead letters that were selected, and how many the queue has in all."""

    found: list[tuple[AbstractIncomingMessage, DeadLetterOrigin]]
    all: int


def list_dead_letters(settings: Config, _args: argparse.Namespace) -> int:
    letters = asyncio.run(_process_dead_letters(settings, (), None))
    for message, death in letters.found:
        print(f"{parse_id(message) or 'without an id'}  {death.key}, dead-lettered {death.died_at}")
        print(f"    {death.reason}")
        print(f"    {message.body[:300].decode(errors='replace')}")
    print_message(f"{letters.all} dead letters" if letters.all else "no dead letters")
    if len(letters.found) < letters.all:
        print_message(f"only the first {len(letters.found)} are shown")
    return 0


def replay(settings: Config, args: argparse.Namespace) -> int:
    found = asyncio.run(_process_dead_letters(settings, args.id, _return_to_queue)).found
    lost = sum(death.queue not in OUR_QUEUES for _, death in found)
    print_message(f"{len(found) - lost} dead letters were put back into their queues")
    if lost:
        print_message(f"{lost} remain: they did not come from a queue of fullhouse")
    return 0


Action = Callable[[AbstractChannel, AbstractIncomingMessage, DeadLetterOrigin], Awaitable[None]]


async def _process_dead_letters(settings: Config, ids: Sequence[UUID], action: Action | None) -> DeadLetters:
    """Reads the dead-letter queue; applies `action` to messages with these ids, or to all if none are given. Messages
    that are not acknowledged stay in the queue.
    """
    if settings.amqp_url is None:
        raise OperatorError("AMQP_URL is not set, so there is no dead-letter queue.")
    names, letters = consumers.build_topology(), DeadLetters([], 0)
    try:
        async with open_operator_channel(settings.amqp_url, names) as channel, timeout(60):
            queue = await channel.declare_queue(names.dead_letter_queue, passive=True)
            letters = DeadLetters([], queue.declaration_result.message_count or 0)
            for _ in range(letters.all):  # and no more: a message that was put back may return meanwhile
                message: Any = await queue.get(fail=False)
                if message is None:
                    break
                if not ids or parse_id(message) in ids:
                    letters.found.append((message, parse_origin(message)))
                    if action:
                        await action(channel, *letters.found[-1])
                    elif len(letters.found) == SHOWN_MAX:
                        break
    except BROKER_ERRORS as error:
        raise OperatorError(f"RabbitMQ is unavailable: {error!r}") from None
    return letters


async def _return_to_queue(channel: AbstractChannel, message: AbstractIncomingMessage, death: DeadLetterOrigin) -> None:
    """Publishes it to the queue that it came from only: other consumers have processed it."""
    if death.queue is None or death.queue not in OUR_QUEUES:
        return
    await channel.default_exchange.publish(
        restore_message(message, death), death.queue, mandatory=True, timeout=CONFIRM_S
    )
    await message.ack()


async def _acknowledge(_channel: AbstractChannel, message: AbstractIncomingMessage, _death: DeadLetterOrigin) -> None:
    await message.ack()


def _format_age(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds))) if seconds else ""


def _run_as_worker(settings: Config, work: Callable[[Database], Awaitable[None]]) -> int:
    async def run(urls: serve.Urls) -> None:
        finder = await Database.open(urls.serving, WORKER, size=1)
        try:
            await work(finder)
        finally:
            await finder.close()

    with serve.open_database(settings) as (urls, _), serve.reporting_database_errors():
        asyncio.run(run(urls))
    return 0
