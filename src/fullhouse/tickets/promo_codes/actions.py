"""Actions on promo codes, and on the fees and taxes of an event or organisation."""

from collections.abc import Iterable
from uuid import UUID

import asyncpg
import msgspec

from fullhouse.events import actions as events
from fullhouse.kit.codes import normalise
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.db.partial_updates import audit_difference, with_changes
from fullhouse.kit.errors import FieldError, Invalid, NotFound
from fullhouse.kit.http import versions
from fullhouse.kit.ids import new_id
from fullhouse.tickets import policy, store
from fullhouse.tickets.pricing import Charge
from fullhouse.tickets.types import actions as types
from fullhouse.tickets.types.model import (
    ChangePromoCode,
    ChargeList,
    CodeTaken,
    NewPromoCode,
    PromoCode,
    PromoInUse,
    PromoUsedUp,
    pick_fields,
)


async def list_promos(tx: Tx, event_id: UUID) -> list[PromoCode]:
    await events.require_event(tx, event_id)
    return await store.promos_of_event(tx, event_id)


async def require_promo(tx: Tx, event_id: UUID, promo_id: UUID) -> PromoCode:
    found = await store.promo_by_id(tx, event_id=event_id, promo_id=promo_id)
    if found is None:
        raise NotFound
    return found


async def create_promo(tx: Tx, event_id: UUID, request: NewPromoCode) -> PromoCode:
    await events.lock_event(tx, event_id)
    request = msgspec.structs.replace(request, code=normalise(request.code))
    await _check_promo(tx, event_id, request)
    names = ("code", "kind", "basis_points", "amount", "ticket_type_ids", "max_uses", "budget")
    times = ("valid_from", "valid_until", "active")
    try:
        promo = await store.insert_promo(tx, id=new_id(), event_id=event_id, **pick_fields(request, *names, *times))
    except asyncpg.UniqueViolationError:
        raise CodeTaken(f"The event already has a code “{request.code}”.", promo_code=request.code) from None
    assert promo
    await audit.write(tx, "promo_code.created", "promo_code", promo.id, after={n: getattr(promo, n) for n in names})
    return promo


async def change_promo(
    tx: Tx, event_id: UUID, promo_id: UUID, change: ChangePromoCode, if_match: str | None
) -> PromoCode:
    before = await store.lock_promo(tx, event_id=event_id, promo_id=promo_id)
    if before is None:
        raise NotFound
    versions.check_if_match(if_match, before.version)
    after = with_changes(before, change)
    if after == before:
        return before
    await _check_promo(tx, event_id, after)
    try:
        saved = await store.update_promo(
            tx,
            event_id=event_id,
            promo_id=promo_id,
            ticket_type_ids=after.ticket_type_ids,
            max_uses=after.max_uses,
            budget=after.budget,
            valid_from=after.valid_from,
            valid_until=after.valid_until,
            active=after.active,
        )
    except asyncpg.CheckViolationError:
        raise PromoInUse("The code has already been used more often, or has cost more, than the new limit.") from None
    assert saved
    await audit_difference(tx, "promo_code.updated", "promo_code", before, saved)
    return saved


async def delete_promo(tx: Tx, event_id: UUID, promo_id: UUID, if_match: str | None) -> None:
    promo = await store.lock_promo(tx, event_id=event_id, promo_id=promo_id)
    if promo is None:
        raise NotFound
    versions.check_if_match(if_match, promo.version)
    if not await store.delete_promo(tx, event_id=event_id, promo_id=promo_id):
        raise PromoInUse()
    await audit.write(tx, "promo_code.deleted", "promo_code", promo_id, before={"code": promo.code})


async def _check_promo(tx: Tx, event_id: UUID, promo: NewPromoCode | PromoCode) -> None:
    policy.check_promo(promo, {kind.id for kind in await store.types_of_event(tx, event_id)})


# --- for checkout


async def require_valid(tx: Tx, event_id: UUID, code: str) -> PromoCode:
    """A code that is valid now, without a lock."""
    found = await store.promo_by_code(tx, event_id=event_id, code=normalise(code))
    return policy.check_valid(found, await tx.now())


