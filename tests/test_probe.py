"""The probe: every route and verb, as nobody, as the wrong role, as another tenant. Generated from the route table.

A route has a row in PROBES or it fails the suite: whoever adds one says who must not use it, and how to call it.
"""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
import pytest
from litestar.routes import HTTPRoute

from fullhouse import app as application
from fullhouse.accounts import actions, passwords, policy, store
from fullhouse.accounts.model import CreateApiKey, GrantMembership, Invite
from fullhouse.checkout import actions as checkouts
from fullhouse.checkout import order_actions as purchases
from fullhouse.checkout import waitlist_actions as waitlist
from fullhouse.checkout.model import Buyer, Purchase, StartCheckout
from fullhouse.checkout.model import Item as CheckoutItem
from fullhouse.checkout.till import Till
from fullhouse.checkout.waitlist_model import JoinList
from fullhouse.events import actions as events
from fullhouse.events import venue_actions as venues
from fullhouse.events.model import NewEvent, NewGate, NewVenue
from fullhouse.events.policy import Move
from fullhouse.holds.engine import Engine, Want
from fullhouse.kit import mail
from fullhouse.kit.http.lane import Lane
from fullhouse.kit.ids import new_id
from fullhouse.kit.outward import Outward
from fullhouse.kit.services import Services
from fullhouse.messaging import webhook_actions as webhooks
from fullhouse.messaging import webhook_delivery_actions as deliveries
from fullhouse.messaging.mail_samples import SAMPLES
from fullhouse.messaging.webhook_model import NewWebhook
from fullhouse.payments.provider_actions import Providers
from fullhouse.queue import actions as queue
from fullhouse.queue import policy as queue_policy
from fullhouse.scanning import device_actions as scanners
from fullhouse.scanning.model import NewDevice, NewPairing, Pair
from fullhouse.seating import actions as layouts
from fullhouse.seating import overlay_actions as overlays
from fullhouse.seating import relocation_actions as relocations
from fullhouse.seating.chart import seat_id
from fullhouse.seating.model import AttachLayout, Layout, PlanMigration
from fullhouse.seating.plan import encode
from fullhouse.tickets import actions as tickets
from fullhouse.tickets import promo_actions as promos
from fullhouse.tickets import type_actions as types
from fullhouse.tickets.type_model import NewPromoCode, NewTicketType
from tests.counts import Counts
from tests.events.helpers import make_picture
from tests.fixtures import Client, Tenant, settings
from tests.holds.helpers import OnSale, wish
from tests.kit import samples
from tests.kit.sse import listening
from tests.seating.helpers import without_lounge

Named = UUID | tuple[UUID | str, ...]  # what stands in the path: one id, or all that it names
Make = Callable[[Services, Tenant], Awaitable[Named]]


class Probe(NamedTuple):
    """How to call a route so that only the right is missing. `thing` makes what the path's id names."""

    body: Any = None
    thing: Make | None = None
    public: bool = False
    needs_venue: bool = False
    file: bytes | None = None
    kind: str = "image/jpeg"
    query: str = ""  # `{}` in it is the thing
    fitting: Callable[[Services, Tenant, Named], Awaitable[Any]] | None = None  # a body that only this thing takes
    headers: dict[str, str] | None = None  # `{}` in one is another word each time
    everybodys: bool = False  # what the path names is no tenant's
    device: bool = False  # a paired scanner calls it


async def _api_key(services: Services, tenant: Tenant) -> UUID:
    async with services.database.tenant(tenant.id) as tx:
        return (await actions.create_api_key(tx, tenant.principal("owner"), CreateApiKey("k", ["org:read"]))).id


async def _invitation(services: Services, tenant: Tenant) -> UUID:
    async with services.database.tenant(tenant.id) as tx:
        wish = Invite("new@example.org", "staff")
        return (await actions.invite(tx, tenant.principal("owner"), wish)).id


async def _membership(services: Services, tenant: Tenant) -> UUID:
    async with services.database.tenant(tenant.id) as tx:
        return (await actions.grant_membership(tx, GrantMembership("m@example.org", "M", "friends", "1"))).id


async def _member(services: Services, tenant: Tenant) -> UUID:
    return tenant.people["staff"].id


async def _venue(services: Services, tenant: Tenant) -> UUID:
    async with services.database.tenant(tenant.id) as tx:
        wish = NewVenue(**VENUE)
        return (await venues.create_venue(tx, tenant.principal("owner"), wish)).id


async def _gate(services: Services, tenant: Tenant) -> UUID:
    venue_id = await _venue(services, tenant)
    async with services.database.tenant(tenant.id) as tx:
        wish = NewGate(gate_code="GATE_A", name="A")
        return (await venues.create_gate(tx, tenant.principal("owner"), venue_id, wish)).id


async def _event(services: Services, tenant: Tenant) -> UUID:
    venue_id = await _venue(services, tenant)
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


def _event_that(*moves: Move) -> Make:
    async def make(services: Services, tenant: Tenant) -> UUID:
        event_id = await _event(services, tenant)
        async with services.database.tenant(tenant.id) as tx:
            for move in moves:
                await events.move_event(tx, event_id, move)
        return event_id

    return make


async def _mail(services: Services, tenant: Tenant) -> UUID:
    async with services.database.tenant(tenant.id) as tx:
        mail_id = await mail.post(tx, "ada@example.org", SAMPLES["event_cancelled"])
        assert mail_id
        return mail_id


async def _letter(services: Services, tenant: Tenant) -> tuple[str]:
    return ("event_cancelled",)


async def _webhook(services: Services, tenant: Tenant) -> UUID:
    outward = Outward(private=True)  # the application's own refuses to call it: no probe leaves the house
    async with services.database.tenant(tenant.id) as tx:
        wish = NewWebhook(url="https://127.0.0.1:1/", events=["*"])
        made = await webhooks.create_webhook(tx, services.keyring, outward, wish)
    await outward.close()
    return made.id


async def _delivery(services: Services, tenant: Tenant) -> Named:
    webhook_id, who = await _webhook(services, tenant), tenant.principal("owner")
    made = await deliveries.send_test(services.database, services.keyring, services.outward, who, webhook_id)
    return webhook_id, made.id


async def _organization(services: Services, tenant: Tenant) -> UUID:
    return tenant.id


