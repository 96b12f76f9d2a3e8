"""`fullhouse plan`: a theatre from a few numbers, checked, drawn and brought into an organisation."""

import json
import re
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest

from fullhouse.cli import plans
from fullhouse.seating.plans.decoding import decode_plan
from fullhouse.seating.plans.plan import encode
from tests.accounts.helpers import audited, data
from tests.counts import Counts
from tests.events.helpers import make_venue
from tests.fixtures import Client, Tenant
from tests.seating.helpers import house
from tests.seating.test_config_plan import CONFIG
from tests.seating.test_layouts import PRETIX
from tests.test_operators import Run, run

__all__ = ["run"]  # the fixture

ROOT = Path(__file__).parents[1]


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "house.json"
    path.write_bytes(encode(house()))
    return path


# --- without a database


@pytest.mark.req("SEAT-1")
@pytest.mark.parametrize("kind", plans.KINDS)
async def test_a_plan_from_a_few_numbers(kind: str, run: Run, tmp_path: Path) -> None:
    told = await run("plan", "generate", kind, "--set", "name=Great Hall")
    assert told.code == 0
    assert decode_plan(told.out.encode()).name == "Great Hall"
    assert re.fullmatch(r"fullhouse: [\d,]+ seats, capacity [\d,]+, \d zones?\n", told.err)
    there = tmp_path / "hall.json"
    written = await run("plan", "generate", kind, "--set", "name=Great Hall", "-o", str(there))
    assert (written.code, written.out) == (0, "")
    assert decode_plan(there.read_bytes()) == decode_plan(told.out.encode())
    assert (await run("plan", "check", str(there))).code == 0


async def test_settings_of_every_kind_of_value(run: Run) -> None:
    wish = ("rows=2", "seats_per_row=6", "aisles_after=2,4", "staggered=true", "numbering=odd_even", "seat_pitch=12.5")
    told = await run("plan", "generate", "straight", *(part for text in wish for part in ("--set", text)))
    rows = decode_plan(told.out.encode()).zones[0].sections[0].rows
    assert [len(row.seats) for row in rows] == [6, 6]
    assert [seat.gap_before for seat in rows[0].seats] == [False, False, True, False, True, False]
    assert rows[1].seats[0].x - rows[0].seats[0].x == pytest.approx(6.25, abs=0.1)
    tier = await run("plan", "generate", "tables", "--set", "membership_tier=patrons")
    assert decode_plan(tier.out.encode()).zones[0].membership_tier == "patrons"


async def test_mistakes_with_settings_are_sentences(run: Run) -> None:
    told = await run("plan", "generate", "straight", "--set", "rows=0", "--set", "colour=red")
    assert (told.code, told.out) == (1, "")
    assert "fullhouse:   rows: Expected a whole number >= 1.\n" in told.err
    assert "fullhouse:   colour: This field is not known here.\n" in told.err
    assert (await run("plan", "generate", "straight", "--set", "rows")).err == (
        "fullhouse: --set takes name=value, not “rows”.\n"
    )
    strange = await run("plan", "generate", "pyramid")
    assert (strange.code, strange.err.startswith("fullhouse: There is no kind “pyramid”.")) == (1, True)
    assert (await run("plan", "generate", "straight", "--set", "rows=many")).code == 1


async def test_help_lists_every_kind_with_its_defaults(run: Run) -> None:
    told = await run("plan", "generate", "--help")
    assert told.code == 0
    for name, kind in plans.KINDS.items():
        assert re.search(rf"^  {name}$", told.out, re.M)
        for field in msgspec.structs.fields(kind):
            assert f"{field.name}=" in told.out
    assert "stalls_rows=16" in told.out
    assert max(map(len, told.out.splitlines())) <= 80


@pytest.mark.req("SEAT-1")
async def test_checking_lists_every_mistake(run: Run, plan: Path) -> None:
    good = await run("plan", "check", str(plan))
    assert (good.code, good.out) == (0, "")
    assert good.err.endswith("is valid: 7 seats, capacity 47, 3 zones\n")
    document = json.loads(plan.read_bytes())
    document["zones"][0]["sections"][0]["rows"][0]["seats"][3]["key"] = "A-3"
    document["total_capacity"] = 1
    plan.write_text(json.dumps(document))
    told = await run("plan", "check", str(plan))
    assert told.code == 1
    assert told.out.splitlines() == [
        "zones[0].sections[0].rows[0].seats[3].key: The seat key “A-3” is used already,"
        " at zones[0].sections[0].rows[0].seats[2].",
        "total_capacity: The total is given as 1, but the zones add up to 47.",
    ]
    document["width"] = "wide"
    plan.write_text(json.dumps(document))
    assert re.match("width: Expected a number", (await run("plan", "check", str(plan))).out)
    plan.write_text("{")
    broken = await run("plan", "check", str(plan))
    assert (broken.code, broken.err) == (1, "fullhouse: The document is not valid JSON.\n")
    gone = await run("plan", "check", str(plan / "nowhere"))
    assert (gone.code, "Traceback" in gone.err) == (1, False)