async def lock_valid(tx: Tx, event_id: UUID, code: str) -> PromoCode:
    """A code that is valid now and has a use left, locked until the commit, so that a quote with it can be used."""
    found = await store.lock_promo_by_code(tx, event_id=event_id, code=normalise(code))
    promo = policy.check_valid(found, await tx.now())
    if policy.is_used_up(promo):
        raise PromoUsedUp()
    return promo


async def lock_codes(tx: Tx, event_id: UUID, codes: Iterable[str | None]) -> None:
    """Locks codes in one order, before one is released and another is used."""
    await store.lock_promos_by_code(tx, event_id=event_id, codes=[normalise(code) for code in codes if code])


async def count_use(tx: Tx, promo: PromoCode, checkout_id: UUID, amount: int) -> None:
    """Counts one use of a code and its discount, for a checkout. The code is locked (`lock_valid`)."""
    if not await store.count_promo_use(tx, checkout_id=checkout_id, promo_id=promo.id, amount=amount):
        raise PromoUsedUp()


async def release_uses(tx: Tx, checkout_ids: Iterable[UUID]) -> None:
    """Releases the uses of these checkouts. Idempotent."""
    await store.release_promo_uses(tx, list(checkout_ids))


async def count_use_again(tx: Tx, checkout_id: UUID) -> str:
    """For an ended checkout with a late payment: `kept` if it still has its use or needs none, `again` if the use was
    counted again, `used_up` if no use is left."""
    return await store.count_promo_use_again(tx, checkout_id) or "kept"


# --- charges


async def load_charges(tx: Tx, event_id: UUID | None) -> ChargeList:
    """The event's own charges, otherwise the organisation's."""
    assert tx.organization_id
    if event_id:
        await events.require_event(tx, event_id)
    scopes = [scope for scope in (event_id, tx.organization_id) if scope]
    rows = {row.scope_id: row for row in await store.charge_lists(tx, scopes)}
    if event_id and (row := rows.get(event_id)):
        return ChargeList(source="event", charges=row.charges, version=row.version)
    if row := rows.get(tx.organization_id):
        return ChargeList(source="organization", charges=row.charges, version=row.version)
    return ChargeList(source="organization", charges=[], version=0)


async def set_charges(tx: Tx, event_id: UUID | None, requested: list[Charge], if_match: str | None) -> ChargeList:
    _check_charges(requested)
    if event_id:
        await events.lock_event(tx, event_id)
    before = await load_charges(tx, event_id)
    source = "event" if event_id else "organization"
    versions.check_if_match(if_match, before.version if before.source == source else 0)
    row = await store.put_charges(tx, scope_id=event_id or tx.organization_id, charges=msgspec.to_builtins(requested))
    assert row
    lists = [{"charges": msgspec.to_builtins(of)} for of in (before.charges, row.charges)]
    await audit.write(tx, "charges.updated", source, row.scope_id, before=lists[0], after=lists[1])
    for event in [event_id] if event_id else await store.events_without_charges(tx):
        types.publish_offers_changed(tx, event)
    return ChargeList(source=source, charges=row.charges, version=row.version)  # type: ignore[arg-type]


async def delete_charges(tx: Tx, event_id: UUID) -> None:
    """Deletes the event's own charges: the organisation's apply again."""
    await events.lock_event(tx, event_id)
    before = await load_charges(tx, event_id)
    if not await store.delete_charges(tx, event_id):
        raise NotFound
    deleted = {"charges": msgspec.to_builtins(before.charges)}
    await audit.write(tx, "charges.dropped", "event", event_id, before=deleted)
    types.publish_offers_changed(tx, event_id)


def _check_charges(requested: list[Charge]) -> None:
    wrong = []
    for n, charge in enumerate(requested):
        if not charge.amount and not charge.basis_points:
            wrong.append(FieldError(f"charges[{n}]", "Enter an amount, a percentage or both."))
        if charge.kind == "tax" and charge.amount:
            wrong.append(FieldError(f"charges[{n}].amount", "A tax must be a percentage."))
        if charge.kind == "fee" and charge.included:
            wrong.append(FieldError(f"charges[{n}].included", "Only a tax can be included in the price."))
    if wrong:
        raise Invalid(fields=wrong)
