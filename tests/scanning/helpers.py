"""A show whose doors are open, tickets for it, and devices at its gates."""

import base64
import hashlib
from datetime import UTC, datetime
from typing import Any

import httpx
import msgspec

from fullhouse import prove
from tests.accounts.helpers import data
from tests.checkout.helpers import Sale, bought, selling
from tests.events.helpers import move
from tests.fixtures import Client, Tenant


class Door(msgspec.Struct, frozen=True, kw_only=True):
    """Gates of a show, by name; and its tickets."""

    sale: Sale
    gates: dict[str, str]
    tickets: list[dict[str, Any]]
    staff: Client
    tenant: Tenant

    @property
    def event(self) -> dict[str, str]:
        return {"id": str(self.sale.event_id)}


async def door(
    client: Client, tenant: Tenant, *seats: int, live: bool = True, gates: str = "AB", more: Any = None, **sold: Any
) -> Door:
    """One order for all: whoever is not asked about has bought."""
    staff = client.as_(tenant.tokens["owner"])
    sale = await selling(staff, **(more or {}))
    made = await add_gates(staff, sale, gates)
    order = await bought(client, tenant, sale, *seats, **sold) if seats or sold else {"tickets": []}
    if live:
        data(await move(staff, {"id": sale.event_id}, "start"))
    return Door(sale=sale, gates=made, tickets=order["tickets"], staff=staff, tenant=tenant)


async def add_gates(staff: Client, sale: Sale, names: str) -> dict[str, str]:
    venue = data(await staff.get(sale.path("").rstrip("/")))["venue_id"]
    path = f"/api/venues/{venue}/gates"
    return {n: data(await staff.post(path, json={"gate_code": n, "name": n}), 201)["id"] for n in names}


async def device(at: Door, client: Client, gates: str = "A", *rights: str) -> tuple[Client, Any]:
    """A paired one, and what it was told."""
    wish = {
        "event_id": str(at.sale.event_id),
        "name": f"Scanner {gates}",
        "gate_ids": [at.gates[name] for name in gates],
        "rights": rights or ["scan", "search", "override"],
    }
    made = data(await at.staff.post("/api/scan/devices", json=wish), 201)
    body = {"organization": made["organization"], "code": made["code"], "app_version": "1.0"}
    told = data(await client.post("/api/scan/pair", json=body), 201)
    return client.as_(told["token"]), told


async def scan(by: Client, ticket: Any, **more: Any) -> Any:
    """By its code, unless a QR is given."""
    named = {} if "qr" in more else {"code": ticket["code"]}
    return data(await by.post("/api/scan", json=named | more))


async def qr_of(at: Door, ticket: Any) -> str:
    found: str = data(await at.staff.get(f"/api/tickets/{ticket['id']}"))["qr"]
    return found


async def live(at: Door) -> Any:
    return data(await at.staff.get(at.sale.path("gates/live")))


def code_of(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


# --- without a connection


def seen(ticket: Any, counter: int, at: datetime, **more: Any) -> dict[str, Any]:
    """Somebody whom a device let in by itself."""
    return {"counter": counter, "at": at.isoformat(), "code": ticket["code"], "admitted": True} | more


async def send(by: Client, *scans: dict[str, Any], now: datetime | None = None, **more: Any) -> httpx.Response:
    body = {"device_now": (now or datetime.now(UTC)).isoformat(), "scans": list(scans)}
    return await by.post("/api/scan/batch", json=body | more)


async def tell(by: Client, *scans: dict[str, Any], now: datetime | None = None, **more: Any) -> Any:
    return data(await send(by, *scans, now=now, **more))


def former(told: Any, token: str | None = None) -> dict[str, Any]:
    """What a device that was paired so (`told`) keeps of it: its name, and the proof that it had the token."""
    kept = hashlib.sha256((token or told["token"]).encode()).digest()
    proof = hashlib.sha256(b"former pairing:" + kept).digest()
    return {"device_id": told["device"]["id"], "proof": base64.b64encode(proof).decode()}


# --- what must hold

CHECKS = ("present", "occupied", "admitted", "scanned")


async def wrong(owner: Any, at: Door, *broken: str) -> dict[str, list[str]]:
    """What `fullhouse prove` finds at these gates, after somebody did this; which is then taken back."""
    undo = owner.transaction()
    await undo.start()
    try:
        for statement in broken:
            await owner.execute(statement)
        ours = {at.event["id"]}
        for table in ("tickets", "scan_devices"):
            rows = await owner.fetch(f"SELECT id FROM {table} WHERE event_id::text = $1", at.event["id"])
            ours |= {str(row["id"]) for row in rows}
        await owner.execute("SET LOCAL ROLE fullhouse_auditor")
        found = {check.name: await check.find(owner) for check in prove.CHECKS if check.name in CHECKS}
    finally:
        await undo.rollback()
    named = {name: [each for each in said if any(i in each for i in ours)] for name, said in found.items()}
    return {name: said for name, said in named.items() if said}
