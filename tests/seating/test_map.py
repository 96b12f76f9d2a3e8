"""The map for everybody: the geometry once and for good, the states by version, seats and counts."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import product
from typing import Any
from uuid import UUID

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fullhouse.kit.cache.limits import Limit
from fullhouse.kit.ids import new_id
from fullhouse.seating.allocation.index import build_index
from fullhouse.seating.maps import routes
from fullhouse.seating.maps.geometry import decode_geometry, unpack_states
from fullhouse.seating.maps.seat_states import SeatStates, build_seat_index
from fullhouse.seating.maps.seat_states import to_zone_occupancy as count_zone
from fullhouse.seating.model import EventZone
from fullhouse.seating.plans.chart import build_chart, ordinal_of, seat_id
from fullhouse.seating.plans.plan import Plan
from tests.accounts.helpers import data, refused
from tests.events.helpers import draft, move, show_in
from tests.fixtures import Client, Tenant
from tests.seating.helpers import (
    allow,
    attach,
    count_in_pool,
    hold,
    house,
    make_layout,
    rows_of,
    seat_of,
    seated_show,
    sell,
    without_lounge,
    zone_id,
)

FREE, HELD, SOLD, BLOCKED = range(4)


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


def path_of(event: Any, what: str) -> str:
    return f"/api/events/{event['id']}/{what}"


async def states(client: Client, event: Any, count: int = 5) -> list[int]:
    answer = await client.get(path_of(event, "availability"))
    assert answer.status_code == 200, answer.text
    assert len(answer.content) == -(-count // 4)
    found: list[int] = unpack_states(answer.content, count).tolist()
    return found


# --- geometry


@pytest.mark.req("CACHE-2")
async def test_the_geometry_as_bytes(client: Client, admin: Client) -> None:
    event, layout = await seated_show(admin)
    path = path_of(event, "seatmap")
    packed = await client.get(path, headers={"accept-encoding": "gzip"})
    plain = await client.get(path, headers={"accept-encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.content == plain.content  # httpx has unpacked it
    assert plain.headers["content-type"] == "application/octet-stream"
    assert plain.headers["x-layout-id"] == layout["id"]
    assert plain.headers["vary"] == "accept-encoding"
    drawn = decode_geometry(plain.content)
    chart = build_chart(without_lounge())
    assert drawn.x == pytest.approx(chart.x, abs=0.1)
    assert len(drawn.x) == 5


@pytest.mark.req("CACHE-2")
async def test_the_geometry_as_json(client: Client, admin: Client) -> None:
    event, _ = await seated_show(admin)
    answer = await client.get(path_of(event, "seatmap?format=json"))
    assert answer.headers["content-type"].startswith("application/json")
    assert [zone["key"] for zone in data(answer)["zones"]] == ["stalls", "pit"]
    assert (await client.get(path_of(event, "seatmap?format=xml"))).status_code == 422


@pytest.mark.req("CACHE-2")
@pytest.mark.parametrize("format", ["binary", "json"])
async def test_a_named_version_may_be_kept_for_good(format: str, client: Client, admin: Client) -> None:
    event, layout = await seated_show(admin)
    path = path_of(event, f"seatmap?format={format}")
    unnamed, named = await client.get(path), await client.get(f"{path}&layout={layout['id']}")
    other = await client.get(f"{path}&layout={new_id()}")
    assert named.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert unnamed.headers["cache-control"] == other.headers["cache-control"] == "no-cache"
    tag = named.headers["etag"]
    for known in (tag, f"W/{tag}", f'"other", {tag}'):
        again = await client.get(path, headers={"if-none-match": known})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    assert (await client.get(path, headers={"if-none-match": '"other"'})).status_code == 200
    others = "json" if format == "binary" else "binary"
    assert (await client.get(path_of(event, f"seatmap?format={others}"))).headers["etag"] != tag


# --- availability


@pytest.mark.req("CACHE-2")
async def test_the_states_and_their_version(client: Client, admin: Client, owner: Any, tenant: Tenant) -> None:
    event, layout = await seated_show(admin)
    await sell(owner, event, "A-3")
    await hold(owner, event, "A-4")
    path = path_of(event, "availability")
    first = await client.get(path)
    assert unpack_states(first.content, 5).tolist() == [FREE, FREE, SOLD, HELD, FREE]
    assert (first.headers["x-layout-id"], first.headers["cache-control"]) == (layout["id"], "no-cache")
    tag = first.headers["etag"]
    for known, lane in product((tag, f"W/{tag}", f'"x", {tag}', f'"{"x" * 1000}", {tag}'), (path, f"{path}?x=1")):
        same = await client.get(lane, headers={"if-none-match": known})
        assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", tag)
    wish = {"seat_ids": [str(await seat_of(owner, event, "A-5"))], "reason": "Camera"}
    data(await admin.post(path_of(event, "seats/block"), json=wish))
    changed = await client.get(path, headers={"if-none-match": tag})
    assert changed.status_code == 200
    assert changed.headers["etag"] != tag
    assert unpack_states(changed.content, 5).tolist() == [FREE, FREE, SOLD, HELD, BLOCKED]
    wide = await client.get(f"{path}?x=1")  # Litestar's twin says the same
    assert wide.content == changed.content


@pytest.mark.req("HOLD-4")
async def test_a_hold_that_has_expired_is_free(client: Client, admin: Client, owner: Any, clock: Any) -> None:
    event, _ = await seated_show(admin)
    await hold(owner, event, "A-4", seconds=30)
    await clock(timedelta(seconds=31))
    assert await states(client, event) == [FREE] * 5
    seat = data(await client.get(path_of(event, f"seats/{await seat_of(owner, event, 'A-4')}")))
    assert seat["status"] == "available"


@pytest.mark.req("ACC-1")
async def test_a_kept_companion_looks_blocked_to_everybody(client: Client, admin: Client, owner: Any) -> None:
    event, _ = await seated_show(admin)
    companion = await seat_of(owner, event, "A-2")
    await owner.execute(
        "UPDATE event_seats SET reserved_for = $2, reserved_until = 'infinity' WHERE seat_id = $1", companion, new_id()
    )
    assert await states(client, event) == [FREE, BLOCKED, FREE, FREE, FREE]
    one = data(await client.get(path_of(event, f"seats/{companion}")))
    listed = data(await client.get(path_of(event, "seats")))[1]
    assert one == listed
    assert one["status"] == "blocked"
    assert not {"reserved_for", "hold_id", "ticket_id", "held_until"} & set(one)
    counts = data(await client.get(path_of(event, "occupancy")))["zones"][0]
    assert (counts["available"], counts["blocked"]) == (4, 1)


@pytest.mark.parametrize("what", ["seatmap", "availability", "seats", "seats/{id}", "occupancy"])
async def test_a_show_that_is_not_public_has_no_map(what: str, client: Client, admin: Client) -> None:
    what = what.format(id=new_id())
    event, _ = await seated_show(admin, status="draft")
    missing = await client.get(path_of({"id": new_id()}, what))
    hidden = await client.get(path_of(event, what))
    assert refused(hidden) == refused(missing) == (404, "event_not_found")
    data(await move(admin, event, "publish"))
    assert (await client.get(path_of(event, what))).status_code in (200, 404)
    bare = await show_in(admin, "published", name="Without seats")
    assert refused(await client.get(path_of(bare, what))) == (404, "event_has_no_layout")


# --- seats


@pytest.mark.req("SEAT-3")
async def test_seats_are_listed_by_zone_and_page(
    client: Client, admin: Client, services: Any, tenant: Tenant, owner: Any
) -> None:
    await allow(services, tenant, allow_vip_zones=True)
    event, layout = await seated_show(admin, house())
    stalls, pit, lounge = (zone_id(layout, key) for key in ("stalls", "pit", "lounge"))
    every = data(await client.get(path_of(event, "seats")))
    assert [seat["seat_key"] for seat in every] == ["A-1", "A-2", "A-3", "A-4", "A-5", "V-1", "V-2"]
    assert [seat["ordinal"] for seat in every] == list(range(7))
    assert [seat["id"] for seat in every] == [str(seat_id(UUID(layout["id"]), n)) for n in range(7)]
    assert every[1]["companion_of"] == every[0]["id"]
    assert (every[4]["price_category"], every[3]["price_category"]) == ("two", "one")
    assert (every[4]["section"], every[4]["row"], every[4]["number"]) == ("Main", "A", "5")
    for zone, keys in ((stalls, ["A-1", "A-2", "A-3", "A-4", "A-5"]), (pit, []), (lounge, ["V-1", "V-2"])):
        found: list[str] = []
        cursor = ""
        while True:
            page = (await client.get(path_of(event, f"seats?zone_id={zone}&limit=2{cursor}"))).json()
            found += [seat["seat_key"] for seat in page["data"]]
            assert len(page["data"]) <= 2
            if page["next_cursor"] is None:
                break
            cursor = f"&cursor={page['next_cursor']}"
        assert found == keys
    assert data(await client.get(path_of(event, f"seats?zone_id={new_id()}"))) == []
    first = (await client.get(path_of(event, "seats?limit=2"))).json()["next_cursor"]
    assert refused(await client.get(path_of(event, f"seats?zone_id={stalls}&cursor={first}"))) == (
        422,
        "invalid_cursor",
    )
    for seat in every:
        assert data(await client.get(path_of(event, f"seats/{seat['id']}"))) == seat
    for strange in (new_id(), seat_id(UUID(layout["id"]), 7)):
        assert refused(await client.get(path_of(event, f"seats/{strange}"))) == (404, "seat_not_found")


@pytest.mark.req("SEAT-3")
async def test_seats_that_the_show_does_not_have(client: Client, admin: Client, services: Any, tenant: Tenant) -> None:
    """Of a disabled zone, and of one in which people stand: neither listed nor found; on the map they are blocked."""
    await allow(services, tenant, allow_vip_zones=True)
    layout = await make_layout(admin)
    event = await show_in(admin, "published", venue_id=layout["venue_id"])
    overlay = {
        "disabled_zones": [zone_id(layout, "lounge")],
        "zone_overrides": {zone_id(layout, "stalls"): {"zone_type": "ga_standing"}},
    }
    data(await attach(admin, event, layout, **overlay))
    assert data(await client.get(path_of(event, "seats"))) == []
    gone = seat_id(UUID(layout["id"]), 6)
    assert refused(await client.get(path_of(event, f"seats/{gone}"))) == (404, "seat_not_found")
    assert await states(client, event, 7) == [BLOCKED] * 7
    counts = data(await client.get(path_of(event, "occupancy")))
    assert [(zone["zone_type"], zone["available"], zone["blocked"]) for zone in counts["zones"]] == [
        ("ga_standing", 5, 0),
        ("ga_standing", 40, 0),
    ]


@pytest.mark.req("SEAT-3")
async def test_a_shows_prices_by_zone(client: Client, admin: Client) -> None:
    event, layout = await seated_show(admin)
    data(await attach(admin, event, layout, pricing_zones={zone_id(layout, "stalls"): "two"}))
    assert {seat["price_category"] for seat in data(await client.get(path_of(event, "seats")))} == {"two"}


async def test_one_layout_and_two_shows(client: Client, admin: Client, owner: Any) -> None:
    """A seat's state is the show's own, its identity the layout's."""
    first, layout = await seated_show(admin)
    second = await draft(admin, venue_id=layout["venue_id"], name="Matinée")
    data(await attach(admin, second, layout))
    data(await move(admin, second, "publish"))
    await sell(owner, first, "A-3")
    assert (await states(client, first))[2] == SOLD
    assert (await states(client, second))[2] == FREE
    ids = [[seat["id"] for seat in data(await client.get(path_of(show, "seats")))] for show in (first, second)]
    assert ids[0] == ids[1]


