"""Devices at the gates: paired by a code that is good once, and for nothing but what they were paired for."""

import base64
from datetime import timedelta
from typing import Any

import pytest

from tests.accounts.helpers import data
from tests.fixtures import Client
from tests.scanning.helpers import Door, code_of, device, scan


@pytest.mark.req("SCAN-1", "RBAC-1")
async def test_a_device_does_what_it_was_paired_for(client: Client, at: Door) -> None:
    plain, told = await device(at, client, "A", "scan")
    ticket = at.tickets[0]
    denied = await plain.post("/api/scan", json={"code": ticket["code"], "override": {"reason": "Please"}})
    assert code_of(denied) == (403, "override_not_allowed")
    assert code_of(await plain.post("/api/scan", json={"code": ticket["code"], "gate_id": at.gates["B"]})) == (
        403,
        "gate_not_paired",
    )
    assert code_of(await plain.get("/api/scan/search?q=ada")) == (403, "forbidden")
    assert code_of(await plain.post("/api/scan/search", json={"q": "ada"})) == (403, "forbidden")
    assert code_of(await plain.get("/api/events")) == (403, "forbidden")
    assert (await scan(plain, ticket))["admit"]
    assert (await at.staff.delete(f"/api/scan/devices/{told['device']['id']}")).status_code == 204
    assert code_of(await plain.post("/api/scan", json={"code": ticket["code"]})) == (401, "unauthenticated")
    assert code_of(await plain.get("/api/scan/snapshot")) == (401, "unauthenticated")


@pytest.mark.req("SCAN-1")
async def test_a_pairing_code_is_good_once_and_not_for_long(client: Client, at: Door, clock: Any) -> None:
    wish = {"event_id": str(at.sale.event_id), "name": "S", "gate_ids": [at.gates["A"]]}
    codes = [data(await at.staff.post("/api/scan/devices", json=wish), 201) for _ in range(3)]
    body = {"organization": codes[0]["organization"], "code": codes[0]["code"].lower()}
    token = data(await client.post("/api/scan/pair", json=body), 201)["token"]
    assert token.startswith("fhd_")
    assert base64.urlsafe_b64decode(token[4:] + "==")[:16] == at.tenant.id.bytes
    again = await client.post("/api/scan/pair", json=body)
    stranger = await client.post("/api/scan/pair", json=body | {"organization": "no-such-house"})
    assert code_of(again) == code_of(stranger) == (422, "pairing_failed")
    await clock(timedelta(minutes=9))
    data(await client.post("/api/scan/pair", json=body | {"code": codes[2]["code"]}), 201)
    await clock(timedelta(minutes=10, seconds=1))
    late = await client.post("/api/scan/pair", json=body | {"code": codes[1]["code"]})
    assert code_of(late) == (422, "pairing_failed")
    elsewhere = await at.staff.post("/api/scan/devices", json=wish | {"gate_ids": [str(at.tenant.id)]})
    assert code_of(elsewhere) == (422, "invalid")


async def test_a_ticket_is_found_by_name_order_and_number(client: Client, at: Door) -> None:
    by, _ = await device(at, client)
    ticket = at.tickets[0]
    everybody = data(await by.get("/api/scan/search?q=buyer"))
    assert len(everybody) == 4
    for words in (everybody[0]["order_code"], ticket["code"].lower(), ticket["number"]):
        assert ticket["id"] in [hit["ticket_id"] for hit in data(await by.get(f"/api/scan/search?q={words}"))]
    path = f"/api/scan/search?q=ada&event_id={at.sale.event_id}"
    assert len(data(await at.staff.get(path))) == 4
    assert data(await by.post("/api/scan/search", json={"q": "buyer"})) == everybody  # and no name in an address
    assert code_of(await at.staff.get("/api/scan/search?q=ada")) == (422, "invalid")


@pytest.mark.req("SCAN-1")
async def test_a_device_is_seen_with_its_battery(client: Client, at: Door, clock: Any) -> None:
    by, _ = await device(at, client)
    await clock(timedelta(minutes=2))
    await scan(by, at.tickets[0], battery=80, app_version="1.1")
    (seen,) = data(await at.staff.get(f"/api/scan/devices?event_id={at.sale.event_id}"))
    assert (seen["battery"], seen["app_version"], seen["clock_offset_s"]) == (80, "1.1", None)
    assert seen["last_seen_at"] > seen["paired_at"]
