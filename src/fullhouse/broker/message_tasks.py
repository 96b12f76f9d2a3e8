"""What every worker runs for messages: async handlers always; relays and consumers if `AMQP_URL` is set."""

from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from fullhouse.broker.consumers import JoinsConsumer, build_topology
from fullhouse.kit.db.database import WORKER, Database
from fullhouse.kit.messages.async_handlers import AsyncHandlers
from fullhouse.kit.messages.consumer import Consumer
from fullhouse.kit.messages.outbox import AsyncHandler, Fact, FactFilter
from fullhouse.kit.messages.rabbitmq import Broker, Topology
from fullhouse.kit.messages.relay import Hint, Relay
from fullhouse.kit.services import Services

RELAYS = 2  # while one waits for the broker, the other one queries the database
Work = Callable[[], Coroutine[Any, Any, None]]


@asynccontextmanager
async def open_message_tasks(
    services: Services,
    amqp_url: str | None,
    to: Mapping[type[Fact], Sequence[AsyncHandler]],
    to_all: Mapping[AsyncHandler, FactFilter] | None = None,
    names: Topology | None = None,
) -> AsyncIterator[dict[str, Work]]:
    """The tasks to run until cancelled, by name."""
    async with AsyncExitStack() as open_now:
        # Connections of their own: a round holds one while it waits for the broker.
        finder = await Database.open(services.url, WORKER, size=RELAYS + 2)
        open_now.push_async_callback(finder.close)
        hint = Hint()
        # Nearly every commit publishes something on the bus: any message is a reason to look at the outbox.
        open_now.callback(services.bus.subscribe("*", hint.set))
        work: dict[str, Work] = {"reactions": AsyncHandlers(finder, services.database, to, to_all, hint).run}
        if amqp_url:
            broker = Broker(amqp_url, names or build_topology())
            open_now.push_async_callback(broker.stop)
            work |= {f"relay {n}": Relay(finder, broker, hint).run for n in range(1, RELAYS + 1)}
            joins = JoinsConsumer(services.database, to, to_all or ())
            [queue] = broker.topology.queues
            work["joins"] = Consumer(amqp_url, broker, queue, joins.handle).run
        yield work
