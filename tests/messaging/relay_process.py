"""A process with relays and a consumer, to be killed at any moment.

    python -m tests.messaging.relay_process <database> <broker> <exchange> [hasty]

`hasty` is a mutant: it marks facts as sent when it has handed them over, without waiting for the broker's word.
"""

import asyncio
import sys
from collections.abc import Sequence

import uvloop

from fullhouse import wiring
from fullhouse.broker.consumers import JoinsConsumer, build_topology
from fullhouse.kit.db.database import APP, WORKER, Database
from fullhouse.kit.live.bus import Bus
from fullhouse.kit.messages.consumer import Consumer
from fullhouse.kit.messages.rabbitmq import Broker
from fullhouse.kit.messages.relay import Outcome, Outgoing, Relay


class Hasty(Broker):
    async def publish(self, batch: Sequence[Outgoing]) -> Outcome:
        self._later = asyncio.create_task(super().publish(batch))
        return Outcome(confirmed=[fact.id for fact in batch])


async def main(url: str, amqp_url: str, exchange: str, *mutant: str) -> None:
    finder = await Database.open(url, WORKER, size=3)
    database = await Database.open(url, APP, size=3, bus=Bus(url))
    broker = (Hasty if mutant else Broker)(amqp_url, build_topology(exchange))
    [queue] = broker.topology.queues
    joins = Consumer(amqp_url, broker, queue, JoinsConsumer(database, wiring.ASYNC).handle)
    await asyncio.gather(Relay(finder, broker).run(), Relay(finder, broker).run(), joins.run())


if __name__ == "__main__":
    uvloop.run(main(*sys.argv[1:]))
