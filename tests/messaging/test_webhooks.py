"""Webhooks over HTTP: who may have one, which addresses, when its secret is shown; the test button and the log."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from fullhouse.cli import doctor
from fullhouse.config import ConfigError, load
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.webhooks import policy
from fullhouse.webhooks.model import TooManyWebhooks
from tests.accounts.helpers import audited, data, make_key, refused
from tests.counts import Counts
from tests.fixtures import Client, Tenant, run_application, settings
from tests.kit.receiver import Receiver, answer
from tests.messaging.webhook_helpers import House, at_home, house, receiver, verified_by

__all__ = ["at_home", "house", "receiver"]  # fixtures
pytestmark = pytest.mark.req("MSG-5")

PATH = "/api/org/webhooks"
URL = "https://93.184.215.14/hook"  # an address, so that no name is looked up; nothing is ever sent there
GOOD: dict[str, Any] = {"url": URL, "events": ["event.*", "venue.changed"], "description": "Our CRM"}


@pytest.fixture
def mine(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["owner"])


@pytest.fixture
async def developer(server_url: str, owner_url: str, tmp_path: Path, tenant: Tenant) -> AsyncIterator[Client]:
    """The owner, in an application that may call the loopback."""
    config = settings(server_url, owner_url, str(tmp_path), FULLHOUSE_WEBHOOKS_PRIVATE="yes")
    async with run_application(config) as running, Client(running, tenant.tokens["owner"]) as client:
        yield client


# --- made, read, changed, deleted


async def test_a_webhook_from_beginning_to_end(mine: Client, tenant: Tenant, owner: Any) -> None:
    answered = await mine.post(PATH, json=GOOD)
    made = data(answered, 201)
    assert answered.headers["location"] == f"{PATH}/{made['id']}"
    assert made["secret"].startswith("whsec_")
    assert (made["enabled"], made["failures"], made["disabled_because"]) == (True, 0, None)
    secret = made.pop("secret")

    read = await mine.get(f"{PATH}/{made['id']}")
    assert data(read) == made
    assert data(await mine.get(PATH)) == [made]

    change = {"events": ["*"], "enabled": False, "description": ""}
    changed = data(await mine.patch(f"{PATH}/{made['id']}", json=change, headers={"if-match": read.headers["etag"]}))
    assert {name: changed[name] for name in change} == change
    stale = await mine.patch(f"{PATH}/{made['id']}", json={"enabled": True}, headers={"if-match": read.headers["etag"]})
    assert refused(stale) == (412, "stale_version")

    rotated = data(await mine.post(f"{PATH}/{made['id']}/secret"), 201)
    assert rotated["secret"] != secret
    assert rotated["previous_secret_until"]

    assert (await mine.delete(f"{PATH}/{made['id']}")).status_code == 204
    assert refused(await mine.get(f"{PATH}/{made['id']}")) == (404, "not_found")
    for action in ("created", "updated", "secret_rotated", "deleted"):
        [row] = await audited(owner, tenant, f"webhook.{action}")
        assert secret not in str(row)
        assert rotated["secret"] not in str(row)


async def test_the_same_request_again_is_the_same_webhook_and_secret(mine: Client) -> None:
    key = {"idempotency-key": "once"}
    first, again = [await mine.post(PATH, json=GOOD, headers=key) for _ in range(2)]
    assert data(first, 201) == data(again, 201)
    assert len(data(await mine.get(PATH))) == 1


async def test_a_change_of_nothing_changes_nothing(mine: Client, tenant: Tenant, owner: Any) -> None:
    made = data(await mine.post(PATH, json=GOOD), 201)
    same = data(await mine.patch(f"{PATH}/{made['id']}", json={"url": URL, "events": GOOD["events"]}))
    assert same["version"] == made["version"]
    assert await audited(owner, tenant, "webhook.updated") == []


async def test_a_key_with_the_scope_may(client: Client, services: Services, tenant: Tenant) -> None:
    reader = client.as_((await make_key(services, tenant, "webhooks:read")).token)
    writer = client.as_((await make_key(services, tenant, "webhooks:write")).token)
    assert refused(await reader.post(PATH, json=GOOD)) == (403, "forbidden")
    made = data(await writer.post(PATH, json=GOOD), 201)
    assert data(await reader.get(f"{PATH}/{made['id']}"))["url"] == URL


async def test_there_are_so_many_and_no_more(house: House) -> None:
    for _ in range(policy.WEBHOOKS_MAX):
        await house.webhook("http://127.0.0.1/")
    with pytest.raises(TooManyWebhooks):
        await house.webhook("http://127.0.0.1/")


# --- what is refused

ADDRESSES = (
    "http://93.184.215.14/", "https://127.0.0.1/", "https://localhost/", "https://[::1]/", "https://10.1.2.3/",
    "https://169.254.169.254/latest/meta-data", "https://[fd00:ec2::254]/", "https://[::ffff:10.0.0.1]/",
    "https://100.100.100.200/", "https://0/", "https://127.1/", "https://2130706433/", "https://me@93.184.215.14/",
    "https://93.184.215.14:22/", "ftp://93.184.215.14/", "https://", "nonsense", "https://name.invalid/",
)  # fmt: skip
BODIES: dict[str, tuple[dict[str, Any], str, str]] = {
    "no filter": ({**GOOD, "events": []}, "invalid", "events"),
    "a fact that is none": ({**GOOD, "events": ["event.*", "event.publishd"]}, "unknown_fact", "events[1]"),
    "a family that is none": ({**GOOD, "events": ["evnt.*"]}, "unknown_fact", "events[0]"),
    "a filter in the middle": ({**GOOD, "events": ["*.published"]}, "invalid", "events[0]"),
    "a number": ({**GOOD, "events": [1]}, "invalid", "events[0]"),
    "a secret of one's own": ({**GOOD, "secret": "whsec_AAAA"}, "unknown_field", "secret"),
    "an organisation": ({**GOOD, "organization_id": str(new_id())}, "unknown_field", "organization_id"),
    "no address": ({"events": ["*"]}, "invalid", "url"),
    "an endless address": ({**GOOD, "url": "https://93.184.215.14/" + "x" * 2000}, "invalid", "url"),
    "an endless description": ({**GOOD, "description": "x" * 201}, "invalid", "description"),
    "a word for enabled": ({**GOOD, "enabled": "yes"}, "invalid", "enabled"),
}


@pytest.mark.parametrize("url", ADDRESSES)
async def test_addresses_that_are_refused(mine: Client, owner: Any, url: str) -> None:
    made = data(await mine.post(PATH, json=GOOD), 201)
    async with Counts(owner).unchanged():
        for answered in (
            await mine.post(PATH, json={**GOOD, "url": url}),
            await mine.patch(f"{PATH}/{made['id']}", json={"url": url}),
        ):
            assert refused(answered) == (422, "address_refused")
            assert [field["path"] for field in answered.json()["fields"]] == ["url"]
    assert data(await mine.get(f"{PATH}/{made['id']}"))["url"] == URL


@pytest.mark.parametrize("name", BODIES)
async def test_bodies_that_are_refused(mine: Client, owner: Any, name: str) -> None:
    body, code, place = BODIES[name]
    async with Counts(owner).unchanged():
        answered = await mine.post(PATH, json=body)
        assert refused(answered) == (422, code)
        assert place in [field["path"] for field in answered.json()["fields"]]


# --- the test button


async def test_the_test_button_tells_what_came_of_it(developer: Client, receiver: Receiver, owner: Any) -> None:
    made = data(await developer.post(PATH, json={**GOOD, "url": receiver.url, "enabled": False}), 201)
    receiver.script = [answer(202, b"thanks"), answer(410, b"bye")]
    good, bad = [data(await developer.post(f"{PATH}/{made['id']}/test")) for _ in range(2)]
    assert (good["status"], good["response_status"], good["response_body"]) == ("delivered", 202, "thanks")
    assert (bad["status"], bad["response_status"], bad["next_try_at"]) == ("failed", 410, None)
    assert {good["type"], bad["type"]} == {"webhook.test"}
    assert [verified_by(posted, made["secret"]) for posted in receiver.posted] == [[made["secret"]]] * 2
    assert data(await developer.get(f"{PATH}/{made['id']}/deliveries")) == [bad, good]
    # It counts neither for nor against the webhook, and is not tried again.
    assert data(await developer.get(f"{PATH}/{made['id']}"))["failures"] == 0
    waiting = "SELECT count(*) FROM jobs.queue WHERE convert_from(payload, 'UTF8') LIKE '%' || $1 || '%'"
    assert await owner.fetchval(waiting, made["id"]) == 0


async def test_the_test_button_does_not_reach_home(mine: Client, house: House, receiver: Receiver) -> None:
    made = await house.webhook(receiver.url.replace("http:", "https:"))  # as if its name had moved since
    outcome = data(await mine.post(f"{PATH}/{made.id}/test"))
    assert (outcome["status"], outcome["response_status"]) == ("failed", None)
    assert outcome["error"] == "The host name does not resolve to public addresses."
    assert receiver.connections == 0


# --- the log


async def test_the_log_has_pages_and_a_filter(mine: Client, house: House, receiver: Receiver) -> None:
    made = await house.webhook(receiver.url)
    for _ in range(5):
        await house.tell()
    receiver.script = [answer(500), answer(204)]
    jobs = await house.take()
    for job in jobs[:2]:
        await house.run(job)
    path = f"{PATH}/{made.id}/deliveries"
    seen: list[str] = []
    cursor = ""
    while True:
        page = (await mine.get(f"{path}?limit=2{cursor}")).json()
        seen += [row["id"] for row in page["data"]]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert seen == [str(delivery.id) for delivery in await house.log(made)]
    assert len(seen) == 5
    assert [row["id"] for row in data(await mine.get(f"{path}?status=delivered"))] == [jobs[1].payload["delivery_id"]]
    assert refused(await mine.get(f"{path}?status=lost")) == (422, "invalid")
    assert made.secret not in (await mine.get(path)).text


async def test_redelivery_begins_anew_under_the_same_id(mine: Client, house: House, receiver: Receiver) -> None:
    made = await house.webhook(receiver.url)
    await house.tell()
    await house.work()
    delivery = await house.only(made)
    again = data(await mine.post(f"{PATH}/{made.id}/deliveries/{delivery.id}/redeliver"), 202)
    assert (again["status"], again["attempts"]) == ("pending", 1)
    assert await house.work() == 1
    first, second = receiver.posted
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert ((await house.only(made)).status, (await house.only(made)).attempts) == ("delivered", 2)
    assert await house.audited("webhook.redelivered", delivery.id) == 1


async def test_redelivery_does_not_wait_for_the_next_try(mine: Client, house: House, receiver: Receiver) -> None:
    """The job of the try that was to come later finds its number gone."""
    made = await house.webhook(receiver.url)
    receiver.otherwise = answer(500)
    await house.tell()
    await house.work()
    delivery = await house.only(made)
    data(await mine.post(f"{PATH}/{made.id}/deliveries/{delivery.id}/redeliver"), 202)
    later, now = await house.waiting()
    assert later.pause > now.pause
    assert await house.work() == 2
    assert len(receiver.posted) == 2
    assert ((await house.only(made)).status, (await house.only(made)).attempts) == ("pending", 2)
    assert len(await house.waiting()) == 1


async def test_nothing_is_redelivered_to_a_disabled_webhook_or_through_another(
    mine: Client, house: House, receiver: Receiver
) -> None:
    made, another = await house.webhook(receiver.url), await house.webhook(receiver.url, "venue.changed")
    await house.tell()
    await house.work()
    delivery = await house.only(made)
    wrong = await mine.post(f"{PATH}/{another.id}/deliveries/{delivery.id}/redeliver")
    assert refused(wrong) == (404, "not_found")
    data(await mine.patch(f"{PATH}/{made.id}", json={"enabled": False}))
    assert refused(await mine.post(f"{PATH}/{made.id}/deliveries/{delivery.id}/redeliver")) == (409, "webhook_disabled")
    assert await house.waiting() == []


# --- the operator's word


async def test_private_addresses_are_the_operators_decision_and_doctor_says_so() -> None:
    assert not load({}).webhooks_private
    with pytest.raises(ConfigError, match="FULLHOUSE_WEBHOOKS_PRIVATE"):
        load({"FULLHOUSE_WEBHOOKS_PRIVATE": "maybe"})
    assert (await doctor._check_webhooks(load({}))).state == doctor.OK
    assert (await doctor._check_webhooks(load({"FULLHOUSE_WEBHOOKS_PRIVATE": "yes"}))).state == doctor.WARNING