async def _draft_layout(services: Services, tenant: Tenant) -> UUID:
    venue_id = await _venue(services, tenant)
    async with services.database.tenant(tenant.id) as tx:
        return (await layouts.create_layout(tx, tenant.principal("owner"), venue_id, without_lounge)).id


async def _layout_for(services: Services, tenant: Tenant, event_id: UUID) -> Layout:
    """An active one, in the show's venue."""
    who = tenant.principal("owner")
    async with services.database.tenant(tenant.id, who.actor) as tx:
        venue_id = (await events.get_event(tx, event_id)).venue_id
        assert venue_id
        made = await layouts.create_layout(tx, who, venue_id, without_lounge)
        return await layouts.activate(tx, made.id)


async def _seated_event(services: Services, tenant: Tenant) -> UUID:
    event_id = await _event(services, tenant)
    layout = await _layout_for(services, tenant, event_id)
    async with services.database.tenant(tenant.id) as tx:
        await overlays.attach(tx, event_id, AttachLayout(layout_id=layout.id), None)
    return event_id


async def _event_on_sale(services: Services, tenant: Tenant) -> UUID:
    event_id = await _seated_event(services, tenant)
    async with services.database.tenant(tenant.id) as tx:
        await events.move_event(tx, event_id, Move.PUBLISH)
    return event_id


async def _event_with_waitlist(services: Services, tenant: Tenant) -> UUID:
    """Nothing is sold there yet, so that everybody waits: its owner too."""
    event_id, who = await _event_on_sale(services, tenant), tenant.principal("owner")
    async with services.database.tenant(tenant.id, who.actor) as tx:
        await waitlist.join(tx, services.keyring, who, event_id, JoinList())
    return event_id


def _event_with_queue(*orders: queue_policy.Order) -> Make:
    async def make(services: Services, tenant: Tenant) -> UUID:
        event_id = await _event_on_sale(services, tenant)
        owner = tenant.people["owner"].id
        async with services.database.tenant(tenant.id, tenant.principal("owner").actor) as tx:
            for order in orders:
                await queue.move(tx, services.keyring, event_id, order)
            await queue.admit_first(tx, event_id, [(owner, await tx.now())])
        return event_id

    return make


async def _seat_on_sale(services: Services, tenant: Tenant) -> Named:
    event_id = await _event_on_sale(services, tenant)
    async with services.database.tenant(tenant.id) as tx:
        return event_id, seat_id((await overlays.get_event_layout(tx, event_id)).layout_id, 3)


async def _hold(services: Services, tenant: Tenant) -> UUID:
    event_id, seat = await _seat_on_sale(services, tenant)  # type: ignore[misc]
    engine = Engine(services)
    sale = OnSale(UUID(str(event_id)), new_id(), {})
    (held,) = await engine.hold(tenant.id, wish(sale, tenant.people["owner"].id, Want(new_id(), UUID(str(seat)))))
    await engine.stop()
    assert held.hold_id
    return held.hold_id


async def _ticket_type(services: Services, tenant: Tenant) -> Named:
    event_id = await _event(services, tenant)
    async with services.database.tenant(tenant.id) as tx:
        return event_id, (await types.create_type(tx, event_id, NewTicketType(**TICKET_TYPE))).id


async def _promo_code(services: Services, tenant: Tenant) -> Named:
    event_id = await _event(services, tenant)
    async with services.database.tenant(tenant.id) as tx:
        return event_id, (await promos.create_promo(tx, event_id, NewPromoCode(**PROMO_CODE))).id


async def _event_with_charges(services: Services, tenant: Tenant) -> UUID:
    event_id = await _event(services, tenant)
    async with services.database.tenant(tenant.id) as tx:
        await promos.set_charges(tx, event_id, [], None)
    return event_id


async def _items_of(services: Services, tenant: Tenant, event: Named) -> Any:
    assert isinstance(event, UUID)
    async with services.database.tenant(tenant.id) as tx:
        overlay = await overlays.get_event_layout(tx, event)
    return {"items": [{"seat_id": seat_id(overlay.layout_id, 3)}, {"seat_id": seat_id(overlay.layout_id, 4)}]}


async def _items_to_buy(services: Services, tenant: Tenant, event_id: UUID) -> list[CheckoutItem]:
    """A seat that the owner holds, with a type that costs nothing."""
    engine = Engine(services)
    async with services.database.tenant(tenant.id) as tx:
        layout_id = (await overlays.get_event_layout(tx, event_id)).layout_id
        free = NewTicketType(name="Guest", price=0, currency="EUR", kind="seated")
        kind = await types.create_type(tx, event_id, free)
    sale = OnSale(event_id, layout_id, {})
    who = tenant.people["owner"].id
    (held,) = await engine.hold(tenant.id, wish(sale, who, Want(new_id(), seat_id(layout_id, 3))))
    await engine.stop()
    assert held.hold_id
    return [CheckoutItem(hold_id=held.hold_id, ticket_type_id=kind.id)]


async def _checkout_of(services: Services, tenant: Tenant, event: Named) -> Any:
    assert isinstance(event, UUID)
    return {"items": await _items_to_buy(services, tenant, event)}


async def _event_and_checkout(services: Services, tenant: Tenant) -> tuple[UUID, UUID]:
    event_id, who = await _event_on_sale(services, tenant), tenant.principal("owner")
    items = await _items_to_buy(services, tenant, event_id)
    async with services.database.tenant(tenant.id, who.actor) as tx:
        await queue.move(tx, services.keyring, event_id, "open")  # whoever holds seats then is inside
        session = await checkouts._start(tx, who, event_id, StartCheckout(items=items))
    return event_id, session.id


async def _event_with_checkout(services: Services, tenant: Tenant) -> UUID:
    return (await _event_and_checkout(services, tenant))[0]


async def _checkout(services: Services, tenant: Tenant) -> UUID:
    return (await _event_and_checkout(services, tenant))[1]


async def _order(services: Services, tenant: Tenant) -> UUID:
    services.parts.update({part: part(services) for part in (Providers, Till)})
    who, wish = tenant.principal("owner"), Purchase(provider="free", buyer=Buyer(name="O", email="o@example.org"))
    bought = await purchases.purchase(services, who, await _checkout(services, tenant), wish, "probe")
    return bought.order.id