async def test_a_layout_without_any_seat(client: Client, admin: Client) -> None:
    plan = without_lounge()
    event, _ = await seated_show(admin, msgspec.structs.replace(plan, zones=plan.zones[1:], focal_point=None))
    assert await states(client, event, 0) == []
    assert (await client.get(path_of(event, "seatmap"))).status_code == 200
    assert data(await client.get(path_of(event, "seats"))) == []
    assert data(await client.get(path_of(event, "occupancy")))["available"] == 40


# --- counts


@pytest.mark.req("ZONE-1", "CACHE-2")
async def test_occupancy(client: Client, admin: Client, owner: Any) -> None:
    event, layout = await seated_show(admin)
    await sell(owner, event, "A-3", "A-4")
    await hold(owner, event, "A-5")
    await count_in_pool(owner, event, zone_id(layout, "pit"), held=3, sold=10)
    found = data(await client.get(path_of(event, "occupancy")))
    stalls, pit = found["zones"]
    names = ("capacity", "available", "held", "sold", "blocked")
    assert [stalls[name] for name in names] == [5, 2, 1, 2, 0]
    assert [pit[name] for name in names] == [40, 27, 3, 10, 0]
    assert [found[name] for name in names] == [45, 29, 4, 12, 0]
    assert found["version"] == (await client.get(path_of(event, "availability"))).headers["etag"].strip('"')


