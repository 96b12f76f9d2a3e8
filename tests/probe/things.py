"""What a house has before anything is sold: people, keys, venues, shows, letters and webhooks."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from fullhouse.accounts import actions
from fullhouse.accounts.model import CreateApiKey, GrantMembership, Invite
from fullhouse.events import actions as events
from fullhouse.events.model import NewEvent, NewGate, NewVenue
from fullhouse.events.policy import Move
from fullhouse.events.venues import actions as venues
from fullhouse.kit.http.safe_http import SafeHttpClient
from fullhouse.kit.mail import mailbox
from fullhouse.kit.services import Services
from fullhouse.mail.samples import SAMPLES
from fullhouse.webhooks import actions as webhooks
from fullhouse.webhooks import deliveries
from fullhouse.webhooks.model import NewWebhook
from tests.events.helpers import make_picture
from tests.fixtures import Tenant
from tests.probe.probe import Make, Named

VENUE: dict[str, Any] = {"name": "Hall", "city": "Gent", "country": "BE", "timezone": "Europe/Brussels"} | {
    "address": "Kouter 1, Gent"
}


async def an_api_key(services: Services, tenant: Tenant) -> UUID:
    async with services.database.tenant(tenant.id) as tx:
        return (await actions.create_api_key(tx, tenant.principal("owner"), CreateApiKey("k", ["org:read"]))).id


async def an_invitation(services: Services, tenant: Tenant) -> UUID:
    async with services.database.tenant(tenant.id) as tx:
        wish = Invite("new@example.org", "staff")
        return (await actions.invite(tx, tenant.principal("owner"), wish)).id


async def a_membership(services: Services, tenant: Tenant) -> UUID:
    async with services.database.tenant(tenant.id) as tx:
        return (await actions.grant_membership(tx, GrantMembership("m@example.org", "M", "friends", "1"))).id


async def a_member(services: Services, tenant: Tenant) -> UUID:
    return tenant.people["staff"].id


async def a_venue(services: Services, tenant: Tenant) -> UUID:
    async with services.database.tenant(tenant.id) as tx:
        wish = NewVenue(**VENUE)
        return (await venues.create_venue(tx, tenant.principal("owner"), wish)).id


async def a_gate(services: Services, tenant: Tenant) -> UUID:
    venue_id = await a_venue(services, tenant)
    async with services.database.tenant(tenant.id) as tx:
        wish = NewGate(gate_code="GATE_A", name="A")
        return (await venues.create_gate(tx, tenant.principal("owner"), venue_id, wish)).id


async def an_event(services: Services, tenant: Tenant) -> UUID:
    venue_id = await a_venue(services, tenant)
    async with services.database.tenant(tenant.id) as tx:
        now = await tx.now()
        wish = NewEvent(
            venue_id=venue_id,
            name="Show",
            description="A show.",
            category="theatre",
            start_at=now + timedelta(days=9),
            end_at=now + timedelta(days=9, hours=2),
            cover_image_ids=[await make_picture(tx)],
        )
        return (await events.create_event(tx, tenant.principal("owner"), wish)).id


def an_event_that(*moves: Move) -> Make:
    async def make(services: Services, tenant: Tenant) -> UUID:
        event_id = await an_event(services, tenant)
        async with services.database.tenant(tenant.id) as tx:
            for move in moves:
                await events.move_event(tx, event_id, move, reason="a test")
        return event_id

    return make


async def a_mail(services: Services, tenant: Tenant) -> UUID:
    async with services.database.tenant(tenant.id) as tx:
        mail_id = await mailbox.enqueue_email(tx, "ada@example.org", SAMPLES["event_cancelled"])
        assert mail_id
        return mail_id


async def a_letter(services: Services, tenant: Tenant) -> tuple[str]:
    return ("event_cancelled",)


async def a_webhook(services: Services, tenant: Tenant) -> UUID:
    outward = SafeHttpClient(private=True)  # the application's own refuses to call it: no probe leaves the house
    async with services.database.tenant(tenant.id) as tx:
        wish = NewWebhook(url="https://127.0.0.1:1/", events=["*"])
        made = await webhooks.create_webhook(tx, services.keyring, outward, wish)
    await outward.close()
    return made.id


async def a_delivery(services: Services, tenant: Tenant) -> Named:
    webhook_id, who = await a_webhook(services, tenant), tenant.principal("owner")
    made = await deliveries.send_test(services.database, services.keyring, services.safe_http, who, webhook_id)
    return webhook_id, made.id


async def an_organization(services: Services, tenant: Tenant) -> UUID:
    return tenant.id
