"""An event's zones and seating policy for the hot path, from the nearest cache."""

import asyncio
from collections import OrderedDict
from typing import NamedTuple
from uuid import UUID

import msgspec

from fullhouse.kit.cache.cache import Cache
from fullhouse.kit.db.database import Tx
from fullhouse.kit.services import Services
from fullhouse.seating import actions, policy, store
from fullhouse.seating.facts import EventLayoutChanged, EventPolicyChanged, LayoutMigrated, SeatingPolicyChanged
from fullhouse.seating.model import EventZone
from fullhouse.seating.plans.config import plan as config_plan
from fullhouse.seating.policy import Effective

SEATING_S, POLICY_S = 60.0, 300.0
SHOWS_MAX = 1000


class Seating(msgspec.Struct, frozen=True):
    """The event's own part; empty for an event without a layout."""

    layout_id: UUID | None
    zones: dict[UUID, EventZone]
    policy: dict[str, bool | int | None]
    prices: dict[UUID, str]  # of zones that have another price category in this event


class OrganizationPolicy(msgspec.Struct, frozen=True):
    values: dict[str, bool | int | None]
    mandatory: list[str]


class Terms(msgspec.Struct, frozen=True):
    """The rules by which an event's seats are held."""

    seating: Seating
    policy: Effective


class _Merged(NamedTuple):
    """Rules, and what they were built from: valid for as long as the cache has both."""

    seating_key: str
    policy_key: str
    said: OrganizationPolicy
    terms: Terms


class Book:
    """The seating rules of events that are on sale, built once per process."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._merged: OrderedDict[tuple[UUID, UUID], _Merged] = OrderedDict()

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    def is_current(self, terms: Terms, organization_id: UUID, event_id: UUID) -> bool:
        """Whether these are still the event's rules, as far as this process knows."""
        peek, known = self._services.cache.peek, self._merged.get((organization_id, event_id))
        return (
            known is not None
            and known.terms is terms
            and peek(known.seating_key) is terms.seating
            and peek(known.policy_key) is known.said
        )

    async def terms(self, organization_id: UUID, event_id: UUID) -> Terms:
        key = (organization_id, event_id)
        known = self._merged.get(key)
        if known and self.is_current(known.terms, *key):
            return known.terms
        seating_key, policy_key = _seating_key(*key), _policy_key(organization_id)
        seating, organization = await _load(self._services, organization_id, event_id)
        found = Terms(seating, policy.merged(organization.values, organization.mandatory, seating.policy))
        self._merged[key] = _Merged(seating_key, policy_key, organization, found)
        if len(self._merged) > SHOWS_MAX:
            self._merged.popitem(last=False)
        return found


async def _load(services: Services, organization_id: UUID, event_id: UUID) -> tuple[Seating, OrganizationPolicy]:
    async def load_seating() -> Seating:
        async with services.database.tenant(organization_id) as tx:
            overlay = await store.event_layout(tx, event_id)
            zones = await store.zones_of_event(tx, event_id) if overlay else []
        if overlay is None:
            return Seating(None, {}, {}, {})
        prices = msgspec.convert(overlay.pricing_zones, dict[UUID, str])
        return Seating(overlay.layout_id, {zone.id: zone for zone in zones}, overlay.policy, prices)

    async def load_policy() -> OrganizationPolicy:
        async with services.database.tenant(organization_id) as tx:
            row = await store.seating_policy(tx)
        return OrganizationPolicy(row.values, row.mandatory) if row else OrganizationPolicy({}, [])

    seating = await services.cache.get(_seating_key(organization_id, event_id), SEATING_S, load_seating, Seating)
    organization = await services.cache.get(_policy_key(organization_id), POLICY_S, load_policy, OrganizationPolicy)
    return seating, organization


def _seating_key(organization_id: UUID, event_id: UUID) -> str:
    return f"org:{organization_id}:event:{event_id}:seating"


def _policy_key(organization_id: UUID) -> str:
    return f"org:{organization_id}:seating-policy"


async def layout_config(tx: Tx, layout_id: UUID) -> bytes:
    """The plan as a layout's config document, for callers outside this domain."""
    plan = await actions.get_plan(tx, layout_id)
    return await asyncio.to_thread(config_plan.write, plan)


# --- sync handlers: invalidation


async def forget_seating(tx: Tx, fact: EventLayoutChanged | EventPolicyChanged | LayoutMigrated) -> None:
    assert tx.organization_id
    Cache.invalidate(tx, _seating_key(tx.organization_id, fact.subject_id))


async def forget_policy(tx: Tx, fact: SeatingPolicyChanged) -> None:
    Cache.invalidate(tx, _policy_key(fact.subject_id))
