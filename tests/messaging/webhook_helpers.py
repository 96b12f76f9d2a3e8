"""An organisation with webhooks, and the worker's part played by the test."""

import base64
import hashlib
import hmac
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
import pytest

from fullhouse.kit.actors import SYSTEM
from fullhouse.kit.http.safe_http import SafeHttpClient
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages.outbox import Message
from fullhouse.kit.services import Services
from fullhouse.webhooks import actions, store
from fullhouse.webhooks.jobs import Sender
from fullhouse.webhooks.model import Delivery, NewWebhook, Webhook, WebhookWithSecret
from tests.fixtures import Tenant
from tests.kit.receiver import Posted, Receiver, receiving

WAITING = """
SELECT id, payload, execute_after - created AS pause FROM jobs.queue
WHERE entrypoint = $1 AND convert_from(payload, 'UTF8')::jsonb ->> 'organization_id' = $2 ORDER BY id
"""


class Job(NamedTuple):
    id: int
    pause: timedelta
    payload: dict[str, Any]


class House:
    """`at_home` may call the loopback: development's setting."""

    def __init__(self, services: Services, tenant: Tenant, owner: Any, at_home: SafeHttpClient) -> None:
        self.services, self.tenant, self.owner, self.at_home = services, tenant, owner, at_home
        self.sender = Sender(services.keyring, at_home)

    def tx(self) -> Any:
        return self.services.database.tenant(self.tenant.id, SYSTEM)

    async def webhook(self, url: str, *events: str, **more: Any) -> WebhookWithSecret:
        async with self.tx() as tx:
            wish = NewWebhook(url=url, events=list(events) or ["*"], **more)
            return await actions.create_webhook(tx, self.services.keyring, self.at_home, wish)

    async def tell(self, name: str = "event.published", **payload: Any) -> Message:
        """A fact, as the relay would hand it on."""
        subject = new_id()
        message = Message(
            id=new_id(),
            organization_id=self.tenant.id,
            name=name,
            subject_id=subject,
            version=1,
            payload={"version": 1, "subject_id": str(subject), **payload},
            created_at=datetime.now(UTC),
        )
        await self.react(message)
        return message

    async def react(self, message: Message) -> None:
        async with self.tx() as tx:
            await actions.enqueue_deliveries(tx, message)

    async def waiting(self) -> list[Job]:
        rows = await self.owner.fetch(WAITING, actions.JOB, str(self.tenant.id))
        return [Job(row["id"], row["pause"], msgspec.json.decode(row["payload"])["payload"]) for row in rows]

    async def take(self) -> list[Job]:
        """All jobs that wait, however long they still would."""
        jobs = await self.waiting()
        await self.owner.execute("DELETE FROM jobs.queue WHERE id = ANY ($1)", [job.id for job in jobs])
        return jobs

    async def work(self, sender: Sender | None = None) -> int:
        """Runs them; returns how many there were."""
        jobs = await self.take()
        for job in jobs:
            await self.run(job, sender)
        return len(jobs)

    async def run(self, job: Job, sender: Sender | None = None) -> None:
        await (sender or self.sender).deliver(self.services.database, self.tenant.id, job.payload)

    async def log(self, webhook: Webhook) -> list[Delivery]:
        async with self.tx() as tx:
            return await store.list_deliveries(
                tx, webhook_id=webhook.id, status=None, after_at=None, after_id=None, limit=100
            )

    async def only(self, webhook: Webhook) -> Delivery:
        [delivery] = await self.log(webhook)
        return delivery

    async def see(self, webhook: Webhook) -> Webhook:
        async with self.tx() as tx:
            return await actions.get_webhook(tx, webhook.id)

    async def audited(self, action: str, entity_id: UUID) -> int:
        return int(
            await self.owner.fetchval(
                "SELECT count(*) FROM audit_log WHERE organization_id = $1 AND action = $2 AND entity_id = $3",
                self.tenant.id,
                action,
                entity_id,
            )
        )


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as opened:
        yield opened


@pytest.fixture
async def at_home() -> AsyncIterator[SafeHttpClient]:
    opened = SafeHttpClient(private=True)
    yield opened
    await opened.close()


@pytest.fixture
async def hasty(services: Services) -> AsyncIterator[Sender]:
    """Has less patience: for receivers that never come to an end."""
    opened = SafeHttpClient(private=True, deadline_s=2)
    yield Sender(services.keyring, opened)
    await opened.close()


@pytest.fixture
def house(services: Services, tenant: Tenant, owner: Any, at_home: SafeHttpClient) -> House:
    return House(services, tenant, owner, at_home)


def verified_by(posted: Posted, *secrets: str) -> list[str]:
    """Which of the secrets signed this: by the book, and by nothing of ours."""
    signed = f"{posted.headers['webhook-id']}.{posted.headers['webhook-timestamp']}.".encode() + posted.body
    offered = posted.headers["webhook-signature"].split(" ")
    found = []
    for secret in secrets:
        key = base64.b64decode(secret.removeprefix("whsec_"))
        signature = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        if f"v1,{signature}" in offered:
            found.append(secret)
    return found
