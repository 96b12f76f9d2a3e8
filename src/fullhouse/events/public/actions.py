"""The public projection of events (`public_events`), and the actions of `/event/v1`."""

from typing import Any
from uuid import UUID

import msgspec
from msgspec import UNSET

from fullhouse.accounts import actions as accounts
from fullhouse.accounts.facts import OrganizationChanged, OrganizationStatusChanged
from fullhouse.events import actions, cache_keys, edits, policy, store
from fullhouse.events.facts import EventFact
from fullhouse.events.model import ChangeEvent, Event, NewEvent
from fullhouse.events.public.model import UNDATED, ChangePublicEvent, NewPublicEvent, OwnEvent, to_public_status
from fullhouse.events.venues import actions as venue_actions
from fullhouse.kit.actors import Principal
from fullhouse.kit.cache.cache import Cache
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import FieldError, Forbidden, Invalid
from fullhouse.kit.messages.outbox import Fact
from fullhouse.kit.text import fold, to_searchable

# PostgreSQL's stemmers by the organisation's language. Texts in other languages are found by whole words.
STEMMERS = {
    "da": "danish", "de": "german", "en": "english", "es": "spanish", "fi": "finnish", "fr": "french",
    "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip


_SAME_FIELDS = ("description", "category", "capacity", "cover_image_ids", "venue_id", "reason", "consent_note")


async def update_projection(tx: Tx, fact: EventFact) -> None:
    """Updates the public row: a sync handler of every fact about an event, in the same transaction."""
    event = await store.event_by_id(tx, fact.subject_id)
    if event is None:
        return  # deleted in this transaction, and its public row with it
    await store.lock_stats(tx, event.id)
    public = await store.find_public_event(tx, event.id)
    cities = {fold(event.city)} | ({fold(public.city)} if public else set())
    if any([await store.is_alone_in_its_city(tx, city_norm=city, event_id=event.id) for city in cities]):
        Cache.invalidate(tx, cache_keys.CITIES)
    categories = {event.category} | ({public.category} if public else set())
    if any([await store.is_alone_in_its_category(tx, category=category, event_id=event.id) for category in categories]):
        Cache.invalidate(tx, cache_keys.CATEGORIES)
    if not policy.is_visible(event.status):
        await store.delete_public_event(tx, fact.subject_id)
        return
    locale = (await accounts.require_profile(tx)).locale
    undated = policy.is_undated(event.status, event.rescheduled_at)
    start_at = UNDATED if undated else policy.date_of(event)
    await store.upsert_public_event(
        tx,
        event_id=event.id,
        slug=event.slug,
        title=event.name,
        description=event.description,
        category=event.category,
        status=event.status,
        venue_name=event.venue_name,
        city=event.city,
        city_norm=fold(event.city),
        country=event.country,
        address=event.address,
        timezone=event.timezone,
        start_at=start_at,
        end_at=start_at + policy.duration(event),
        first_start_at=event.start_at,
        rescheduled_at=event.rescheduled_at,
        sale_start_at=event.sale_start_at,
        sale_end_at=event.sale_end_at,
        capacity=event.capacity,
        cover_image_ids=event.cover_image_ids,
        published_at=event.published_at,
        title_words=to_searchable(event.name),
        name_words=to_searchable(event.venue_name),
        place_words=to_searchable(event.city),
        description_words=to_searchable(event.description),
        lexemes=filter_lexemes(city=event.city, category=event.category),
        language=STEMMERS.get(locale[:2], "simple"),
        owner_id=event.created_by,
        created_at=event.created_at,
    )
    await update_stock(tx, event.id)
    await store.insert_stats(tx, event.id)
    await update_ranks(tx, [event.id])


async def update_stock(tx: Tx, event_id: UUID) -> None:
    """Recomputes the public sale columns and invalidates their cache. To be called by everything that changes what an
    event has to sell, in the same transaction."""
    if await store.update_stock(tx, event_id):
        Cache.invalidate(tx, cache_keys.public_event(event_id), cache_keys.FEED)


def invalidate_event(tx: Tx, event_id: UUID) -> None:
    """Invalidates the cached public event."""
    Cache.invalidate(tx, cache_keys.public_event(event_id))


async def update_stock_after(tx: Tx, fact: Fact) -> None:
    """`update_stock` as the sync handler of a fact about an event."""
    await update_stock(tx, fact.subject_id)


async def invalidate_organization(tx: Tx, fact: OrganizationStatusChanged | OrganizationChanged) -> None:
    """Invalidates an organisation's caches: suspension hides its public events, and all of them carry its name."""
    Cache.invalidate(tx, cache_keys.organization(fact.subject_id), cache_keys.FEED, cache_keys.CITIES)


async def update_ranks(tx: Tx, event_ids: list[UUID]) -> None:
    """Updates ranks by heat: a first rank at once, later ones from a coming epoch on, so that paging is stable."""
    epoch = policy.epoch(await tx.now())
    await store.update_ranks(tx, event_ids=event_ids, next_epoch=epoch + policy.EPOCHS_AHEAD, epoch=epoch)


def filter_lexemes(*, city: str | None = None, category: str | None = None) -> list[str]:
    """Filters as lexemes that no text contains, so that one index serves words and filters together."""
    named = {"city": city and fold(city), "category": category}
    return [f"§{name}:{value}" for name, value in named.items() if value]


def to_tsquery(lexemes: list[str]) -> str | None:
    """An AND of the lexemes as a PostgreSQL tsquery; quotes and backslashes are doubled."""
    quoted = (lexeme.replace("\\", "\\\\").replace("'", "''") for lexeme in lexemes)
    return " & ".join(f"'{lexeme}'" for lexeme in quoted) or None


async def create(tx: Tx, who: Principal, request: NewPublicEvent) -> Event:
    if request.venue_id is None and request.city is None:
        raise Invalid(fields=[FieldError("city", "Enter a city or a venue_id.")])
    venue_id = request.venue_id or (await venue_actions.ensure_city_venue(tx, request.city or "")).id
    return await actions.create_event(
        tx,
        who,
        NewEvent(
            venue_id=venue_id,
            name=request.title,
            description=request.description,
            category=request.category,
            start_at=request.start_time,
            end_at=request.end_time,
            capacity=request.capacity,
            cover_image_ids=request.cover_image_ids,
        ),
    )


async def change(tx: Tx, who: Principal, event_id: UUID, request: ChangePublicEvent, if_match: str | None) -> Event:
    """Allowed to the event's creator, and to owners and admins."""
    await check_creator(tx, who, event_id)
    renamed = {"name": request.title, "start_at": request.start_time, "end_at": request.end_time}
    same: dict[str, Any] = {name: getattr(request, name) for name in _SAME_FIELDS}
    fields = {name: value for name, value in (renamed | same).items() if value is not UNSET}
    if request.city is not UNSET:
        if request.venue_id is not UNSET:
            raise Invalid(fields=[FieldError("city", "Enter a city or a venue_id, not both.")])
        fields["venue_id"] = (await venue_actions.ensure_city_venue(tx, request.city)).id
    return await actions.change_event(tx, who, event_id, ChangeEvent(**fields), if_match)


async def check_creator(tx: Tx, who: Principal, event_id: UUID) -> None:
    event = await actions.require_event(tx, event_id)
    if event.created_by != who.actor.id and not edits.may_publish(who):
        raise Forbidden("Only the event's creator, an admin or an owner can change it here.")


async def to_own_event(tx: Tx, event: Event) -> OwnEvent:
    return OwnEvent(
        id=event.id,
        owner_id=event.created_by,
        title=event.name,
        description=event.description,
        city=event.city,
        category=event.category,
        start_time=event.start_at,
        end_time=event.end_at,
        capacity=event.capacity,
        cover_image_ids=event.cover_image_ids,
        status=to_public_status(event.status, event.published_at, event.cancelled_at),
        active_participants=await store.active_participants(tx, event.id) or 0,
        published_at=event.published_at,
        canceled_at=event.cancelled_at,
        created_at=event.created_at,
        updated_at=event.updated_at,
    )


def with_public_status(event: OwnEvent) -> OwnEvent:
    return msgspec.structs.replace(event, status=to_public_status(event.status, event.published_at, event.canceled_at))
