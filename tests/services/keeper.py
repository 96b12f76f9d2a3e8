"""The process that keeps a test run's servers: starts each when first asked, stops all when its stdin closes.

The run holds the other end of that stdin, so however the run ends (even by kill -9) the keeper cleans up after it.
It starts Redis and RabbitMQ from its main thread, because they die with the thread that started them.

    python -m tests.services.keeper <descriptor of the listening socket> <folder>
"""

import asyncio
import json
import shutil
import signal
import socket
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import asyncpg

from fullhouse.kit.db.migrate import migrate
from fullhouse.kit.postgres import Cluster
from tests.services import servers

TEMPLATE = "fullhouse_template"
# Durability is tested by the fault tests, on clusters of their own.
POSTGRES_SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "400",
    "max_wal_size": "1GB",  # it may be in memory
}

Answer = dict[str, str]


class Keeper:
    def __init__(self, home: Path) -> None:
        self.home = home
        self.cluster = Cluster(self._folder("postgres"), settings=POSTGRES_SETTINGS)
        self.stops: list[Callable[[], object]] = []
        self.answers: dict[str, asyncio.Task[Answer]] = {}
        self.makers: dict[str, Callable[..., Awaitable[Answer]]] = {
            "postgres": self.postgres,
            "template": self.template,
            "database": self.database,
            "redis": self.redis,
            "rabbitmq": self.rabbitmq,
        }

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            answer = await self.answer((await reader.readline()).decode().strip())
        except servers.Missing as missing:
            answer = {"missing": str(missing)}
        except Exception as error:
            answer = {"failed": f"{type(error).__name__}: {error}"}
        writer.write(json.dumps(answer).encode())
        writer.close()

    async def answer(self, question: str) -> Answer:
        """Each question is worked out once, however many workers ask it."""
        if question not in self.answers:
            name, *arguments = question.split()
            self.answers[question] = asyncio.ensure_future(self.makers[name](*arguments))
        return await asyncio.shield(self.answers[question])

    async def postgres(self) -> Answer:
        self.stops.append(self.cluster.stop)
        await asyncio.to_thread(self.cluster.start)
        return {"url": self.cluster.url()}

    async def template(self) -> Answer:
        await self._create_database(TEMPLATE)
        await migrate(self.cluster.url(database=TEMPLATE))
        return {}

    async def database(self, name: str) -> Answer:
        await self.answer("template")
        await self._create_database(name, TEMPLATE)
        return {
            "owner_url": self.cluster.url(database=name),
            "server_url": self.cluster.url(user="fullhouse_server", database=name),
        }

    async def redis(self) -> Answer:
        return self._keep(await servers.redis(self._folder("redis")))

    async def rabbitmq(self) -> Answer:
        return self._keep(await servers.rabbitmq(self._folder("rabbitmq")))

    async def _create_database(self, name: str, template: str = "template1") -> None:
        await self.answer("postgres")
        connection = await asyncpg.connect(self.cluster.url())
        try:
            await connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        finally:
            await connection.close()

    def _folder(self, name: str) -> Path:
        folder = self.home / name
        folder.mkdir(mode=0o755)
        return folder

    def _keep(self, server: servers.Server) -> Answer:
        self.stops.append(server.stop)
        return {"url": server.url}

    def close(self) -> None:
        for stop in reversed(self.stops):
            stop()


async def keep(listener: socket.socket, home: Path) -> None:
    keeper, ended, loop = Keeper(home), asyncio.Event(), asyncio.get_running_loop()
    loop.add_reader(sys.stdin, ended.set)  # nobody ever writes to it, so this is its end
    loop.add_signal_handler(signal.SIGTERM, ended.set)
    door = await asyncio.start_unix_server(keeper.serve, sock=listener)
    try:
        await ended.wait()
    finally:
        door.close()
        keeper.close()


if __name__ == "__main__":
    folder = Path(sys.argv[2])
    try:
        asyncio.run(keep(socket.socket(fileno=int(sys.argv[1])), folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
