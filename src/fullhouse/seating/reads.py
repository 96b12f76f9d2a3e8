"""What the hot path needs to know of a show's seating, from the nearest cache: its zones, and its policy."""

from uuid import UUID

import msgspec

from fullhouse.kit.cache import Cache
from fullhouse.kit.db import Tx
from fullhouse.kit.services import Services
from fullhouse.seating import actions, policy, store
from fullhouse.seating.facts import EventLayoutChanged, LayoutMigrated, SeatingPolicyChanged
from fullhouse.seating.model import EventZone
from fullhouse.seating.plan import encode
from fullhouse.seating.policy import Effective

SEATING_S, POLICY_S = 60.0, 300.0


class Seating(msgspec.Struct, frozen=True):
    """A show's own part; without a layout there is none of it."""

    layout_id: UUID | None
    zones: dict[UUID, EventZone]
    policy: dict[str, bool | int | None]
    prices: dict[UUID, str]  # of zones that have another price in this show


class OrganizationPolicy(msgspec.Struct, frozen=True):
    values: dict[str, bool | int | None]
    mandatory: list[str]


class Terms(msgspec.Struct, frozen=True):
    """On what terms a show's places are held."""

    seating: Seating
    policy: Effective


async def terms(services: Services, organization_id: UUID, event_id: UUID) -> Terms:
    async def load_seating() -> Seating:
        async with services.database.tenant(organization_id) as tx:
            overlay = await store.event_layout(tx, organization_id, event_id)
            zones = await store.zones_of_event(tx, organization_id, event_id) if overlay else []
        if overlay is None:
            return Seating(None, {}, {}, {})
        prices = msgspec.convert(overlay.pricing_zones, dict[UUID, str])
        return Seating(overlay.layout_id, {zone.id: zone for zone in zones}, overlay.policy, prices)

    async def load_policy() -> OrganizationPolicy:
        async with services.database.tenant(organization_id) as tx:
            row = await store.seating_policy(tx, organization_id)
        return OrganizationPolicy(row.values, row.mandatory) if row else OrganizationPolicy({}, [])

    seating = await services.cache.get(_seating_key(organization_id, event_id), SEATING_S, load_seating, Seating)
    said = await services.cache.get(_policy_key(organization_id), POLICY_S, load_policy, OrganizationPolicy)
    return Terms(seating, policy.merged(said.values, said.mandatory, seating.policy))


def _seating_key(organization_id: UUID, event_id: UUID) -> str:
    return f"org:{organization_id}:event:{event_id}:seating"


def _policy_key(organization_id: UUID) -> str:
    return f"org:{organization_id}:seating-policy"


async def layout_config(tx: Tx, layout_id: UUID) -> bytes:
    """The plan as it was sent to us, for those who read it outside."""
    return encode(await actions.get_plan(tx, layout_id))


# --- consequences: what makes it wrong


async def forget_seating(tx: Tx, fact: EventLayoutChanged | LayoutMigrated) -> None:
    assert tx.organization_id
    Cache.invalidate(tx, _seating_key(tx.organization_id, fact.subject_id))


async def forget_policy(tx: Tx, fact: SeatingPolicyChanged) -> None:
    Cache.invalidate(tx, _policy_key(fact.subject_id))
