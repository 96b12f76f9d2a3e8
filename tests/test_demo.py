"""The demo: filled once, whole, and as true as if it had been sold through the front door."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import asyncpg
import msgspec
import pytest

from fullhouse.checkout.facts import OrderPaid
from fullhouse.demo import events, log_ins, organisation, second_organisation
from fullhouse.processes import app as application
from tests.accounts.helpers import data
from tests.events.helpers import STATUSES
from tests.fixtures import SECRET_KEY, Client, settings
from tests.test_operators import Run, run, scratch

__all__ = ["run", "scratch"]  # fixtures


@pytest.fixture
def without_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    """People alone: for what does not look at shows."""

    async def nothing(*_: object) -> None: ...

    monkeypatch.setattr(events, "create_events", nothing)


async def test_all_of_it(run: Run, scratch: dict[str, str], tmp_path: Path) -> None:
    """Filled, filled again, proven, and looked at from outside."""
    first = await run("demo", "--json", **scratch)
    assert first.code == 0, first.err
    assert "Table Bay Arena, capacity 20,000" in first.err  # it says how far it is
    second = await run("demo", "--json", **scratch)
    assert (second.code, second.out, second.err) == (0, first.out, "")
    told = await run("prove", **scratch)
    assert (told.code, told.err) == (0, ""), told
    assert {line.split()[0] for line in told.out.splitlines()} == {"ok"}
    found = json.loads(first.out)
    own = settings(scratch["DATABASE_URL"], scratch["DATABASE_OWNER_URL"], home=str(tmp_path))
    lane = application.build(own)
    async with lane.wide.lifespan(), Client(lane) as client:
        staff = client.as_(found["api_key"])
        shows = [data(await staff.get(f"/api/events/{show}")) for show in found["events"]]
        await _is_alive(staff, shows)
        await _has_seats(client, staff, {show["name"]: show for show in shows})
        await _belongs_to_people(client, found)
        await _gives_back(staff, {show["name"]: show for show in shows})
        await _told_the_books(staff)
        await _has_a_neighbour(client, found)
    await _was_not_stopped(scratch["DATABASE_OWNER_URL"])
    told = await run("prove", **scratch)
    assert (told.code, told.err) == (0, ""), told


async def _is_alive(staff: Client, shows: list[Any]) -> None:
    assert {show["status"] for show in shows} == set(STATUSES)
    (keeper,) = [show["id"] for show in shows if show["name"] == "The Lighthouse Keeper"]
    orders = data(await staff.get(f"/api/events/{keeper}/orders?limit=100"))
    days = Counter(order["created_at"][:10] for order in orders)
    assert len(days) > 10, days  # over weeks, not all at once
    assert {order["status"] for order in orders} >= {"paid", "refunded"}


async def _has_seats(client: Client, staff: Client, shows: dict[str, Any]) -> None:
    async def counts(name: str) -> Any:
        return data(await client.get(f"/api/events/{shows[name]['id']}/occupancy"))

    theatre = await counts("The Lighthouse Keeper")
    assert theatre["capacity"] == 440
    assert 0.5 < theatre["sold"] / 420 < 0.75
    assert {zone["name"] for zone in theatre["zones"]} == {"Stalls", "Circle", "Patrons’ lounge"}
    assert (await counts("Aurora: the World Tour"))["capacity"] == 20_000
    festival = await counts("Signal Hill Sounds")
    assert {zone["name"]: zone["capacity"] for zone in festival["zones"]} == {
        "Pit": 300,
        "Floor": 400,
        "Orchestra": 300,
        "VIP lounge": 50,
    }
    gone = "The Cartographer's Daughter"
    full = await counts(gone)
    assert (full["sold"], full["available"]) == (420, 0)
    public = data(await client.get(f"/event/v1/events/{shows[gone]['id']}"))
    assert public["sale_status"] == "sold_out"
    waiting = data(await staff.get(f"/api/events/{shows[gone]['id']}/waitlist/settings"))["now"]
    assert (waiting["waiting"], waiting["people_waiting"]) == (len(events.WAITING_PARTIES), sum(events.WAITING_PARTIES))
    room = data(await staff.get(f"/api/events/{shows['Aurora: the World Tour']['id']}/queue/settings"))
    assert room["state"] == "open"
    layouts = data(await staff.get(f"/api/venues/{shows['The Lighthouse Keeper']['venue_id']}/layouts"))
    plan = (await staff.get(f"/api/layouts/{layouts[0]['id']}/plan")).text
    assert plan.count('"wheelchair"') == plan.count('"companion"') == 4


async def _belongs_to_people(client: Client, found: Any) -> None:
    for log_in in found["log_ins"]:
        wish = {"organization": found["organization"], "email": log_in["email"], "password": log_in["password"]}
        session = data(await client.post("/api/auth/login", json=wish), 201)
        assert session["user"]["role"] == log_in["role"]
        assert session["organization"]["id"] == found["organization_id"]
        if log_in["role"] == "customer":
            mine = data(await client.as_(session["token"]).get("/api/me/tickets"))
            assert {ticket["status"] for ticket in mine} == {"valid", "used"}
            assert (await client.as_(session["token"]).get(f"/api/tickets/{mine[0]['id']}.pdf")).status_code == 200
    assert {log_in["role"] for log_in in found["log_ins"]} == {"owner", "admin", "staff", "scanner", "customer"}
    for platform in found["platform_log_ins"]:
        wish = {"email": platform["email"], "password": platform["password"]}
        assert data(await client.post("/api/platform/login", json=wish), 201)["user"]["role"] == platform["role"]


async def _gives_back(staff: Client, shows: dict[str, Any]) -> None:
    """What was written as history is good enough to go on with: an order of it can be refunded."""
    show = shows["Night Ferry: a Concert in Four Tides"]["id"]
    order = next(o for o in data(await staff.get(f"/api/events/{show}/orders")) if o["status"] == "paid")
    before = data(await staff.get(f"/api/events/{show}/occupancy"))["sold"]
    wish, key = {"reason": "Ill", "fees": "return"}, {"idempotency-key": order["id"]}
    back = data(await staff.post(f"/api/orders/{order['id']}/refunds", json=wish, headers=key), 201)
    assert back["amount"] == order["total"]
    after = data(await staff.get(f"/api/events/{show}/occupancy"))["sold"]
    assert before - after == len(back["ticket_ids"])


async def _told_the_books(staff: Client) -> None:
    """A webhook with a past, and no future: nothing leaves the machine."""
    (webhook,) = data(await staff.get("/api/org/webhooks"))
    assert (webhook["enabled"], webhook["failures"]) == (False, 0)
    assert webhook["url"].startswith("https://books.example/")
    told = data(await staff.get(f"/api/org/webhooks/{webhook['id']}/deliveries"))
    assert Counter(one["status"] for one in told) == {"delivered": 5, "failed": 1}
    assert {one["attempts"] for one in told} == {1, 3, 11}
    assert all(one["created_at"] < one["tried_at"] for one in told)
    assert webhook["created_at"] < min(one["created_at"] for one in told)
    assert max(one["tried_at"] for one in told) < webhook["updated_at"]
    deeds = data(await staff.get("/api/audit", params={"entity_id": webhook["id"]}))
    assert [(deed["action"], deed["after"]["enabled"]) for deed in deeds] == [
        ("webhook.updated", False),
        ("webhook.created", True),
    ]
    for one in told:
        fact = msgspec.convert(json.loads(one["request_body"])["data"], OrderPaid)
        order = data(await staff.get(f"/api/orders/{fact.subject_id}"))
        assert (order["code"], order["buyer_email"]) == (fact.code, fact.buyer_email)
        assert len(order["tickets"]) == fact.tickets > 0


async def _has_a_neighbour(client: Client, found: Any) -> None:
    """The platform looks after more than one house."""
    (admin,) = [one for one in found["platform_log_ins"] if one["role"] == "super_admin"]
    wish = {"email": admin["email"], "password": admin["password"]}
    platform = client.as_(data(await client.post("/api/platform/login", json=wish), 201)["token"])
    houses = {one["slug"]: one["id"] for one in data(await platform.get("/api/platform/organizations"))}
    assert houses.keys() == {log_ins.SLUG, second_organisation.SLUG}
    shows = data(await platform.get(f"/api/platform/organizations/{houses[second_organisation.SLUG]}/events"))
    assert {show["name"]: show["status"] for show in shows}.items() >= {
        (second_organisation.REFUSED_EVENT, "published"),
        ("Songs from the Long Road", "postponed"),
    }
    assert all(0 < show["sold"] < show["places"] for show in shows if show["status"] != "draft")


async def _was_not_stopped(owner_url: str) -> None:
    """The neighbour's audit says who asked, as the platform's door would have written it."""
    connection = await asyncpg.connect(owner_url)
    (row,) = await connection.fetch(
        "SELECT a.actor_type, a.actor_name, a.reason, e.name AS show, p.role FROM audit_log a"
        " JOIN events e ON e.organization_id = a.organization_id AND e.id = a.entity_id"
        " JOIN platform_users p ON p.id = a.actor_id WHERE a.action = 'event.postpone_refused'"
    )
    await connection.close()
    assert (row["actor_type"], row["actor_name"], row["role"]) == ("platform", "Tenants", "tenant_manager")
    assert row["show"] == second_organisation.REFUSED_EVENT
    assert row["reason"]


async def test_another_installations_demo_has_other_passwords(
    run: Run, scratch: dict[str, str], without_shows: None
) -> None:
    mine = json.loads((await run("demo", "--json", **scratch)).out)
    theirs = json.loads((await run("demo", "--json", **scratch, FULLHOUSE_SECRET_KEY=SECRET_KEY[::-1])).out)
    assert mine["api_key"] != theirs["api_key"]
    assert not {i["password"] for i in mine["log_ins"]} & {i["password"] for i in theirs["log_ins"]}
    readable = (await run("demo", **scratch)).out
    assert all(i["password"] in readable for i in (*mine["log_ins"], *mine["platform_log_ins"]))


async def test_a_demo_that_was_cut_short_is_finished_by_the_next(
    run: Run, scratch: dict[str, str], monkeypatch: pytest.MonkeyPatch, without_shows: None
) -> None:
    async def fail(*_: object) -> None:
        raise OSError("cut short")

    for step in ("_make_platform_staff", "_grant_memberships"):
        with monkeypatch.context() as broken:
            broken.setattr(organisation, step, fail)
            assert (await run("demo", **scratch)).code == 1
    assert (await run("demo", **scratch)).code == 0
    connection = await asyncpg.connect(scratch["DATABASE_OWNER_URL"])
    roles = [row["role"] for row in await connection.fetch("SELECT role FROM platform_users ORDER BY role")]
    assert roles == ["super_admin", "tenant_manager"]
    assert await connection.fetchval("SELECT count(*) FROM memberships") == len(organisation.MEMBERS)
    await connection.close()


async def test_without_a_secret_key_one_is_made_and_kept(
    run: Run, scratch: dict[str, str], tmp_path: Path, without_shows: None
) -> None:
    fresh = scratch | {"FULLHOUSE_SECRET_KEY": "", "FULLHOUSE_HOME": str(tmp_path / "not" / "there" / "yet")}
    first, second = [await run("demo", "--json", **fresh) for _ in range(2)]
    assert first.code == 0, first.err
    assert first.out == second.out
    assert (tmp_path / "not/there/yet/secret.key").stat().st_mode & 0o777 == 0o600
