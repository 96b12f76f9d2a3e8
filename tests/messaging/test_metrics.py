"""A worker on its own shows what waits, whether it leads any loop or not."""

import asyncio
import os
import sys
from pathlib import Path

import httpx

from tests.fixtures import SECRET_KEY
from tests.messaging.helpers import until
from tests.services.client import ask
from tests.services.servers import free_port

SHOWN = (
    'fullhouse_outbox_waiting{what="operator"}',
    'fullhouse_outbox_age_seconds{what="broker"}',
    "fullhouse_facts_sent_total",
    'fullhouse_emails_waiting{status="waiting"}',
    'fullhouse_emails_waiting{status="given_up"}',
    "fullhouse_emails_age_seconds",
)


async def test_two_workers_on_their_own_both_show_what_waits(tmp_path: Path) -> None:
    url = ask("database", f"metrics_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}")["server_url"]
    ports = [free_port(), free_port()]
    environment = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    environment |= {"DATABASE_URL": url, "FULLHOUSE_SECRET_KEY": SECRET_KEY, "FULLHOUSE_HOME": str(tmp_path)}
    command = sys.executable, "-m", "fullhouse", "worker"
    workers = [
        await asyncio.create_subprocess_exec(*command, env=environment | {"FULLHOUSE_METRICS_PORT": str(port)})
        for port in ports
    ]
    try:
        for port in ports:
            await until(lambda port=port: _shows(port), "its backlog is there")  # type: ignore[misc]
    finally:
        for worker in workers:
            worker.kill()
            await worker.wait()


async def _shows(port: int) -> bool:
    async with httpx.AsyncClient() as client:
        try:
            text = (await client.get(f"http://127.0.0.1:{port}/metrics")).text
        except httpx.TransportError:
            return False
    return all(f"\n{name}" in text for name in SHOWN)