@pytest.mark.req("SEAT-3")
async def test_any_show_says_whether_it_has_seats(admin: Client, owner: Any) -> None:
    bare = await draft(admin)
    assert data(await admin.get(path_of(bare, "seating"))) == {"layout_id": None, "occupancy": None}
    event, layout = await seated_show(admin)
    found = data(await admin.get(path_of(event, "seating")))
    assert found == {
        "layout_id": layout["id"],
        "occupancy": data(await admin.get(path_of(event, "layout/occupancy"))),
    }
    assert refused(await admin.get(path_of({"id": new_id()}, "seating"))) == (404, "not_found")


def hall(plan: Plan, states: Sequence[int]) -> SeatStates:
    zones = [new_id() for _ in plan.zones]
    built = build_seat_index(new_id(), plan, build_index(build_chart(plan)), zones)
    return SeatStates(new_id(), new_id(), built, np.array(states, np.uint8))


@pytest.mark.req("ZONE-1")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(0, 4), min_size=7, max_size=7), st.integers(0, 40), st.integers(0, 40))
def test_the_counts_add_up_whatever_the_states(states: list[int], held: int, sold: int) -> None:
    found = hall(house(), states)
    for position, zone in enumerate(house().zones):
        seats = sum(len(row.seats) for section in zone.sections for row in section.rows)
        capacity = seats or held + sold
        shown = EventZone(
            id=new_id(),
            position=position,
            key=zone.key,
            name=zone.name,
            zone_type=zone.zone_type,
            capacity=capacity,
            access_mode="public",
            membership_tier=None,
            allowed_roles=[],
            price_category=None,
            priced_as=None,
            companions_released=False,
            held=held,
            sold=sold,
        )
        counted = count_zone(shown, found.counts()[position].tolist())
        assert counted.available + counted.held + counted.sold + counted.blocked == counted.capacity
        assert min(counted.available, counted.held, counted.sold, counted.blocked) >= 0
    assert unpack_states(found.packed, 7).tolist() == [min(state, BLOCKED) for state in states]