async def _refused_refund(services: Services, tenant: Tenant) -> Named:
    """As if the order had cost something, and its provider would not give it back."""
    order_id, refund_id = await _order(services, tenant), new_id()
    async with services.database.tenant(tenant.id) as tx:
        await tx.execute(
            "INSERT INTO refunds (id, organization_id, attempt_id, order_id, event_id, amount, currency, status,"
            " reason) SELECT $1, organization_id, attempt_id, id, event_id, 1, currency, 'failed', 'Ill' FROM orders"
            " WHERE id = $2",
            refund_id, order_id,
        )  # fmt: skip
    return order_id, refund_id


async def _ticket(services: Services, tenant: Tenant) -> UUID:
    order_id = await _order(services, tenant)
    async with services.database.tenant(tenant.id) as tx:
        return (await tickets.tickets_of_order(tx, order_id))[0].id


async def _moved_ticket(services: Services, tenant: Tenant) -> UUID:
    ticket_id = await _ticket(services, tenant)
    async with services.database.tenant(tenant.id) as tx:
        event_id = (await tickets.get_ticket(tx, ticket_id)).event_id
        wish = PlanMigration(**await _migration_of(services, tenant, event_id))
        planned = await relocations.plan(tx, tenant.principal("owner"), event_id, wish)
        await tx.execute(MOVED, tenant.id, ticket_id, planned.id, event_id)
    return ticket_id


async def _new_device(services: Services, tenant: Tenant, event_id: UUID) -> NewDevice:
    """For a gate of the show's venue."""
    who = tenant.principal("owner")
    async with services.database.tenant(tenant.id, who.actor) as tx:
        venue_id = (await events.get_event(tx, event_id)).venue_id
        assert venue_id
        gate = await venues.create_gate(tx, who, venue_id, NewGate(gate_code="GATE_S", name="S"))
    return NewDevice(event_id=event_id, name="Scanner", gate_ids=[gate.id], rights=("scan", "search"))


async def _pairing(services: Services, tenant: Tenant, named: Named) -> Any:
    return await _new_device(services, tenant, await _event(services, tenant))


async def _device(services: Services, tenant: Tenant) -> UUID:
    return (await _add_device(services, tenant, await _event(services, tenant))).id


async def _add_device(services: Services, tenant: Tenant, event_id: UUID) -> NewPairing:
    wish = await _new_device(services, tenant, event_id)
    async with services.database.tenant(tenant.id) as tx:
        return await scanners.add(tx, tenant.principal("owner"), "http://house.test", wish)


async def _device_token(services: Services, tenant: Tenant) -> str:
    made = await _add_device(services, tenant, await _event(services, tenant))
    brought = Pair(organization=made.organization, code=made.code)
    return (await scanners.pair(services, tenant.principal("owner").actor, brought)).token


async def _scan(services: Services, tenant: Tenant) -> UUID:
    return (await _scan_and_incident(services, tenant))[0]


async def _incident(services: Services, tenant: Tenant) -> Named:
    return (await _scan_and_incident(services, tenant))[1:]


async def _scan_and_incident(services: Services, tenant: Tenant) -> tuple[UUID, UUID, UUID]:
    ticket_id, scan_id, incident_id = await _ticket(services, tenant), new_id(), new_id()
    async with services.database.tenant(tenant.id) as tx:
        event_id = (await tickets.get_ticket(tx, ticket_id)).event_id
        await tx.execute(
            "INSERT INTO scans (id, organization_id, event_id, ticket_id, device_id, gate_id, direction, admitted,"
            " test, at, day) VALUES ($1, $2, $3, $4, $1, $1, 'in', true, false, app.clock(), '2026-01-01')",
            scan_id, tenant.id, event_id, ticket_id,
        )  # fmt: skip
        await tx.execute(
            "INSERT INTO scan_incidents (id, organization_id, event_id, ticket_id, kind, first_scan_id, second_scan_id)"
            " VALUES ($1, $2, $3, $4, 'already_inside', $5, $5)",
            incident_id, tenant.id, event_id, ticket_id, scan_id,
        )  # fmt: skip
    return scan_id, event_id, incident_id


async def _proposal(services: Services, tenant: Tenant) -> UUID:
    order_id = await _order(services, tenant)
    async with services.database.tenant(tenant.id) as tx:
        await tx.execute(
            "UPDATE orders SET status = 'needs_consent', paid_at = NULL, consent_by = app.clock() WHERE id = $1",
            order_id,
        )
    return order_id


def _zone_and(*more: str) -> Make:
    async def make(services: Services, tenant: Tenant) -> Named:
        event_id = await _seated_event(services, tenant)
        async with services.database.tenant(tenant.id) as tx:
            overlay = await overlays.view(tx, await overlays.get_event_layout(tx, event_id))
        return event_id, overlay.zones[0].id, *more

    return make


async def _migration(services: Services, tenant: Tenant) -> UUID:
    event_id = await _seated_event(services, tenant)
    wish = PlanMigration(**await _migration_of(services, tenant, event_id))
    async with services.database.tenant(tenant.id) as tx:
        return (await relocations.plan(tx, tenant.principal("owner"), event_id, wish)).id


async def _layout_of(services: Services, tenant: Tenant, event: Named) -> Any:
    assert isinstance(event, UUID)
    return {"layout_id": str((await _layout_for(services, tenant, event)).id)}


async def _seats_of(services: Services, tenant: Tenant, event: Named) -> Any:
    assert isinstance(event, UUID)
    async with services.database.tenant(tenant.id) as tx:
        overlay = await overlays.get_event_layout(tx, event)
    return {"seat_ids": [str(seat_id(overlay.layout_id, 0))], "reason": "Camera"}


async def _migration_of(services: Services, tenant: Tenant, event: Named) -> Any:
    assert isinstance(event, UUID)
    async with services.database.tenant(tenant.id) as tx:
        overlay = await overlays.get_event_layout(tx, event)
        newer = await layouts.create_version(tx, tenant.principal("owner"), overlay.layout_id, without_lounge)
        await layouts.activate(tx, newer.id)
    return {"to_layout_id": newer.id, "respond_by": datetime(2098, 1, 1, tzinfo=UTC)}


