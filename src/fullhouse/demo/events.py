"""The demo's venues and events: a theatre with companion seats and a members' lounge, an arena with 20,000 seats, and a
two-day festival in a garden. There are events in every status, each with the share of sales in its row.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from msgspec.structs import replace

from fullhouse.accounts.model import Role, User
from fullhouse.demo import sales, scans
from fullhouse.events import actions as events
from fullhouse.events.images import actions as image_actions
from fullhouse.events.images import poster_art
from fullhouse.events.model import Event, Gate, NewEvent, NewGate, NewVenue, Venue
from fullhouse.events.policy import Move
from fullhouse.events.venues import actions as venues
from fullhouse.kit.actors import Principal
from fullhouse.kit.db.database import Tx
from fullhouse.kit.media.files import Files
from fullhouse.kit.secrets import Keyring
from fullhouse.scanning.policy import day_of
from fullhouse.seating import actions as layouts
from fullhouse.seating import policy_actions as policies
from fullhouse.seating.model import AttachLayout, Layout, SetPolicy
from fullhouse.seating.overlay import actions as seating
from fullhouse.seating.plans import drafts
from fullhouse.seating.plans.generators import Arena, Festival, Theatre, generate
from fullhouse.seating.plans.plan import Plan, Point, PriceCategory, Row, Seat, Section, Zone, total_capacity
from fullhouse.tickets.policy import list_days
from fullhouse.tickets.pricing import Charge
from fullhouse.tickets.promo_codes import actions as promos
from fullhouse.tickets.types import actions as types
from fullhouse.tickets.types.model import NewPromoCode, NewTicketType
from fullhouse.waiting_room import actions as queue
from fullhouse.waiting_room.model import RoomSettings
from fullhouse.waitlist import actions as waitlist
from fullhouse.waitlist.model import JoinWaitlist

Report = Callable[[str], None]
WAITING_PARTIES = (2, 1, 4, 2, 3, 2, 1)  # on the waitlist, in the order of joining


class Context(NamedTuple):
    """What is needed to create an event: the transaction, people, keys and files."""

    tx: Tx
    owner: Principal
    keyring: Keyring
    files: Files
    buyers: Sequence[User]
    customer: User  # can sign in, and has tickets


class EventPlan(NamedTuple):
    """`day` counts from today; past and current events are dated back. `sold` is the share of capacity."""

    name: str
    category: str
    about: str
    day: float
    hours: float = 2
    moves: Sequence[Move] = (Move.PUBLISH,)
    sold: float = 0.0
    sale_days: float = 30  # days since the sale opened; negative if it opens later
    crowded: bool = False  # has a waiting room
    came: bool = False
    lounge: bool = True
    art: str | None = None  # its poster's motif


class VenuePlan(NamedTuple):
    venue: NewVenue
    gates: Sequence[tuple[str, str, int]]
    plan: Callable[[], Plan]
    shows: Sequence[EventPlan]
    types: Sequence[NewTicketType]


# --- the theatre

# 420 seats, four of them for wheelchairs with a companion each; and the lounge.
THEATRE_SEATS = Theatre(
    name="Harbour Theatre", stalls_rows=12, stalls_seats=22, circle_rows=5, circle_seats=26, wheelchair_places=4
)
LOUNGE_TABLES, AT_A_TABLE = 5, 4


def make_theatre() -> Plan:
    """The theatre's plan, with a lounge of five small tables behind the circle."""
    plan = generate(THEATRE_SEATS)
    middle, top = plan.width / 2, plan.height + 30
    rows = []
    for n in range(LOUNGE_TABLES):
        points = drafts.circle_points((middle + (n - 2) * 90, top + 34), 20, AT_A_TABLE)
        seats = tuple(
            Seat(key=f"L-{n + 1}-{i + 1}", number=str(i + 1), x=round(x, 1), y=round(y, 1))
            for i, (x, y) in enumerate(points)
        )
        rows.append(Row(label=f"Table {n + 1}", seats=seats, table=True))
    lounge = Zone(
        key="lounge",
        name="Patrons’ lounge",
        zone_type="vip_reserved",
        access_mode="membership_tier",
        membership_tier="patrons",
        price_category="lounge",
        area=tuple(Point(round(x, 1), round(y, 1)) for x, y in drafts.box(middle - 230, top, middle + 230, top + 68)),
        sections=(Section(key="lounge", name="Patrons’ lounge", rows=tuple(rows)),),
    )
    prices = (*plan.price_categories, PriceCategory(key="lounge", name="Patrons’ lounge", color="#8C2F6B"))
    grown = replace(plan, height=top + 100, zones=(*plan.zones, lounge), price_categories=prices)
    return replace(grown, total_capacity=total_capacity(grown))


