"""What is sold and what becomes of it: prices, checkouts, orders, tickets, and the gates that let them in."""

from typing import Any
from uuid import UUID

from fullhouse.checkout import actions as checkouts
from fullhouse.checkout.model import Buyer, Purchase, StartCheckout
from fullhouse.checkout.model import Item as CheckoutItem
from fullhouse.checkout.orders import actions as purchases
from fullhouse.checkout.orders.settlement_batcher import SettlementBatcher
from fullhouse.events import actions as events
from fullhouse.events.model import NewGate
from fullhouse.events.venues import actions as venues
from fullhouse.holds.engine import Engine, RequestItem
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.payments.providers.actions import Providers
from fullhouse.scanning import device_actions as scanners
from fullhouse.scanning.model import NewDevice, NewPairing, Pair
from fullhouse.seating.model import PlanMigration
from fullhouse.seating.overlay import actions as overlays
from fullhouse.seating.plans.chart import seat_id
from fullhouse.seating.relocation import actions as relocations
from fullhouse.tickets import actions as tickets
from fullhouse.tickets.promo_codes import actions as promos
from fullhouse.tickets.types import actions as types
from fullhouse.tickets.types.model import NewPromoCode, NewTicketType
from fullhouse.waiting_room import actions as queue
from tests.fixtures import Tenant
from tests.holds.helpers import OnSale, wish
from tests.probe.probe import Named
from tests.probe.seats import an_event_on_sale, migration_of
from tests.probe.things import an_event

TICKET_TYPE: dict[str, Any] = {"name": "Adult", "price": 1200, "currency": "EUR", "kind": "ga", "quantity": 50}
PROMO_CODE: dict[str, Any] = {"code": "FRIENDS", "kind": "percent", "basis_points": 1000}
MOVED = """
INSERT INTO ticket_moves (organization_id, ticket_id, migration_id, event_id, from_place, to_place, respond_by)
VALUES ($1, $2, $3, $4, 'Row A, seat 1', 'Row B, seat 1', app.clock() + interval '1 day')
"""


async def a_ticket_type(services: Services, tenant: Tenant) -> Named:
    event_id = await an_event(services, tenant)
    async with services.database.tenant(tenant.id) as tx:
        return event_id, (await types.create_type(tx, event_id, NewTicketType(**TICKET_TYPE))).id


async def a_promo_code(services: Services, tenant: Tenant) -> Named:
    event_id = await an_event(services, tenant)
    async with services.database.tenant(tenant.id) as tx:
        return event_id, (await promos.create_promo(tx, event_id, NewPromoCode(**PROMO_CODE))).id


async def an_event_with_charges(services: Services, tenant: Tenant) -> UUID:
    event_id = await an_event(services, tenant)
    async with services.database.tenant(tenant.id) as tx:
        await promos.set_charges(tx, event_id, [], None)
    return event_id


async def items_to_buy(services: Services, tenant: Tenant, event_id: UUID) -> list[CheckoutItem]:
    """A seat that the owner holds, with a type that costs nothing."""
    engine = Engine(services)
    async with services.database.tenant(tenant.id) as tx:
        layout_id = (await overlays.get_event_layout(tx, event_id)).layout_id
        free = NewTicketType(name="Guest", price=0, currency="EUR", kind="seated")
        kind = await types.create_type(tx, event_id, free)
    sale = OnSale(event_id, layout_id, {})
    who = tenant.people["owner"].id
    (held,) = await engine.hold(tenant.id, wish(sale, who, RequestItem(new_id(), seat_id(layout_id, 3))))
    await engine.stop()
    assert held.hold_id
    return [CheckoutItem(hold_id=held.hold_id, ticket_type_id=kind.id)]


async def checkout_of(services: Services, tenant: Tenant, event: Named) -> Any:
    assert isinstance(event, UUID)
    return {"items": await items_to_buy(services, tenant, event)}


async def an_event_and_its_checkout(services: Services, tenant: Tenant) -> tuple[UUID, UUID]:
    event_id, who = await an_event_on_sale(services, tenant), tenant.principal("owner")
    items = await items_to_buy(services, tenant, event_id)
    async with services.database.tenant(tenant.id, who.actor) as tx:
        await queue.move(tx, services.keyring, event_id, "open")  # whoever holds seats then is inside
        session = await checkouts._begin_checkout(tx, who, event_id, StartCheckout(items=items))
    return event_id, session.id


async def an_event_with_checkout(services: Services, tenant: Tenant) -> UUID:
    return (await an_event_and_its_checkout(services, tenant))[0]


async def a_checkout(services: Services, tenant: Tenant) -> UUID:
    return (await an_event_and_its_checkout(services, tenant))[1]