async def test_a_plan_of_pretix(run: Run, tmp_path: Path) -> None:
    theirs = tmp_path / "pretix.json"
    theirs.write_bytes(msgspec.json.encode(PRETIX))
    told = await run("plan", "check", str(theirs), "--format", "pretix")
    assert told.code == 0, told
    assert "mood" in told.err
    assert (await run("plan", "check", str(theirs))).code == 1
    assert (await run("plan", "check", str(theirs), "--format", "word")).code == 2


@pytest.mark.req("SEAT-1")
async def test_a_layouts_config(run: Run, tmp_path: Path, client: Client, tenant: Tenant) -> None:
    config = tmp_path / "config.json"
    config.write_bytes(msgspec.json.encode(CONFIG))
    for told in (
        await run("plan", "check", str(config)),
        await run("plan", "check", str(config), "--format", "config"),
    ):
        assert told.code == 0, told
        assert "9 seats, capacity 709, 4 zones" in told.err
    venue = await make_venue(client.as_(tenant.tokens["admin"]))
    told = await run("plan", "import", tenant.organization.slug, venue["slug"], str(config))
    assert (told.code, "is draft at Grande Salle" in told.err) == (0, True), told
    assert UUID(told.out.strip()), "the id alone: what is logged meanwhile is not part of the answer"
    config.write_bytes(msgspec.json.encode(CONFIG | {"total_capacity": 3}))
    told = await run("plan", "check", str(config))
    assert (told.code, told.out) == (1, "total_capacity: The total is given as 3, but the zones add up to 709.\n")


async def test_a_picture(run: Run, plan: Path, tmp_path: Path) -> None:
    there = tmp_path / "house.svg"
    assert await run("plan", "preview", str(plan), "-o", str(there)) == (0, "", "")
    assert there.read_text().startswith("<svg")
    assert (await run("plan", "preview", str(plan))).out == there.read_text() + "\n"
    plan.write_bytes(encode(msgspec.structs.replace(house(), total_capacity=1)))
    assert (await run("plan", "preview", str(plan))).code == 1


# --- into an organisation


@pytest.mark.req("SEAT-1", "AUD-1")
async def test_a_plan_becomes_a_layout(run: Run, plan: Path, client: Client, tenant: Tenant, owner: Any) -> None:
    admin = client.as_(tenant.tokens["admin"])
    venue = await make_venue(admin)
    told = await run("plan", "import", tenant.organization.slug, venue["slug"], str(plan))
    assert told.code == 0, told
    assert told.err == ("fullhouse: Little house, version 1, is draft at Grande Salle: 7 seats, capacity 47, 3 zones\n")
    layout = data(await admin.get(f"/api/layouts/{UUID(told.out.strip())}"))
    assert (layout["status"], layout["venue_id"], layout["seat_count"]) == ("draft", venue["id"], 7)
    active = await run("plan", "import", tenant.organization.slug, venue["slug"], str(plan), "--activate")
    assert data(await admin.get(f"/api/layouts/{UUID(active.out.strip())}"))["status"] == "active"
    assert {row["actor_type"] for row in await audited(owner, tenant, "layout.created")} == {"system"}


async def test_a_long_one_says_what_it_does(run: Run, client: Client, tenant: Tenant, tmp_path: Path) -> None:
    admin = client.as_(tenant.tokens["admin"])
    venue = await make_venue(admin)
    arena = tmp_path / "arena.json"
    await run("plan", "generate", "straight", "--set", "rows=100", "--set", "seats_per_row=100", "-o", str(arena))
    told = await run("plan", "import", tenant.organization.slug, venue["slug"], str(arena))
    assert told.code == 0
    assert told.err.startswith("fullhouse: checking and writing 10,000 seats;")


async def test_what_cannot_be_brought_in_is_said_and_nothing_written(
    run: Run, plan: Path, client: Client, tenant: Tenant, owner: Any
) -> None:
    venue = await make_venue(client.as_(tenant.tokens["admin"]), max_capacity=46)
    slug = tenant.organization.slug
    async with Counts(owner).unchanged():
        assert "There is no organisation “nobody”" in (await run("plan", "import", "nobody", "x", str(plan))).err
        strange = await run("plan", "import", slug, "nowhere", str(plan))
        assert strange.err == f"fullhouse: The organisation has no venue “nowhere”. It has: {venue['slug']}.\n"
        small = await run("plan", "import", slug, venue["slug"], str(plan))
        assert (small.code, small.out) == (1, "")
        assert "the venue admits 46" in small.err


def test_the_papers_name_every_verb() -> None:
    text = (ROOT / "docs/operations.md").read_text()
    for verb in ("generate", "check", "preview", "import"):
        assert f"fullhouse plan {verb} " in text