_ENDED = (Move.PUBLISH, Move.START, Move.END)
THEATRE = VenuePlan(
    NewVenue(
        name="Harbour Theatre", city="Cape Town", country="ZA", timezone="Africa/Johannesburg",
        address="1 Quay Road, Waterfront, Cape Town", latitude=-33.9036, longitude=18.4207, max_capacity=440,
    ),
    (("FOYER", "Foyer", 400), ("STAGE_DOOR", "Stage door", 100)),
    make_theatre,
    (
        EventPlan("The Lighthouse Keeper", "theatre", "Two brothers, one lamp, and a winter that does not end. A new"
             " play in two acts, with live sound by the harbour's own bell ringers.", 21, sold=0.62, art="rays"),
        EventPlan("Night Ferry: a Concert in Four Tides", "concert", "Strings, brass and field recordings from the last"
             " ferry of the night. Four movements, no interval.", 35, 3, sold=0.34, sale_days=18, art="tide"),
        EventPlan("Salt and Ember", "dance", "Seven dancers, one fire. The company's farewell to its first season.", 6,
             sold=0.9, sale_days=44, art="flame"),
        EventPlan("The Cartographer's Daughter", "theatre", "She draws the coast that her father only dreamt of. Sold"
             " out since its second week.", 9, sold=1.0, sale_days=52, lounge=False, art="contours"),
        EventPlan("Midnight at the Quay", "theatre", "A murder, a foghorn and eleven suspects. The sale opens soon.",
             70, sale_days=-3, art="skyline"),
        EventPlan("Open Rehearsal", "theatre", "Watch the company at work.", 12, 1, moves=(), art="arches"),
        EventPlan("Storm Season", "theatre", "The sea comes in. A family stays.", 28, sold=0.28,
             moves=(Move.PUBLISH, Move.POSTPONE), art="rain"),
        EventPlan("A Winter of Small Songs", "concert", "Songs for one voice and one piano, by candlelight.", 18,
             sold=0.4, moves=(Move.PUBLISH, Move.POSTPONE, Move.RESCHEDULE), art="keys"),
        EventPlan("Harbour Jazz Brunch", "concert", "Coffee, oysters, and a quintet.", 16, sold=0.03,
             moves=(Move.PUBLISH, Move.CANCEL), art="records"),
        EventPlan("The Glass Garden", "theatre", "A greenhouse at the end of the world.", -9, sold=0.86, sale_days=60,
             moves=_ENDED, came=True, art="leaves"),
        EventPlan("Spring Gala", "gala", "The opening night of the season.", -38, 3, sold=0.55, sale_days=75,
             moves=(*_ENDED, Move.ARCHIVE), came=True, art="curtain"),
    ),
    (
        NewTicketType(name="Full price", kind="seated", price=32000, currency="ZAR", zones=["stalls", "circle"],
                      prices={"premium": 45000, "circle": 24000}),
        NewTicketType(name="Patron", kind="seated", tier="vip", price=65000, currency="ZAR", zones=["lounge"],
                      description="A table, a drink, and meet the cast afterwards. For patrons only.", position=2),
        NewTicketType(name="Under 26", kind="seated", price=16000, currency="ZAR", zones=["stalls", "circle"],
                      prices={"circle": 12000}, description="Bring something that shows your age.", max_per_order=4,
                      position=1),
    ),
)  # fmt: skip

# --- the arena

ARENA = VenuePlan(
    NewVenue(
        name="Table Bay Arena", city="Cape Town", country="ZA", timezone="Africa/Johannesburg",
        address="40 Stadium Drive, Paarden Eiland, Cape Town", latitude=-33.9154, longitude=18.4673,
        max_capacity=20_000,
    ),
    (("NORTH", "North", 6000), ("EAST", "East", 5000), ("SOUTH", "South", 6000), ("WEST", "West", 5000)),
    lambda: generate(Arena(name="Table Bay Arena", tiers=3, rows_per_tier=22, floor=2106, stage="end")),
    (
        EventPlan("Aurora: the World Tour", "concert", "Two hours of light. The band's only night on this continent,"
             " with an orchestra of sixty and the choir of the city.", 45, 3, sold=0.12, sale_days=11, crowded=True,
             art="aurora"),
    ),
    (
        NewTicketType(name="Seat", kind="seated", price=85000, currency="ZAR",
                      prices={"tier-1": 125000, "tier-2": 95000, "tier-3": 60000}),
        NewTicketType(name="Standing", kind="ga", price=75000, currency="ZAR", zones=["floor"],
                      entitlement="ga_standing", position=1),
    ),
)  # fmt: skip