VENUE: dict[str, Any] = {"name": "Hall", "city": "Gent", "country": "BE", "timezone": "Europe/Brussels"} | {
    "address": "Kouter 1, Gent"
}
SHOW = {"name": "Show", "description": "A show.", "category": "theatre"} | {
    "start_at": "2099-01-01T19:00:00Z",
    "end_at": "2099-01-01T21:00:00Z",
}
PUBLIC_SHOW = {"title": "Show", "description": "A show.", "category": "theatre", "city": "Gent"} | {
    "start_time": "2099-01-01T19:00:00Z",
    "end_time": "2099-01-01T21:00:00Z",
}
TICKET_TYPE: dict[str, Any] = {"name": "Adult", "price": 1200, "currency": "EUR", "kind": "ga", "quantity": 50}
PROMO_CODE: dict[str, Any] = {"code": "FRIENDS", "kind": "percent", "basis_points": 1000}
MOVED = """
INSERT INTO ticket_moves (organization_id, ticket_id, migration_id, event_id, from_place, to_place, respond_by)
VALUES ($1, $2, $3, $4, 'Row A, seat 1', 'Row B, seat 1', app.clock() + interval '1 day')
"""
PUBLIC = Probe(public=True)
BUYERS = ("checkout.use", "orders.mine", "tickets.read", "tickets.transfer")
JSON = "application/json"
PLAN = encode(without_lounge())
NOTHING = "01900000-0000-7000-8000-000000000000"
SEATS = {"seat_ids": [NOTHING], "reason": "Camera"}
PROBES: dict[str, Probe] = {
    "GET /": PUBLIC,
    "GET /o/{org:str}": PUBLIC,
    "GET /o/{org:str}/{slug:str}": PUBLIC,
    "GET /o/{org:str}/calendar.ics": PUBLIC,
    "GET /o/{org:str}/feed.atom": PUBLIC,
    "GET /o/{org:str}/feed.rss": PUBLIC,
    "GET /api/events/{event_id:uuid}/calendar.ics": PUBLIC,
    "GET /feed.atom": PUBLIC,
    "GET /feed.rss": PUBLIC,
    "GET /sitemap.xml": PUBLIC,
    "GET /sitemaps/{name:str}": PUBLIC,
    "GET /robots.txt": PUBLIC,
    "GET /sign-in": PUBLIC,
    "GET /join": PUBLIC,
    "GET /problems/{code:str}": PUBLIC,
    "GET /static/{name:str}": PUBLIC,
    "GET /built/{path:path}": PUBLIC,
    "GET /my": PUBLIC,
    "GET /my/tickets/{ticket_id:uuid}": PUBLIC,
    "GET /tickets-sw.js": PUBLIC,
    "GET /widget.js": PUBLIC,
    "GET /embed/{org:str}/{slug:str}": PUBLIC,
    "GET /scan": PUBLIC,
    "GET /scan/sw.js": PUBLIC,
    "GET /scan/manifest.webmanifest": PUBLIC,
    "GET /console": PUBLIC,
    "GET /console/letter": PUBLIC,
    "GET /console/{path:path}": PUBLIC,
    "GET /o/{org:str}/{slug:str}/queue": PUBLIC,
    "GET /orders/{secret:str}": PUBLIC,
    "GET /orders/{secret:str}/tickets.pdf": PUBLIC,
    "GET /api/openapi.json": PUBLIC,
    "GET /api/asyncapi.json": PUBLIC,
    "GET /api/docs": PUBLIC,
    "GET /health/live": PUBLIC,
    "GET /health/ready": PUBLIC,
    "GET /metrics": PUBLIC,
    "POST /api/auth/guest": PUBLIC,
    "POST /api/auth/login": PUBLIC,
    "POST /api/auth/magic-link": PUBLIC,
    "POST /api/auth/magic-link/redeem": PUBLIC,
    "POST /api/auth/invitation/accept": PUBLIC,
    "GET /api/auth/sessions": PUBLIC,
    "POST /api/auth/logout": Probe(),
    "GET /api/me": Probe(),
    "PATCH /api/me": Probe({"name": "New"}),
    "PUT /api/me/password": Probe({"new_password": "a long password"}),
    "GET /api/org": Probe(),
    "PATCH /api/org": Probe({"name": "New"}),
    "GET /api/org/members": Probe(),
    "PATCH /api/org/members/{user_id:uuid}": Probe({"role": "scanner"}, _member),
    "GET /api/org/invitations": Probe(),
    "POST /api/org/invitations": Probe({"email": "n@example.org", "role": "staff"}),
    "DELETE /api/org/invitations/{invitation_id:uuid}": Probe(None, _invitation),
    "GET /api/org/api-keys": Probe(),
    "POST /api/org/api-keys": Probe({"name": "k", "scopes": ["org:read"]}),
    "DELETE /api/org/api-keys/{key_id:uuid}": Probe(None, _api_key),
    "GET /api/org/memberships": Probe(),
    "POST /api/org/memberships": Probe({"email": "x@example.org", "name": "X", "tier": "friends", "number": "9"}),
    "GET /api/org/memberships/{membership_id:uuid}": Probe(None, _membership),
    "PATCH /api/org/memberships/{membership_id:uuid}": Probe({"status": "revoked"}, _membership),
    "GET /api/org/webhooks": Probe(),
    "POST /api/org/webhooks": Probe({"url": "https://93.184.215.14/", "events": ["*"]}),
    "GET /api/org/webhooks/{webhook_id:uuid}": Probe(None, _webhook),
    "PATCH /api/org/webhooks/{webhook_id:uuid}": Probe({"enabled": False}, _webhook),
    "DELETE /api/org/webhooks/{webhook_id:uuid}": Probe(None, _webhook),
    "POST /api/org/webhooks/{webhook_id:uuid}/secret": Probe(None, _webhook),
    "POST /api/org/webhooks/{webhook_id:uuid}/test": Probe(None, _webhook),
    "GET /api/org/webhooks/{webhook_id:uuid}/deliveries": Probe(None, _webhook),
    "POST /api/org/webhooks/{webhook_id:uuid}/deliveries/{delivery_id:uuid}/redeliver": Probe(None, _delivery),
    "GET /api/audit": Probe(),
    "GET /api/audit.csv": Probe(),
    "GET /api/org/api-keys/scopes": Probe(),
    "GET /api/org/metrics": Probe(),
    "GET /api/org/mailbox": Probe(),
    "GET /api/org/mailbox/{mail_id:uuid}": Probe(None, _mail),
    "GET /api/org/mailbox/{mail_id:uuid}/html": Probe(None, _mail),
    "GET /api/org/mail-templates": Probe(),
    "GET /api/org/mail-templates/{name:str}/preview": Probe(None, _letter, everybodys=True),
    "GET /api/events/{event_id:uuid}/notices": Probe(None, _event),
    "GET /api/org/stream": Probe(),
    "GET /api/events/{event_id:uuid}/stream": PUBLIC,
    "GET /api/venues": Probe(),
    "POST /api/venues": Probe(VENUE),
    "GET /api/venues/{venue_id:uuid}": Probe(None, _venue),
    "PATCH /api/venues/{venue_id:uuid}": Probe({"name": "New"}, _venue),
    "DELETE /api/venues/{venue_id:uuid}": Probe(None, _venue),
    "GET /api/venues/{venue_id:uuid}/gates": Probe(None, _venue),
    "POST /api/venues/{venue_id:uuid}/gates": Probe({"gate_code": "B", "name": "B"}, _venue),
    "GET /api/gates/{gate_id:uuid}": Probe(None, _gate),
    "PATCH /api/gates/{gate_id:uuid}": Probe({"status": "closed"}, _gate),
    "DELETE /api/gates/{gate_id:uuid}": Probe(None, _gate),
    "GET /api/events": Probe(),
    "GET /api/events/upcoming": Probe(),
    "POST /api/events": Probe(SHOW, needs_venue=True),
    "GET /api/events/{event_id:uuid}": Probe(None, _event),
    "GET /api/events/{event_id:uuid}/summary": Probe(None, _event),
    "PATCH /api/events/{event_id:uuid}": Probe({"name": "New"}, _event),
    "DELETE /api/events/{event_id:uuid}": Probe(None, _event),
    "POST /api/events/{event_id:uuid}/publish": Probe(None, _event),
    "POST /api/events/{event_id:uuid}/unpublish": Probe({}, _event_that(Move.PUBLISH)),
    "POST /api/events/{event_id:uuid}/start": Probe(None, _event_that(Move.PUBLISH)),
    "POST /api/events/{event_id:uuid}/end": Probe(None, _event_that(Move.PUBLISH, Move.START)),
    "POST /api/events/{event_id:uuid}/cancel": Probe({}, _event),
    "POST /api/events/{event_id:uuid}/postpone": Probe({}, _event_that(Move.PUBLISH)),
    "POST /api/events/{event_id:uuid}/reschedule": Probe(
        {"rescheduled_at": "2099-01-01T19:00:00Z"}, _event_that(Move.PUBLISH, Move.POSTPONE)
    ),
    "POST /api/events/{event_id:uuid}/archive": Probe(None, _event),
    "POST /api/events/{event_id:uuid}/duplicate": Probe({"start_at": "2099-01-01T19:00:00Z"}, _event),
    "GET /api/events/{event_id:uuid}/audit": Probe(None, _event),
    "POST /api/platform/events/{event_id:uuid}/cancel": Probe({"reason": "safety"}, _event),
    "POST /api/platform/events/{event_id:uuid}/postpone": Probe({"reason": "safety"}, _event_that(Move.PUBLISH)),
    "POST /api/images": Probe(file=samples.jpeg()),
    "GET /images/{organization_id:uuid}/{image_id:uuid}/{size:str}": PUBLIC,
    "GET /event/v1/events": PUBLIC,
    "GET /event/v1/events/{event_id:uuid}": PUBLIC,
    "GET /event/v1/meta/cities": PUBLIC,
    "GET /api/search": PUBLIC,
    "POST /event/v1/events": Probe(PUBLIC_SHOW),
    "PATCH /event/v1/events/{event_id:uuid}": Probe({"title": "New"}, _event),
    "POST /event/v1/events/{event_id:uuid}/publish": Probe(None, _event),
    "POST /event/v1/events/{event_id:uuid}/unpublish": Probe(None, _event_that(Move.PUBLISH)),
    "POST /event/v1/events/{event_id:uuid}/cancel": Probe({}, _event),
    "GET /event/v1/me/events": Probe(),
    "GET /api/venues/{venue_id:uuid}/layouts": Probe(None, _venue),
    "POST /api/venues/{venue_id:uuid}/layouts": Probe(None, _venue, file=PLAN, kind=JSON),
    "POST /api/venues/{venue_id:uuid}/layouts/import": Probe(None, _venue, file=PLAN, kind=JSON),
    "POST /api/venues/{venue_id:uuid}/layouts/generate": Probe({"kind": "straight"}, _venue),
    "POST /api/layouts/preview": Probe({"kind": "straight"}),
    "GET /api/layouts/{layout_id:uuid}": Probe(None, _draft_layout),
    "PUT /api/layouts/{layout_id:uuid}": Probe(None, _draft_layout, file=PLAN, kind=JSON),
    "DELETE /api/layouts/{layout_id:uuid}": Probe(None, _draft_layout),
    "POST /api/layouts/{layout_id:uuid}/versions": Probe(None, _draft_layout, file=PLAN, kind=JSON),
    "POST /api/layouts/{layout_id:uuid}/activate": Probe(None, _draft_layout),
    "POST /api/layouts/{layout_id:uuid}/archive": Probe(None, _draft_layout),
    "GET /api/layouts/{layout_id:uuid}/plan": Probe(None, _draft_layout),
    "GET /api/layouts/{layout_id:uuid}/preview.svg": Probe(None, _draft_layout),
    "GET /api/layouts/{layout_id:uuid}/seatmap": Probe(None, _draft_layout),
    "GET /api/layouts/{layout_id:uuid}/differences": Probe(None, _draft_layout, query="?since={}"),
    "GET /api/events/{event_id:uuid}/layout": Probe(None, _seated_event),
    "PUT /api/events/{event_id:uuid}/layout": Probe({"layout_id": NOTHING}, _event, fitting=_layout_of),
    "DELETE /api/events/{event_id:uuid}/layout": Probe(None, _seated_event),
    "GET /api/events/{event_id:uuid}/offers": PUBLIC,
    "GET /api/events/{event_id:uuid}/ticket-types": Probe(None, _event),
    "POST /api/events/{event_id:uuid}/ticket-types": Probe(TICKET_TYPE, _event),
    "GET /api/events/{event_id:uuid}/ticket-types/{type_id:uuid}": Probe(None, _ticket_type),
    "PATCH /api/events/{event_id:uuid}/ticket-types/{type_id:uuid}": Probe({"price": 900}, _ticket_type),
    "DELETE /api/events/{event_id:uuid}/ticket-types/{type_id:uuid}": Probe(None, _ticket_type),
    "GET /api/events/{event_id:uuid}/promo-codes": Probe(None, _event),
    "POST /api/events/{event_id:uuid}/promo-codes": Probe(PROMO_CODE, _event),
    "GET /api/events/{event_id:uuid}/promo-codes/{promo_id:uuid}": Probe(None, _promo_code),
    "PATCH /api/events/{event_id:uuid}/promo-codes/{promo_id:uuid}": Probe({"active": False}, _promo_code),
    "DELETE /api/events/{event_id:uuid}/promo-codes/{promo_id:uuid}": Probe(None, _promo_code),
    "GET /api/org/charges": Probe(),
    "PUT /api/org/charges": Probe({"charges": []}),
    "GET /api/events/{event_id:uuid}/charges": Probe(None, _event),
    "PUT /api/events/{event_id:uuid}/charges": Probe({"charges": []}, _event),
    "DELETE /api/events/{event_id:uuid}/charges": Probe(None, _event_with_charges),
    "POST /api/events/{event_id:uuid}/seats/block": Probe(SEATS, _seated_event, fitting=_seats_of),
    "POST /api/events/{event_id:uuid}/seats/unblock": Probe(SEATS, _seated_event, fitting=_seats_of),
    "POST /api/events/{event_id:uuid}/seats/release": Probe(SEATS, _seated_event, fitting=_seats_of),
    "POST /api/events/{event_id:uuid}/holds/release": Probe(SEATS, _seated_event, fitting=_seats_of),
    "GET /api/events/{event_id:uuid}/layout/seatmap": Probe(None, _seated_event),
    "GET /api/events/{event_id:uuid}/layout/availability": Probe(None, _seated_event),
    "GET /api/events/{event_id:uuid}/layout/seats": Probe(None, _seated_event),
    "GET /api/events/{event_id:uuid}/layout/occupancy": Probe(None, _seated_event),
    "GET /api/events/{event_id:uuid}/zones/{zone_id:uuid}/guests": Probe(None, _zone_and()),
    "POST /api/events/{event_id:uuid}/zones/{zone_id:uuid}/guests": Probe(
        {"guests": [{"email": "g@example.org"}]}, _zone_and()
    ),
    "DELETE /api/events/{event_id:uuid}/zones/{zone_id:uuid}/guests/{email:str}": Probe(
        None, _zone_and("g@example.org")
    ),
    "GET /api/org/seating-policy": Probe(),
    "GET /api/events/{event_id:uuid}/seating-policy": Probe(None, _event),
    "PUT /api/events/{event_id:uuid}/seating-policy": Probe({"policy": {"max_group_split": 1}}, _seated_event),
    "GET /api/events/{event_id:uuid}/layout/migrations": Probe(None, _event),
    "POST /api/events/{event_id:uuid}/layout/migrations": Probe(
        {"to_layout_id": NOTHING, "respond_by": "2098-01-01T00:00:00Z"}, _seated_event, fitting=_migration_of
    ),
    "GET /api/layout-migrations/{migration_id:uuid}": Probe(None, _migration),
    "POST /api/layout-migrations/{migration_id:uuid}/approve": Probe(None, _migration),
    "POST /api/layout-migrations/{migration_id:uuid}/discard": Probe(None, _migration),
    "POST /api/events/{event_id:uuid}/waitlist": Probe({"party": 2}, _event_on_sale),
    "GET /api/events/{event_id:uuid}/waitlist": Probe(None, _event_with_waitlist),
    "DELETE /api/events/{event_id:uuid}/waitlist": Probe(None, _event_with_waitlist),
    "GET /api/events/{event_id:uuid}/waitlist/entries": Probe(None, _event_with_waitlist),
    "GET /api/events/{event_id:uuid}/waitlist/settings": Probe(None, _event_with_waitlist),
    "PUT /api/events/{event_id:uuid}/waitlist/settings": Probe({"enabled": False}, _event_with_waitlist),
    "GET /api/waitlist": PUBLIC,
    "DELETE /api/waitlist": PUBLIC,
    "POST /api/waitlist/session": PUBLIC,
    "GET /waiting-list": PUBLIC,
    "POST /api/events/{event_id:uuid}/checkout": Probe(
        {"items": [{"hold_id": NOTHING, "ticket_type_id": NOTHING}]}, _event_on_sale, fitting=_checkout_of
    ),
    "GET /api/events/{event_id:uuid}/checkout": Probe(None, _event_with_checkout),
    "GET /api/checkout/{checkout_id:uuid}": Probe(None, _checkout),
    "DELETE /api/checkout/{checkout_id:uuid}": Probe(None, _checkout),
    "POST /api/checkout/{checkout_id:uuid}/purchase": Probe(
        {"provider": "free", "buyer": {"name": "O", "email": "o@example.org"}},
        _checkout,
        headers={"idempotency-key": "probe"},
    ),
    "GET /api/events/{event_id:uuid}/seating": Probe(None, _seated_event),
    "GET /api/orders": Probe(),
    "POST /api/orders/search": Probe({"q": "ada"}),
    "GET /api/sales/over-time": Probe(),
    "GET /api/sales/by-show": Probe(),
    "GET /api/org/reports": Probe(),
    "GET /api/org/reports.csv": Probe(),
    "GET /api/events/{event_id:uuid}/report": Probe(None, _event),
    "POST /api/orders/{order_id:uuid}/send": Probe(None, _order),
    "POST /api/orders/{order_id:uuid}/refunds/preview": Probe({"reason": "Ill"}, _order),
    "GET /api/events/{event_id:uuid}/orders": Probe(None, _event),
    "GET /api/orders/{order_id:uuid}": Probe(None, _order),
    "POST /api/orders/{order_id:uuid}/resend": Probe(None, _order),
    "POST /api/orders/{order_id:uuid}/consent": Probe({"accept": False}, _proposal),
    "GET /api/order": PUBLIC,
    "POST /api/order/consent": PUBLIC,
    "POST /api/order/resend": PUBLIC,
    "POST /api/order/tickets/{ticket_id:uuid}/transfer": PUBLIC,
    "POST /api/orders/{order_id:uuid}/refunds": Probe(
        {"reason": "They cannot come."}, _order, headers={"idempotency-key": "{}"}
    ),
    "GET /api/orders/{order_id:uuid}/refunds": Probe(None, _order),
    "POST /api/orders/{order_id:uuid}/refunds/{refund_id:uuid}/retry": Probe(None, _refused_refund),
    "POST /api/orders/{order_id:uuid}/refunds/{refund_id:uuid}/paid-outside": Probe(
        {"reason": "In cash"}, _refused_refund
    ),
    "GET /api/events/{event_id:uuid}/refunds": Probe(None, _event),
    "POST /api/events/{event_id:uuid}/refunds/retry": Probe(None, _event),
    "GET /api/events/{event_id:uuid}/orders.csv": Probe(None, _event),
    "POST /api/payments/{provider:str}/webhook": PUBLIC,
    "GET /api/ledger": Probe(),
    "GET /api/ledger/balance": Probe(),
    "GET /api/ledger.csv": Probe(),
    "GET /api/me/tickets": Probe(),
    "GET /api/me/moves": Probe(),
    "GET /api/tickets/{ticket:str}": Probe(None, _ticket),
    "POST /api/tickets/{ticket_id:uuid}/transfer": Probe({"name": "X", "email": "x@example.org"}, _ticket),
    "POST /api/tickets/{ticket_id:uuid}/cancel": Probe({"reason": "Printed twice"}, _ticket),
    "GET /api/tickets/{ticket_id:uuid}/move": Probe(None, _moved_ticket),
    "POST /api/tickets/{ticket_id:uuid}/move": Probe({"accept": True}, _moved_ticket),
    "GET /api/scan/devices": Probe(),
    "POST /api/scan/devices": Probe(
        {"event_id": NOTHING, "name": "S", "gate_ids": [NOTHING], "rights": ["scan"]}, fitting=_pairing
    ),
    "DELETE /api/scan/devices/{device_id:uuid}": Probe(None, _device),
    "POST /api/scan/pair": PUBLIC,
    "POST /api/scan": Probe({"code": "22222222"}, device=True),
    "POST /api/scan/{scan_id:uuid}/undo": Probe({"reason": "Wrong person"}, _scan),
    "GET /api/scan/search": Probe(query="?q=ada", device=True),
    "POST /api/scan/search": Probe({"q": "ada"}, device=True),
    "GET /api/scan/live": Probe(device=True),
    "GET /api/scan/incidents": Probe(device=True),
    "GET /api/scan/snapshot": Probe(device=True),
    "POST /api/scan/batch": Probe({"device_now": datetime.now(UTC).isoformat(), "scans": []}, device=True),
    "GET /api/events/{event_id:uuid}/gates/live": Probe(None, _event),
    "GET /api/events/{event_id:uuid}/gates/entries": Probe(None, _event),
    "GET /api/events/{event_id:uuid}/gates/stream": Probe(None, _event),
    "GET /api/events/{event_id:uuid}/incidents": Probe(None, _event),
    "POST /api/events/{event_id:uuid}/incidents/{incident_id:uuid}/resolve": Probe({"note": "Seen"}, _incident),
    "GET /api/org/ticket-keys": Probe(),
    "POST /api/org/ticket-keys": Probe({}),
    "POST /api/events/{event_id:uuid}/queue": Probe(None, _event_on_sale),
    "GET /api/events/{event_id:uuid}/queue": PUBLIC,
    "DELETE /api/events/{event_id:uuid}/queue": Probe(None, _event_with_queue("open")),
    "GET /api/events/{event_id:uuid}/queue/draw": PUBLIC,
    "GET /api/events/{event_id:uuid}/queue/settings": Probe(None, _event),
    "PUT /api/events/{event_id:uuid}/queue/settings": Probe({"slots": 9}, _event),
    "POST /api/events/{event_id:uuid}/queue/open": Probe(None, _event_on_sale),
    "POST /api/events/{event_id:uuid}/queue/pause": Probe(None, _event_with_queue("open")),
    "POST /api/events/{event_id:uuid}/queue/resume": Probe(None, _event_with_queue("open", "pause")),
    "POST /api/events/{event_id:uuid}/queue/drain": Probe(None, _event_with_queue("open")),
    "POST /api/events/{event_id:uuid}/seats/{seat_id:uuid}/reserve": Probe({}, _seat_on_sale),
    "POST /api/events/{event_id:uuid}/holds": Probe(
        {"items": [{"seat_id": NOTHING}]}, _event_on_sale, fitting=_items_of
    ),
    "GET /api/events/{event_id:uuid}/holds": Probe(None, _event_on_sale),
    "DELETE /api/holds/{hold_id:uuid}": Probe(None, _hold),
    "GET /api/events/{event_id:uuid}/seatmap": PUBLIC,
    "GET /api/events/{event_id:uuid}/availability": PUBLIC,
    "GET /api/events/{event_id:uuid}/seats": PUBLIC,
    "GET /api/events/{event_id:uuid}/seats/{seat_id:uuid}": PUBLIC,
    "GET /api/events/{event_id:uuid}/occupancy": PUBLIC,
    "GET /api/platform/organizations/{organization_id:uuid}/seating-policy": Probe(None, _organization),
    "GET /api/platform/organizations/{organization_id:uuid}/events": Probe(None, _organization),
    "PUT /api/platform/organizations/{organization_id:uuid}/seating-policy": Probe(
        {"values": {"allow_vip_zones": True}}, _organization
    ),
    "POST /api/platform/login": PUBLIC,
    "POST /api/platform/logout": Probe(),
    "GET /api/platform/me": Probe(),
    "GET /api/platform/organizations": Probe(),
    "POST /api/platform/organizations": Probe({"slug": "new-house", "name": "New", "owner_email": "o@example.org"}),
    "GET /api/platform/organizations/{organization_id:uuid}": Probe(None, _organization),
    "PATCH /api/platform/organizations/{organization_id:uuid}": Probe(
        {"status": "suspended", "reason": "abuse"}, _organization
    ),
}


