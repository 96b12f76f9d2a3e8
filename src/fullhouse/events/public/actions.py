"""The public side of a show: its row in the projection, and what `/event/v1` does in its own words."""

from typing import Any
from uuid import UUID

import msgspec
from msgspec import UNSET

from fullhouse.accounts import actions as accounts
from fullhouse.accounts.facts import OrganizationChanged, OrganizationStatusChanged
from fullhouse.events import actions, edits, keys, policy, store
from fullhouse.events.facts import EventFact
from fullhouse.events.model import ChangeEvent, Event, NewEvent
from fullhouse.events.public.model import UNDATED, ChangePublicEvent, NewPublicEvent, OwnEvent, word
from fullhouse.events.venues import actions as venue_actions
from fullhouse.kit.actors import Principal
from fullhouse.kit.cache.cache import Cache
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import FieldError, Forbidden, Invalid
from fullhouse.kit.messages.outbox import Fact
from fullhouse.kit.text import folded, searchable

# The languages that PostgreSQL can stem, by the organisation's locale. Others are found by whole words.
STEMMERS = {
    "da": "danish", "de": "german", "en": "english", "es": "spanish", "fi": "finnish", "fr": "french",
    "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip


_SAME = ("description", "category", "capacity", "cover_image_ids", "venue_id", "reason", "consent_note")


async def project(tx: Tx, fact: EventFact) -> None:
    """Runs with every fact about a show, in its transaction: the public sees the change when it is true."""
    event = await store.event_by_id(tx, fact.subject_id)
    if event is None:
        return  # deleted in this transaction: its rows went with it
    await store.lock_stats(tx, event.id)
    shown = await store.public_event(tx, event.id)
    cities = {folded(event.city)} | ({folded(shown.city)} if shown else set())
    if any([await store.is_alone_in_its_city(tx, city_norm=city, event_id=event.id) for city in cities]):
        Cache.invalidate(tx, keys.CITIES)
    categories = {event.category} | ({shown.category} if shown else set())
    if any([await store.is_alone_in_its_category(tx, category=category, event_id=event.id) for category in categories]):
        Cache.invalidate(tx, keys.CATEGORIES)
    if not policy.is_visible(event.status):
        await store.hide_event(tx, fact.subject_id)
        return
    locale = (await accounts.get_profile(tx)).locale
    undated = policy.is_undated(event.status, event.rescheduled_at)
    start_at = UNDATED if undated else policy.date_of(event)
    await store.show_event(
        tx,
        event_id=event.id,
        slug=event.slug,
        title=event.name,
        description=event.description,
        category=event.category,
        status=event.status,
        venue_name=event.venue_name,
        city=event.city,
        city_norm=folded(event.city),
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
        title_words=searchable(event.name),
        name_words=searchable(event.venue_name),
        place_words=searchable(event.city),
        description_words=searchable(event.description),
        lexemes=filter_lexemes(city=event.city, category=event.category),
        language=STEMMERS.get(locale[:2], "simple"),
        owner_id=event.created_by,
        created_at=event.created_at,
    )
    await follow_stock(tx, event.id)
    await store.begin_stats(tx, event.id)
    await rank(tx, [event.id])


async def follow_stock(tx: Tx, event_id: UUID) -> None:
    """To be called by whatever changes what a show has to sell, when it is changed: the public sees it, and nobody is
    told from a cache what was true before."""
    if await store.follow_stock(tx, event_id):
        Cache.invalidate(tx, keys.show(event_id), keys.FEED)


def forget_event(tx: Tx, event_id: UUID) -> None:
    """Something that the public sees of it has changed."""
    Cache.invalidate(tx, keys.show(event_id))


async def follow_stock_of(tx: Tx, fact: Fact) -> None:
    """The same, as a consequence of a fact about a show."""
    await follow_stock(tx, fact.subject_id)


async def forget_house(tx: Tx, fact: OrganizationStatusChanged | OrganizationChanged) -> None:
    """A suspended organisation's shows vanish for the public, and come back with it. A new name is on all of them."""
    Cache.invalidate(tx, keys.house(fact.subject_id), keys.FEED, keys.CITIES)


async def rank(tx: Tx, event_ids: list[UUID]) -> None:
    """Gives shows the rank that their heat deserves: the first at once, later ones when nobody pages through it."""
    epoch = policy.epoch(await tx.now())
    await store.rank_event(tx, event_ids=event_ids, next_epoch=epoch + policy.EPOCHS_AHEAD, epoch=epoch)


def filter_lexemes(*, city: str | None = None, category: str | None = None) -> list[str]:
    """Filters as words of their own that no text contains, so that one index answers words and filters together."""
    named = {"city": city and folded(city), "category": category}
    return [f"§{name}:{value}" for name, value in named.items() if value]


def tsquery_of(lexemes: list[str]) -> str | None:
    """All of them, as PostgreSQL reads a tsquery: quotes and backslashes are doubled inside of quotes."""
    quoted = (lexeme.replace("\\", "\\\\").replace("'", "''") for lexeme in lexemes)
    return " & ".join(f"'{lexeme}'" for lexeme in quoted) or None


async def create(tx: Tx, who: Principal, wish: NewPublicEvent) -> Event:
    if wish.venue_id is None and wish.city is None:
        raise Invalid(fields=[FieldError("city", "Name a city, or a venue_id.")])
    venue_id = wish.venue_id or (await venue_actions.city_venue(tx, wish.city or "")).id
    return await actions.create_event(
        tx,
        who,
        NewEvent(
            venue_id=venue_id,
            name=wish.title,
            description=wish.description,
            category=wish.category,
            start_at=wish.start_time,
            end_at=wish.end_time,
            capacity=wish.capacity,
            cover_image_ids=wish.cover_image_ids,
        ),
    )


async def change(tx: Tx, who: Principal, event_id: UUID, wish: ChangePublicEvent, if_match: str | None) -> Event:
    """By its maker, or by an owner or admin."""
    await check_mine(tx, who, event_id)
    renamed = {"name": wish.title, "start_at": wish.start_time, "end_at": wish.end_time}
    same: dict[str, Any] = {name: getattr(wish, name) for name in _SAME}
    fields = {name: value for name, value in (renamed | same).items() if value is not UNSET}
    if wish.city is not UNSET:
        if wish.venue_id is not UNSET:
            raise Invalid(fields=[FieldError("city", "Either this or a venue_id.")])
        fields["venue_id"] = (await venue_actions.city_venue(tx, wish.city)).id
    return await actions.change_event(tx, who, event_id, ChangeEvent(**fields), if_match)


async def check_mine(tx: Tx, who: Principal, event_id: UUID) -> None:
    event = await actions.get_event(tx, event_id)
    if event.created_by != who.actor.id and not edits.in_charge(who):
        raise Forbidden("Only its maker, an admin or an owner changes a show here.")


async def own(tx: Tx, event: Event) -> OwnEvent:
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
        status=word(event.status, event.published_at, event.cancelled_at),
        active_participants=await store.active_participants(tx, event.id) or 0,
        published_at=event.published_at,
        canceled_at=event.cancelled_at,
        created_at=event.created_at,
        updated_at=event.updated_at,
    )


def spoken(event: OwnEvent) -> OwnEvent:
    return msgspec.structs.replace(event, status=word(event.status, event.published_at, event.canceled_at))