# --- the festival: two days, one ticket for both, four kinds of zones

FESTIVAL = VenuePlan(
    NewVenue(
        name="Signal Hill Gardens", city="Cape Town", country="ZA", timezone="Africa/Johannesburg",
        address="Signal Hill Road, Cape Town", latitude=-33.9180, longitude=18.4041, max_capacity=1050,
    ),
    (("MAIN", "Main gate", 800), ("GARDEN", "Garden gate", 400)),
    lambda: generate(Festival(name="Signal Hill Gardens", membership_tier="patrons")),
    (
        EventPlan("Signal Hill Sounds", "festival", "Two days under the pines: an orchestra in rows, a floor with"
             " cushions, a pit for dancing, and a lounge for patrons. One ticket, both days.", 0, 30, sold=0.68,
             sale_days=40, moves=(Move.PUBLISH, Move.START), came=True, art="hills"),
    ),
    (
        NewTicketType(name="Orchestra, two days", kind="seated", price=150000, currency="ZAR", zones=["orchestra"],
                      entitlement="unlimited_multi_day"),
        NewTicketType(name="Floor, two days", kind="ga", price=100000, currency="ZAR", zones=["floor"],
                      entitlement="ga_seated", quantity=400, position=1),
        NewTicketType(name="Pit, two days", kind="ga", price=80000, currency="ZAR", zones=["pit"],
                      entitlement="ga_standing", quantity=300, position=2),
        NewTicketType(name="VIP lounge, two days", kind="seated", tier="vip", price=300000, currency="ZAR",
                      zones=["lounge"], entitlement="unlimited_multi_day", position=3),
    ),
)  # fmt: skip

VENUES = (THEATRE, ARENA, FESTIVAL)
CHARGES = [
    Charge(name="Booking fee", kind="fee", amount=750),
    Charge(name="VAT", kind="tax", basis_points=1500, included=True),
]


async def create_events(cast: Context, tell: Report, places: Sequence[VenuePlan] = VENUES) -> None:
    """Creates all venues and events."""
    await promos.set_charges(cast.tx, None, CHARGES, None)
    await policies.set_policy(cast.tx, SetPolicy(values={"allow_vip_zones": True}))
    for place in places:
        tell(f"{place.venue.name}, capacity {place.venue.max_capacity:,}")
        venue = await venues.create_venue(cast.tx, cast.owner, place.venue)
        gates = [
            await venues.create_gate(cast.tx, cast.owner, venue.id, NewGate(gate_code=code, name=name, capacity=most))
            for code, name, most in place.gates
        ]
        layout = await layouts.create_layout(cast.tx, cast.owner, venue.id, place.plan)
        await layouts.activate(cast.tx, layout.id)
        for show in place.shows:
            sold, came = await _create_event(cast, place, venue, gates, layout, show)
            tell(f"  {show.name}" + (f": {sold:,} sold" if sold else "") + (f", {came:,} scanned" if came else ""))


async def _create_event(
    cast: Context, place: VenuePlan, venue: Venue, gates: Sequence[Gate], layout: Layout, show: EventPlan
) -> tuple[int, int]:
    tx, now = cast.tx, await cast.tx.now()
    event = await _insert_event(cast, place, venue, show, now)
    sold = came = 0
    if show.moves:  # every published event has seats
        await _attach_layout(cast, layout, event, show)
    for move in show.moves:
        if move is not Move.PUBLISH and not sold and show.sold:
            sold = await _sell_share(cast, event, show)
        if move is Move.END and show.came:
            came = await scans.record_entries(tx, cast.keyring, event, gates, event.start_at)
        new_date = event.start_at + timedelta(days=40) if move is Move.RESCHEDULE else None
        reason = None if move in (*_ENDED, Move.ARCHIVE) else "Storm warning"
        await events.move_event(tx, event.id, move, new_date=new_date, reason=reason)
        if move is Move.PUBLISH:
            event = await _date_back(tx, event, show, now)
            await _open_sale(cast, place, event, show)
    if show.sold and not sold:
        sold = await _sell_share(cast, event, show)
    if show.came and not came:
        came = await scans.record_entries(tx, cast.keyring, event, gates, now - timedelta(minutes=2))
    if show.crowded:
        await queue.change_settings(tx, cast.keyring, event.id, RoomSettings(mode="on", slots=200))
    if show.sold == 1:
        await _join_waitlist(cast, event)
    return sold, came