def _routes() -> dict[str, Any]:
    lane = application.build(settings("postgresql://unused/unused", "postgresql://unused/unused", home="/nonexistent"))
    return {
        f"{method} {route.path}": handler
        for route in lane.wide.routes
        if isinstance(route, HTTPRoute)
        for handler in route.route_handlers
        for method in handler.http_methods
        if method != "OPTIONS"
    }


ROUTES = _routes()


def _is_platforms(name: str) -> bool:
    return str(ROUTES[name].opt.get("action")).startswith("platform.")


GUARDED = sorted(name for name, handler in ROUTES.items() if not handler.opt.get("public"))


@pytest.mark.req("RBAC-1")
def test_every_route_has_a_row() -> None:
    assert set(ROUTES) == set(PROBES)


def test_public_routes_are_those_that_the_table_says() -> None:
    assert {n for n, h in ROUTES.items() if h.opt.get("public")} == {n for n, p in PROBES.items() if p.public}


@pytest.mark.parametrize("name", GUARDED)
@pytest.mark.req("RBAC-1", "TEN-2")
async def test_nobody_gets_401(name: str, client: Client, services: Services, tenant: Tenant, counts: Counts) -> None:
    path = await _path(name, services, tenant)
    async with counts.unchanged():
        for token in (None, "fhs_nonsense", tenant.tokens["owner"][:-8] + "A" * 8):
            caller = client.as_(token) if token else client
            answer = await _call(caller, name, path)
            assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated"), answer.text


