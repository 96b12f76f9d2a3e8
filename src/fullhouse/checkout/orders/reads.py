"""Reads of orders, for their buyer, for staff, and for holders of the order's secret."""

import hmac
from collections.abc import Sequence
from uuid import UUID

from fullhouse.accounts import actions as accounts
from fullhouse.checkout import store
from fullhouse.checkout.model import (
    Order,
    OrderNotFound,
    OrderRow,
    PaymentView,
    ProposedPlace,
    RefundView,
    StoredOrder,
    TicketView,
    decode_quote,
)
from fullhouse.kit import secrets
from fullhouse.kit.actors import Principal
from fullhouse.kit.db.cursors import Page, page_by_age
from fullhouse.kit.db.database import Tx
from fullhouse.kit.money import Money
from fullhouse.kit.secrets import Keyring, TokenKind
from fullhouse.kit.services import Services
from fullhouse.payments import actions as payments
from fullhouse.payments.model import Attempt, Refund
from fullhouse.payments.providers.actions import Providers
from fullhouse.tickets import actions as tickets
from fullhouse.tickets.model import Ticket


def derive_secret(keyring: Keyring, organization_id: UUID, order_id: UUID) -> str:
    """The secret that opens an order without signing in: 256 bits derived from this installation's key. Its hash is
    stored."""
    return secrets.mint(TokenKind.ORDER, organization_id, hmac.digest(keyring.key("order"), order_id.bytes, "sha256"))


async def require_order(tx: Tx, order_id: UUID) -> StoredOrder:
    found = await store.order_by_id(tx, order_id)
    if found is None:
        raise OrderNotFound()
    return found


async def read_order(tx: Tx, services: Services, who: Principal, order_id: UUID) -> Order:
    """The caller's own order, or any for staff. Other orders are refused as not found."""
    found = await require_order(tx, order_id)
    mine = found.user_id == who.id
    if not mine and "orders.read" not in who.allowed:
        raise OrderNotFound()
    return await load_response(tx, services, found, with_secret=mine, all_codes="orders.read" in who.allowed)


async def check_owner(tx: Tx, who: Principal, order_id: UUID) -> None:
    if (await require_order(tx, order_id)).user_id != who.id:
        raise OrderNotFound()


def parse_organization(secret: str) -> UUID:
    """The organisation that the secret names. Not verified: the order's stored hash decides."""
    claim = secrets.parse_token(secret, TokenKind.ORDER)
    if claim is None:
        raise OrderNotFound()
    return claim[1]


async def require_by_secret(tx: Tx, secret: str) -> StoredOrder:
    """The secret names its organisation; inside it, its hash finds the order."""
    found = await store.order_by_secret(tx, secrets.digest_token(secret))
    if found is None:
        raise OrderNotFound()
    return found


async def require_by_secret_to_change(tx: Tx, secret: str) -> StoredOrder:
    """As `require_by_secret`, for requests that change something: refused while the organisation is closed."""
    await accounts.check_not_suspended(tx)
    return await require_by_secret(tx, secret)


async def read_order_by_secret(services: Services, secret: str) -> Order:
    async with services.database.tenant(parse_organization(secret)) as tx:
        return await load_response(tx, services, await require_by_secret(tx, secret))


async def list_orders(
    tx: Tx,
    keyring: Keyring,
    cursor: str | None,
    limit: int,
    *,
    user_id: UUID | None,
    event_id: UUID | None = None,
    status: str | None = None,
    code: str | None = None,
    email: str | None = None,
) -> Page[OrderRow]:
    return await page_by_age(
        tx,
        keyring,
        "orders",
        store.list_orders,
        cursor,
        limit,
        user_id=user_id,
        event_id=event_id,
        status=status,
        code=code,
        buyer_email=email,
    )


async def read_response(
    tx: Tx, services: Services, order_id: UUID, *, with_secret: bool = False, attempt: Attempt | None = None
) -> Order:
    return await load_response(
        tx, services, await require_order(tx, order_id), with_secret=with_secret, attempt=attempt
    )


async def load_response(
    tx: Tx,
    services: Services,
    order: StoredOrder,
    *,
    with_secret: bool = False,
    all_codes: bool = False,
    attempt: Attempt | None = None,
) -> Order:
    """Loads what belongs to an order. `attempt` is its payment attempt, if loaded already. `all_codes` is for staff."""
    attempt = attempt or await payments.require_attempt(tx, order.attempt_id)
    issued = await tickets.tickets_of_order(tx, order.id) if order.paid_at else []
    refunds = await payments.list_refunds(tx, order.id) if attempt.refunded else []
    return to_response(
        services,
        order,
        attempt,
        issued,
        refunds,
        await load_proposed(tx, order),
        with_secret=with_secret,
        all_codes=all_codes,
    )


async def load_proposed(tx: Tx, order: StoredOrder) -> list[ProposedPlace]:
    """The seats or spots held in place of the original ones, while the buyer has not answered."""
    if order.status != "needs_consent":
        return []
    return await store.places_of_order(tx, order.id)


def to_response(
    services: Services,
    order: StoredOrder,
    attempt: Attempt,
    issued: Sequence[Ticket],
    refunds: Sequence[Refund] = (),
    instead: Sequence[ProposedPlace] = (),
    *,
    with_secret: bool = False,
    all_codes: bool = False,
) -> Order:
    """Builds the response from loaded rows."""
    return Order(
        id=order.id,
        event_id=order.event_id,
        code=order.code,
        status=order.status,
        lines=decode_quote(order.quote).lines,
        total=Money(order.total, order.currency),
        buyer_name=order.buyer_name,
        buyer_email=order.buyer_email,
        payment=_to_payment(services, attempt),
        tickets=[_to_ticket(t, named=all_codes or not t.is_transferred_by(order.user_id)) for t in issued],
        refunds=[
            RefundView(
                id=r.id, amount=Money(r.amount, r.currency), status=r.status, reason=r.reason, created_at=r.created_at
            )
            for r in refunds
        ],
        reason=order.reason,
        consent_by=order.consent_by,
        proposed=list(instead),
        created_at=order.created_at,
        paid_at=order.paid_at,
        secret=derive_secret(services.keyring, attempt.organization_id, order.id) if with_secret else None,
    )


def _to_ticket(ticket: Ticket, *, named: bool) -> TicketView:
    return TicketView(
        id=ticket.id,
        number=ticket.number,
        code=ticket.code if named else "",
        status=ticket.status,
        ticket_type_id=ticket.ticket_type_id,
        seat_id=ticket.seat_id,
        zone_id=ticket.zone_id,
        holder_name=ticket.holder_name if named else "",
    )


def _to_payment(services: Services, attempt: Attempt) -> PaymentView:
    return PaymentView(
        provider=attempt.provider,
        status=attempt.status,
        client_secret=attempt.client_secret if attempt.status == "pending" else None,
        failure_code=attempt.failure_code,
        failure=attempt.failure,
        notice=services.part(Providers).notice(attempt.provider),
    )
