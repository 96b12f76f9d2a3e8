"""What operators see of mail: in /metrics, and by `fullhouse messages status`."""

from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import pytest

from fullhouse.broker import jobs
from fullhouse.kit.db.database import WORKER, Database
from fullhouse.kit.mail.mailer import Mailer
from fullhouse.kit.telemetry import telemetry
from tests.kit.mailroom import SENDER, Mailroom, room, smtp, words
from tests.kit.smtp import Smtp

__all__ = ["room", "smtp", "words"]  # fixtures
pytestmark = pytest.mark.req("OBS-1", "OPS-3")


@pytest.fixture
async def finder(server_url: str) -> AsyncIterator[Database]:
    database = await Database.open(server_url, WORKER, size=1)
    yield database
    await database.close()


class Shown:
    """The page of metrics, as differences from when the test began: others have written, too."""

    def __init__(self, finder: Database) -> None:
        self._finder = finder
        self._before: dict[str, float] = {}

    async def begin(self) -> None:
        self._before = await self._read()

    async def now(self) -> dict[str, float]:
        return {
            name: value - self._before.get(name, 0)
            for name, value in (await self._read()).items()
            if value != self._before.get(name, 0)
        }

    async def _read(self) -> dict[str, float]:
        await jobs.update_gauges(self._finder, broker=False)
        found = telemetry.read_samples("fullhouse_emails_waiting", "fullhouse_email_attempts")
        return {
            sample.labels.get("status") or f"tries {sample.labels['outcome']}": sample.value
            for samples in found.values()
            for sample in samples
            if not sample.name.endswith("_created")
        }


async def test_waiting_sent_refused_delayed_and_given_up(
    room: Mailroom, smtp: Smtp, finder: Database, owner: Any
) -> None:
    shown = Shown(finder)
    await shown.begin()
    smtp.refuse = {"bad@example.org": "550 no such person", "full@example.org": "452 mailbox full"}
    ids = await room.post("ada@example.org", "bad@example.org", "full@example.org")
    assert await shown.now() == {"waiting": 3}
    assert (await jobs.read_mail_backlog(finder)).oldest_s > 0

    with suppress(Exception):  # the job is tried again because of the one
        await room.deliver(Mailer(smtp.url, SENDER), ids)
    assert await shown.now() == {"delayed": 1, "tries sent": 1, "tries rejected": 1, "tries retry_scheduled": 1}

    await owner.execute("UPDATE jobs.queue SET status = 'failed' WHERE dedupe_key = $1", f"mail:{ids[0]}")
    assert (await shown.now())["given_up"] == 1
    assert "delayed" not in await shown.now()

    await owner.execute("UPDATE jobs.queue SET status = 'queued' WHERE dedupe_key = $1", f"mail:{ids[0]}")
    smtp.refuse.clear()
    await room.deliver(Mailer(smtp.url, SENDER), ids)
    assert await shown.now() == {"tries sent": 2, "tries rejected": 1, "tries retry_scheduled": 1}
    await owner.execute("DELETE FROM jobs.queue WHERE dedupe_key = $1", f"mail:{ids[0]}")