@pytest.mark.parametrize("name", GUARDED)
@pytest.mark.req("RBAC-1", "AUD-1")
async def test_the_wrong_role_gets_403_and_an_audit_row(
    name: str, client: Client, services: Services, tenant: Tenant, counts: Counts, owner: Any
) -> None:
    action = ROUTES[name].opt["action"]
    wrong = [role for role, allowed in policy.ROLE_ACTIONS.items() if action not in allowed]
    if not wrong:
        # Open to everybody who is signed in, and nothing else is.
        assert action in ("me.read", "me.update", "holds.read", "holds.place", "queue.join", "waitlist.join", *BUYERS)
        return
    path = await _path(name, services, tenant)
    async with counts.unchanged(besides="audit_log"):
        for role in wrong:
            answer = await _call(client.as_(tenant.tokens[role]), name, path)
            assert (answer.status_code, answer.json()["code"]) == (403, "forbidden"), (role, answer.text)
    denied = await owner.fetch(
        "SELECT actor_id FROM audit_log WHERE organization_id = $1 AND action = 'access.denied' ORDER BY created_at",
        tenant.id,
    )
    assert [row["actor_id"] for row in denied] == [tenant.people[role].id for role in wrong]


@pytest.mark.parametrize(
    "name", [n for n in GUARDED if PROBES[n].thing and not (PROBES[n].everybodys or _is_platforms(n))]
)
@pytest.mark.req("TEN-2")
async def test_another_tenants_thing_is_like_one_that_never_was(
    name: str, client: Client, services: Services, tenant: Tenant, other_tenant: Tenant, counts: Counts
) -> None:
    thing = PROBES[name].thing
    assert thing
    theirs = await thing(services, other_tenant)
    stranger = client.as_(tenant.tokens["owner"])
    async with counts.unchanged(besides="idempotency_keys"):  # a refusal is its key's answer from then on
        foreign = await _call(stranger, name, _fill(name, theirs))
        missing = await _call(stranger, name, _fill(name, _made_up(theirs)))
    assert foreign.status_code == missing.status_code == 404
    assert foreign.content == missing.content


