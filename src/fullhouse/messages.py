"""Commands for messages: what waits, what was given up and why, what is dead in the broker; and trying it again."""

import argparse
import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from aio_pika.abc import AbstractChannel, AbstractIncomingMessage

from fullhouse import serving
from fullhouse.config import Config
from fullhouse.kit.broker import GONE, looking
from fullhouse.kit.consumer import DIED_AT, KEY, QUEUE, REASON, copy
from fullhouse.kit.db import APP, WORKER, Database
from fullhouse.kit.errors import OperatorError
from fullhouse.messaging import consumers, jobs, store
from fullhouse.terminal import say, table

SHOWN_MAX = 200
CONFIRM_S = 5.0


def status(settings: Config, _args: argparse.Namespace) -> int:
    async def show(finder: Database) -> None:
        waits = await jobs.look(finder)
        broker = "the broker" if settings.amqp_url else "a broker, if one is named"
        rows = [
            ("waiting", "for", "oldest"),
            (str(waits.unhandled), "the house to react", _ago(waits.unhandled_s)),
            (str(waits.owed), "a reaction to be tried again", ""),
            (str(waits.parked_reactions), "an operator: parked reactions", ""),
            (str(waits.unsent), broker, _ago(waits.unsent_s)),
            (str(waits.parked_facts), "an operator: facts that the broker refuses", ""),
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
            dead = len(await _dead(settings, args.id, _let_go))
        say(f"{facts} facts, {reactions} reactions and {dead} dead letters were given up")

    return _on_outbox(settings, give_up)


def resend(settings: Config, args: argparse.Namespace) -> int:
    async def again(finder: Database) -> None:
        async with finder.nobody() as tx:
            since = await tx.now() - timedelta(hours=args.hours)
            pattern = args.name.replace("_", r"\_").replace("*", "%") if args.name else None
            facts = await store.resend(tx, since, pattern)
        say(f"{facts} facts are sent again, under the ids that they had")

    return _on_outbox(settings, again)


def recount(settings: Config, _args: argparse.Namespace) -> int:
    async def run(urls: serving.Urls) -> int:
        finder = await Database.open(urls.serving, WORKER, size=1)
        database = await Database.open(urls.serving, APP, size=1)
        try:
            return await jobs.recount(finder, database)
        finally:
            await database.close()
            await finder.close()

    with serving.database(settings) as (urls, _), serving.answering():
        wrong = asyncio.run(run(urls))
    say(f"{wrong} shows were miscounted, and are right now" if wrong else "the participants of all shows are right")
    return 0


# --- dead letters


def dead(settings: Config, _args: argparse.Namespace) -> int:
    letters = asyncio.run(_dead(settings, (), None))
    for letter in letters:
        headers: dict[str, Any] = dict(letter.headers)
        print(f"{letter.message_id or 'without an id'}  {headers.get(KEY)}, died {headers.get(DIED_AT)}")
        print(f"    {headers.get(REASON)}")
        print(f"    {letter.body[:300].decode(errors='replace')}")
    say(f"{len(letters)} dead letters" if letters else "no dead letters")
    return 0


def replay(settings: Config, args: argparse.Namespace) -> int:
    letters = asyncio.run(_dead(settings, args.id, _put_back))
    say(f"{len(letters)} dead letters were put back into their queues")
    return 0


Deed = Callable[[AbstractChannel, AbstractIncomingMessage], Awaitable[None]]


async def _dead(settings: Config, ids: Sequence[UUID], deed: Deed | None) -> list[AbstractIncomingMessage]:
    """Looks at the dead letters; does something to those with these ids, or to all if none are given. The others, and
    those that nothing was done to, stay where they are.
    """
    if settings.amqp_url is None:
        raise OperatorError("There is no AMQP_URL, and so there are no dead letters.")
    names, chosen = consumers.topology(), {str(each) for each in ids}
    found: list[AbstractIncomingMessage] = []
    try:
        async with looking(settings.amqp_url, names) as channel, asyncio.timeout(60):
            queue = await channel.get_queue(names.dead, ensure=False)
            for _ in range(
                (await channel.declare_queue(names.dead, passive=True)).declaration_result.message_count or 0
            ):
                letter: Any = await queue.get(fail=False)
                if letter is None or len(found) == SHOWN_MAX:
                    break
                if not chosen or letter.message_id in chosen:
                    found.append(letter)
                    if deed:
                        await deed(channel, letter)
    except GONE as error:
        raise OperatorError(f"RabbitMQ does not answer: {error!r}") from None
    return found


async def _put_back(channel: AbstractChannel, letter: AbstractIncomingMessage) -> None:
    """Into the queue that it came from, and nowhere else: other consumers had no trouble with it."""
    headers = {name: value for name, value in letter.headers.items() if name not in (REASON, QUEUE, DIED_AT)}
    origin = str(letter.headers.get(QUEUE))
    await channel.default_exchange.publish(copy(letter, headers), origin, mandatory=True, timeout=CONFIRM_S)
    await letter.ack()


async def _let_go(_channel: AbstractChannel, letter: AbstractIncomingMessage) -> None:
    await letter.ack()


def _ago(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds))) if seconds else ""


def _on_outbox(settings: Config, work: Callable[[Database], Awaitable[None]]) -> int:
    async def run(urls: serving.Urls) -> None:
        finder = await Database.open(urls.serving, WORKER, size=1)
        try:
            await work(finder)
        finally:
            await finder.close()

    with serving.database(settings) as (urls, _), serving.answering():
        asyncio.run(run(urls))
    return 0
