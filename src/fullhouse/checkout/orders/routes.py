"""Order endpoints: the caller's orders, all of the organisation for staff, and one by its secret."""

from typing import Annotated
from uuid import UUID

from litestar.params import QueryParameter
from msgspec.structs import replace

from fullhouse.checkout.model import Consent, Order, OrderRow, OrderStatus
from fullhouse.checkout.orders import reads, settle
from fullhouse.events import actions as events
from fullhouse.kit.actors import Actor, Principal
from fullhouse.kit.cache.limits import Limit
from fullhouse.kit.db.cursors import LIMIT, Page
from fullhouse.kit.db.database import Tx
from fullhouse.kit.http.endpoints import get, post
from fullhouse.kit.http.parameters import After, PageSize, Secret, parse_bearer
from fullhouse.kit.services import Services
from fullhouse.seating.model import ZoneAccessDenied
from fullhouse.tickets import actions as tickets
from fullhouse.tickets.model import Ticket, Transfer

Code = Annotated[str | None, QueryParameter(max_length=8, description="The order's code of eight characters.")]
Email = Annotated[str | None, QueryParameter(max_length=254, description="The buyer's email address.")]
READ_BY_SECRET_LIMIT, CHANGE_BY_SECRET_LIMIT = Limit(60, 60), Limit(20, 60)


@get("/api/orders", "orders.mine")
async def list_orders(
    tx: Tx,
    services: Services,
    who: Principal,
    event_id: UUID | None = None,
    status: OrderStatus | None = None,
    code: Code = None,
    email: Email = None,
    cursor: After = None,
    limit: PageSize = LIMIT,
) -> Page[OrderRow]:
    """The caller's orders, oldest first; for staff, all orders of the organisation."""
    mine = None if "orders.read" in who.allowed else who.id
    return await reads.list_orders(
        tx, services.keyring, cursor, limit, user_id=mine, event_id=event_id, status=status, code=code, email=email
    )


@get("/api/events/{event_id:uuid}/orders", "orders.read")
async def list_orders_of_event(
    tx: Tx,
    services: Services,
    event_id: UUID,
    status: OrderStatus | None = None,
    code: Code = None,
    email: Email = None,
    cursor: After = None,
    limit: PageSize = LIMIT,
) -> Page[OrderRow]:
    """The orders of an event, oldest first."""
    await events.require_event(tx, event_id)
    return await reads.list_orders(
        tx, services.keyring, cursor, limit, user_id=None, event_id=event_id, status=status, code=code, email=email
    )


@get("/api/orders/{order_id:uuid}", "orders.mine")
async def get_order(tx: Tx, services: Services, who: Principal, order_id: UUID) -> Order:
    """One of the caller's orders, with its tickets; any order for staff."""
    return await reads.read_order(tx, services, who, order_id)


@post("/api/orders/{order_id:uuid}/consent", "checkout.use", status=200)
async def answer_proposal(tx: Tx, services: Services, who: Principal, order_id: UUID, data: Consent) -> Order:
    """The payment arrived after the seats were gone: accept the seats that are held instead, or have it refunded."""
    await reads.check_owner(tx, who, order_id)
    await settle.answer_proposal(tx, order_id, accept=data.accept, now=await tx.now())
    return await reads.read_response(tx, services, order_id, with_secret=True)


@get("/api/order", public=True, limit=READ_BY_SECRET_LIMIT)
async def get_order_by_secret(services: Services, authorization: Secret = None) -> Order:
    """The order whose secret is in the `Authorization` header: for guests, from the link in their email."""
    return await reads.read_order_by_secret(services, parse_bearer(authorization))


@post("/api/order/consent", public=True, status=200, limit=CHANGE_BY_SECRET_LIMIT)
async def answer_proposal_by_secret(
    services: Services, actor: Actor, data: Consent, authorization: Secret = None
) -> Order:
    """Accept or decline the proposed seats of the order whose secret is in the `Authorization` header."""
    secret = parse_bearer(authorization)
    async with services.database.tenant(reads.parse_organization(secret), actor) as tx:
        order = await reads.require_by_secret_to_change(tx, secret)
        tx.actor = replace(actor, type="user", id=order.user_id, name="by the order's link")  # the actor in the audit
        await settle.answer_proposal(tx, order.id, accept=data.accept, now=await tx.now())
        return await reads.read_response(tx, services, order.id)


@post("/api/order/tickets/{ticket_id:uuid}/transfer", public=True, status=200, limit=CHANGE_BY_SECRET_LIMIT)
async def transfer_ticket_by_secret(
    services: Services, actor: Actor, ticket_id: UUID, data: Transfer, authorization: Secret = None
) -> Ticket:
    """Transfer a ticket of the order whose secret is in the `Authorization` header.

    The new holder gets a new code by email; the code on the order's page is void. The previous holder is notified.
    """
    secret = parse_bearer(authorization)
    organization_id = reads.parse_organization(secret)
    try:
        async with services.database.tenant(organization_id, actor) as tx:
            order = await reads.require_by_secret_to_change(tx, secret)
            return await tickets.transfer_from_order(tx, services.keyring, order.id, order.user_id, ticket_id, data)
    except ZoneAccessDenied as denied:  # no signed-in user: the guard, which audits refusals, has no actor
        async with services.database.tenant(organization_id, actor) as tx:
            await tickets.record_zone_denied(tx, ticket_id, denied)
        raise


handlers = [
    list_orders, list_orders_of_event, get_order, answer_proposal, get_order_by_secret, answer_proposal_by_secret,
    transfer_ticket_by_secret,
]  # fmt: skip