@pytest.mark.parametrize("name", GUARDED)
async def test_the_right_caller_gets_in(
    name: str, client: Client, lane: Lane, services: Services, tenant: Tenant, owner: Any
) -> None:
    """Otherwise the refusals above would prove nothing: the same call, with the right, is not refused."""
    token = await _super_admin(client, owner) if _is_platforms(name) else tenant.tokens["owner"]
    if PROBES[name].device:
        token = await _device_token(services, tenant)
    body = PROBES[name].body
    if PROBES[name].needs_venue:
        body = {"venue_id": str(await _venue(services, tenant)), **body}
    if name.endswith("/stream"):  # it would go on for a minute
        async with listening(lane, await _path(name, services, tenant), token=token) as stream:
            assert stream.status == 200
        return
    thing, fitting = PROBES[name].thing, PROBES[name].fitting
    named = await thing(services, tenant) if thing else ()
    if fitting:
        body = msgspec.to_builtins(await fitting(services, tenant, named))
    answer = await _call(client.as_(token), name, _fill(name, named), body)
    assert answer.status_code < 300, answer.text


async def _call(client: Client, name: str, path: str, body: Any = None) -> Any:
    if file := PROBES[name].file:
        headers = {"content-type": PROBES[name].kind}
        return await client.request(name.split()[0], path, content=file, headers=headers)
    headers = {header: value.format(new_id().hex) for header, value in (PROBES[name].headers or {}).items()}
    return await client.request(name.split()[0], path, json=body or PROBES[name].body, headers=headers)


async def _path(name: str, services: Services, tenant: Tenant) -> str:
    thing = PROBES[name].thing
    return _fill(name, await thing(services, tenant) if thing else ())


def _fill(name: str, named: Named) -> str:
    """The route's path with what it names, in order."""
    path = name.split()[1]
    for value in named if isinstance(named, tuple) else (named,):
        before, _, rest = path.partition("{")
        path = f"{before}{value}{rest.partition('}')[2]}"
    return path + PROBES[name].query.format(named)


def _made_up(named: Named) -> Named:
    if isinstance(named, UUID):
        return new_id()
    return tuple(new_id() if isinstance(part, UUID) else part for part in named)


async def _super_admin(client: Client, owner: Any) -> str:
    """Their token."""
    email = f"{new_id().hex}@example.org"
    password_hash = await passwords.hash_password("a long password")
    await store.insert_platform_user(owner, new_id(), email, "Root", "super_admin", password_hash)
    answer = await client.post("/api/platform/login", json={"email": email, "password": "a long password"})
    token: str = answer.json()["data"]["token"]
    return token


@pytest.fixture
def counts(owner: Any) -> Counts:
    return Counts(owner)
