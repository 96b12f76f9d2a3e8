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
from fullhouse.seating.plans.config import converter as config_converter
from fullhouse.seating.policy import EffectivePolicy

SEATING_S, POLICY_S = 60.0, 300.0
EVENTS_MAX = 1000


class EventSeating(msgspec.Struct, frozen=True):
    """The event's own part; empty for an event without a layout."""

    layout_id: UUID | None
    zones: dict[UUID, EventZone]
    policy: dict[str, bool | int | None]
    prices: dict[UUID, str]  # of zones that have another price category in this event


class OrganizationPolicy(msgspec.Struct, frozen=True):
    values: dict[str, bool | int | None]
    mandatory: list[str]


class SeatingRules(msgspec.Struct, frozen=True):
    """The rules by which an event's seats are held."""

    seating: EventSeating
    policy: EffectivePolicy


class _CachedRules(NamedTuple):
    """Rules, and what they were built from: valid for as long as the cache has both."""

    seating_key: str
    policy_key: str
    organization_policy: OrganizationPolicy
    rules: SeatingRules


class SeatingConfigCache:
    """The seating rules of events that are on sale, built once per process."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._merged: OrderedDict[tuple[UUID, UUID], _CachedRules] = OrderedDict()

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    def is_current(self, terms: SeatingRules, organization_id: UUID, event_id: UUID) -> bool:
        """Whether these are still the event's rules, as far as this process knows."""
        peek, known = self._services.cache.peek, self._merged.get((organization_id, event_id))
        return (
            known is not None
            and known.rules is terms
            and peek(known.seating_key) is terms.seating
            and peek(known.policy_key) is known.organization_policy
        )

    async def get_rules(self, organization_id: UUID, event_id: UUID) -> SeatingRules:
        key = (organization_id, event_id)
        known = self._merged.get(key)
        if known and self.is_current(known.rules, *key):
            return known.rules
        seating_key, policy_key = _seating_key(*key), _policy_key(organization_id)
        seating, organization = await _load(self._services, organization_id, event_id)
        found = SeatingRules(seating, policy.merge_policy(organization.values, organization.mandatory, seating.policy))
        self._merged[key] = _CachedRules(seating_key, policy_key, organization, found)
        if len(self._merged) > EVENTS_MAX:
            self._merged.popitem(last=False)
        return found


async def _load(services: Services, organization_id: UUID, event_id: UUID) -> tuple[EventSeating, OrganizationPolicy]:
    async def load_seating() -> EventSeating:
        async with services.database.tenant(organization_id) as tx:
            overlay = await store.event_layout(tx, event_id)
            zones = await store.zones_of_event(tx, event_id) if overlay else []
        if overlay is None:
            return EventSeating(None, {}, {}, {})
        prices = msgspec.convert(overlay.pricing_zones, dict[UUID, str])
        return EventSeating(overlay.layout_id, {zone.id: zone for zone in zones}, overlay.policy, prices)

    async def load_policy() -> OrganizationPolicy:
        async with services.database.tenant(organization_id) as tx:
            row = await store.seating_policy(tx)
        return OrganizationPolicy(row.values, row.mandatory) if row else OrganizationPolicy({}, [])

    seating = await services.cache.get(_seating_key(organization_id, event_id), SEATING_S, load_seating, EventSeating)
    organization = await services.cache.get(_policy_key(organization_id), POLICY_S, load_policy, OrganizationPolicy)
    return seating, organization


def _seating_key(organization_id: UUID, event_id: UUID) -> str:
    return f"org:{organization_id}:event:{event_id}:seating"


def _policy_key(organization_id: UUID) -> str:
    return f"org:{organization_id}:seating-policy"


async def render_layout_config(tx: Tx, layout_id: UUID) -> bytes:
    """The plan as a layout's config document, for callers outside this domain."""
    plan = await actions.get_plan(tx, layout_id)
    return await asyncio.to_thread(config_converter.write_config, plan)


# --- sync handlers: invalidation


async def invalidate_seating(tx: Tx, fact: EventLayoutChanged | EventPolicyChanged | LayoutMigrated) -> None:
    assert tx.organization_id
    Cache.invalidate(tx, _seating_key(tx.organization_id, fact.subject_id))


async def invalidate_policy(tx: Tx, fact: SeatingPolicyChanged) -> None:
    Cache.invalidate(tx, _policy_key(fact.subject_id))