async def _join_waitlist(cast: Context, event: Event) -> None:
    """Puts people on the waitlist of a sold-out event."""
    for late, party in zip(cast.buyers, WAITING_PARTIES, strict=False):
        who = replace(cast.owner, actor=replace(cast.owner.actor, id=late.id, name=late.name), role=Role.CUSTOMER)
        await waitlist.join(cast.tx, cast.keyring, who, event.id, JoinWaitlist(party=party))


async def _insert_event(cast: Context, place: VenuePlan, venue: Venue, show: EventPlan, now: datetime) -> Event:
    start_at = _start_of(show, now)
    soonest = now + timedelta(hours=4)  # an event cannot be created in the past: `_date_back` moves it there
    planned = max(start_at, soonest)
    picture = await image_actions.add_in_transaction(cast.tx, cast.files, poster_art.draw_poster(show.name, show.art))
    request = NewEvent(
        venue_id=venue.id,
        name=show.name,
        description=f"{show.about}\n\nDoors open an hour before.",
        category=show.category,
        start_at=planned,
        end_at=planned + timedelta(hours=show.hours),
        doors_at=planned - timedelta(hours=1),
        sale_start_at=now.replace(minute=0, second=0, microsecond=0) - timedelta(days=show.sale_days),
        sale_end_at=planned + timedelta(hours=show.hours if show.day == 0 else 0),
        capacity=place.venue.max_capacity if show.lounge else 420,
        cover_image_ids=[picture.id],
    )
    return await events.create_event(cast.tx, cast.owner, request)


def _start_of(show: EventPlan, now: datetime) -> datetime:
    if show.day == 0:
        return now.replace(minute=0, second=0, microsecond=0) - timedelta(hours=2)
    return now.replace(hour=17, minute=30, second=0, microsecond=0) + timedelta(days=show.day)


async def _attach_layout(cast: Context, layout: Layout, event: Event, show: EventPlan) -> None:
    zones = (await layouts.to_view(cast.tx, layout)).zones
    closed = [] if show.lounge else [zone.id for zone in zones if zone.key == "lounge"]
    await seating.attach(cast.tx, event.id, AttachLayout(layout_id=layout.id, disabled_zones=closed), None)


async def _open_sale(cast: Context, place: VenuePlan, event: Event, show: EventPlan) -> None:
    """Creates the ticket types, once the event has its date. Tickets of the event on now name their days, but not
    in the small hours: the gate then still counts the day before, on which that event had not begun.
    """
    days = list_days(event)
    if show.day or day_of(await cast.tx.now(), event.timezone) not in days:
        days = set()
    for kind in place.types:
        if show.lounge or kind.zones != ["lounge"]:
            await types.create_type(cast.tx, event.id, replace(kind, valid_days=sorted(days)))
    if show.sold and place is THEATRE:
        code = NewPromoCode(code="FRIENDS", kind="percent", basis_points=1000, max_uses=100)
        await promos.create_promo(cast.tx, event.id, code)


async def _sell_share(cast: Context, event: Event, show: EventPlan) -> int:
    first = cast.customer if show.came or show.sold > 0.5 else None
    return await sales.sell_share(cast.tx, cast.keyring, event, cast.buyers, show.sold, first)


_DATE_BACK = """
    UPDATE events SET start_at = start_at + $3, end_at = end_at + $3, doors_at = doors_at + $3,
        sale_end_at = sale_end_at + $3, created_at = least(created_at, sale_start_at),
        published_at = least(published_at, sale_start_at)
    WHERE organization_id = $1 AND id = $2
"""


async def _date_back(tx: Tx, event: Event, show: EventPlan, now: datetime) -> Event:
    """Dates past events back as their rows say, and every announcement to the start of the sale. The public projection
    follows with the next change of status.
    """
    await tx.execute(_DATE_BACK, tx.organization_id, event.id, _start_of(show, now) - event.start_at)
    return await events.require_event(tx, event.id)