async def an_order(services: Services, tenant: Tenant) -> UUID:
    services.parts.update({part: part(services) for part in (Providers, SettlementBatcher)})
    who, wish = tenant.principal("owner"), Purchase(provider="free", buyer=Buyer(name="O", email="o@example.org"))
    bought = await purchases.purchase(services, who, await a_checkout(services, tenant), wish, "probe")
    return bought.order.id


async def a_refused_refund(services: Services, tenant: Tenant) -> Named:
    """As if the order had cost something, and its provider would not give it back."""
    order_id, refund_id = await an_order(services, tenant), new_id()
    async with services.database.tenant(tenant.id) as tx:
        await tx.execute(
            "INSERT INTO refunds (id, organization_id, attempt_id, order_id, event_id, amount, currency, status,"
            " reason) SELECT $1, organization_id, attempt_id, id, event_id, 1, currency, 'failed', 'Ill' FROM orders"
            " WHERE id = $2",
            refund_id,
            order_id,
        )
    return order_id, refund_id


async def a_ticket(services: Services, tenant: Tenant) -> UUID:
    order_id = await an_order(services, tenant)
    async with services.database.tenant(tenant.id) as tx:
        return (await tickets.tickets_of_order(tx, order_id))[0].id


async def a_moved_ticket(services: Services, tenant: Tenant) -> UUID:
    ticket_id = await a_ticket(services, tenant)
    async with services.database.tenant(tenant.id) as tx:
        event_id = (await tickets.require_ticket(tx, ticket_id)).event_id
        wish = PlanMigration(**await migration_of(services, tenant, event_id))
        planned = await relocations.plan(tx, tenant.principal("owner"), event_id, wish)
        await tx.execute(MOVED, tenant.id, ticket_id, planned.id, event_id)
    return ticket_id


async def a_new_device(services: Services, tenant: Tenant, event_id: UUID) -> NewDevice:
    """For a gate of the show's venue."""
    who = tenant.principal("owner")
    async with services.database.tenant(tenant.id, who.actor) as tx:
        venue_id = (await events.require_event(tx, event_id)).venue_id
        assert venue_id
        gate = await venues.create_gate(tx, who, venue_id, NewGate(gate_code="GATE_S", name="S"))
    return NewDevice(event_id=event_id, name="Scanner", gate_ids=[gate.id], rights=("scan", "search"))


async def a_device_to_pair(services: Services, tenant: Tenant, named: Named) -> Any:
    return await a_new_device(services, tenant, await an_event(services, tenant))


async def a_device(services: Services, tenant: Tenant) -> UUID:
    return (await an_added_device(services, tenant, await an_event(services, tenant))).id


async def an_added_device(services: Services, tenant: Tenant, event_id: UUID) -> NewPairing:
    wish = await a_new_device(services, tenant, event_id)
    async with services.database.tenant(tenant.id) as tx:
        return await scanners.add_device(tx, tenant.principal("owner"), "http://house.test", wish)


async def a_device_token(services: Services, tenant: Tenant) -> str:
    made = await an_added_device(services, tenant, await an_event(services, tenant))
    brought = Pair(organization=made.organization, code=made.code)
    return (await scanners.pair_device(services, tenant.principal("owner").actor, brought)).token


async def a_scan(services: Services, tenant: Tenant) -> UUID:
    return (await a_scan_and_its_incident(services, tenant))[0]


async def an_incident(services: Services, tenant: Tenant) -> Named:
    return (await a_scan_and_its_incident(services, tenant))[1:]


async def a_scan_and_its_incident(services: Services, tenant: Tenant) -> tuple[UUID, UUID, UUID]:
    ticket_id, scan_id, incident_id = await a_ticket(services, tenant), new_id(), new_id()
    async with services.database.tenant(tenant.id) as tx:
        event_id = (await tickets.require_ticket(tx, ticket_id)).event_id
        await tx.execute(
            "INSERT INTO scans (id, organization_id, event_id, ticket_id, device_id, gate_id, direction, admitted,"
            " test, at, day) VALUES ($1, $2, $3, $4, $1, $1, 'in', true, false, app.clock(), '2026-01-01')",
            scan_id,
            tenant.id,
            event_id,
            ticket_id,
        )
        await tx.execute(
            "INSERT INTO scan_incidents (id, organization_id, event_id, ticket_id, kind, first_scan_id, second_scan_id)"
            " VALUES ($1, $2, $3, $4, 'already_inside', $5, $5)",
            incident_id,
            tenant.id,
            event_id,
            ticket_id,
            scan_id,
        )
    return scan_id, event_id, incident_id


async def a_proposal(services: Services, tenant: Tenant) -> UUID:
    order_id = await an_order(services, tenant)
    async with services.database.tenant(tenant.id) as tx:
        await tx.execute(
            "UPDATE orders SET status = 'needs_consent', paid_at = NULL, consent_by = app.clock() WHERE id = $1",
            order_id,
        )
    return order_id