def test_the_ordinals_of_a_zone() -> None:
    found = hall(house(), [0] * 7).seat_index
    assert [found.zone_range(zone) for zone in found.zone_ids] == [(0, 5), (5, 5), (5, 7)]
    assert found.zone_range(None) == (0, 7)
    assert found.zone_range(new_id()) == (0, 0)


@given(st.uuids(), st.integers(0, 200_000))
def test_a_seats_id_is_its_layouts_and_its_ordinal(layout: UUID, ordinal: int) -> None:
    made = seat_id(layout, ordinal)
    assert ordinal_of(layout, made) == ordinal
    assert ordinal_of(UUID(int=layout.int ^ 1 << 100), made) is None


def test_names_of_rows_and_seats() -> None:
    names = hall(rows_of(("A", 2), ("B", 1)), [0] * 3).seat_index.names
    assert [names.row(n) for n in (0, 1)] == ["A", "B"]
    assert [names.seat(n) for n in range(3)] == ["A-1", "A-2", "B-1"]


async def test_drawings_as_json_are_counted(client: Client, admin: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    event, _ = await seated_show(admin)
    monkeypatch.setattr(routes, "DRAWINGS", Limit(2, 3600))
    for _ in range(2):
        data(await client.get(path_of(event, "seatmap?format=json")))
    assert refused(await client.get(path_of(event, "seatmap?format=json"))) == (429, "rate_limited")
    assert (await client.get(path_of(event, "seatmap"))).status_code == 200  # bytes are ready, and cost nothing


# --- for those who run the show


@pytest.mark.req("RBAC-1")
async def test_staff_see_the_map_of_a_draft_and_nobody_else_does(client: Client, admin: Client, tenant: Tenant) -> None:
    event, layout = await seated_show(admin, status="draft")
    staff = client.as_(tenant.tokens["staff"])
    for what in ("seatmap", "availability", "seats", "occupancy"):
        assert refused(await client.get(path_of(event, what)))[0] == 404
        assert refused(await staff.get(path_of(event, what)))[0] == 404
        customer = client.as_(tenant.tokens["customer"])
        assert refused(await customer.get(path_of(event, f"layout/{what}"))) == (403, "forbidden")
        assert (await client.get(path_of(event, f"layout/{what}"))).status_code == 401
    drawn = await staff.get(path_of(event, "layout/seatmap"))
    assert drawn.headers["x-layout-id"] == layout["id"]
    assert drawn.headers["cache-control"] == "private, no-cache"
    assert decode_geometry(drawn.content)
    same = await staff.get(path_of(event, "layout/seatmap"), headers={"if-none-match": drawn.headers["etag"]})
    assert same.status_code == 304
    assert data(await staff.get(path_of(event, "layout/seatmap?format=json")))
    free = await staff.get(path_of(event, "layout/availability"))
    assert unpack_states(free.content, 5).tolist() == [FREE] * 5
    assert [seat["seat_key"] for seat in data(await staff.get(path_of(event, "layout/seats?limit=2")))] == [
        "A-1",
        "A-2",
    ]
    assert data(await staff.get(path_of(event, "layout/occupancy")))["available"] == 45
    data(await move(admin, event, "publish"))
    public = await client.get(path_of(event, "seatmap"))
    assert public.content == drawn.content


async def test_a_show_of_ours_without_seats_says_so(admin: Client) -> None:
    event = await draft(admin)
    assert refused(await admin.get(path_of(event, "layout/seatmap"))) == (404, "event_has_no_layout")
    assert refused(await admin.get(path_of({"id": new_id()}, "layout/seatmap"))) == (404, "not_found")
