"""Purchases over HTTP beside pgbench doing the same writes as plain statements: one server process, loopback.

    python bench/checkout.py [seconds per measurement]

Everybody has a seat in a checkout already; measured is the purchase, with `free` and with `test`, which has a
transaction of the provider's own in the middle. pgbench writes what costs nothing in one transaction; we place it and
settle it in two. Client, server and PostgreSQL share the cores, so trust the ratios. What pgbench does has a database
of its own; in the end the invariants are proved on ours.
"""

import asyncio
import itertools
import json
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

import asyncpg

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench import _load
from bench._sale import STRANGERS, House, Show, ground, open_house, open_shows, pgbench, post

from fullhouse.kit.ids import new_id
from fullhouse.seating.plans.chart import seat_id

ROUNDS, CHECKOUTS, CLIENTS = 3, 6000, 8

FREEZE = """
SELECT status FROM events WHERE organization_id = '{org}' AND id = '{event}' FOR SHARE;
SELECT status FROM checkout_sessions WHERE organization_id = '{org}' AND id = {session} FOR UPDATE;
SELECT status FROM event_seats WHERE organization_id = '{org}' AND event_id = '{event}' AND seat_id = {seat} FOR UPDATE;
UPDATE seat_holds SET held_until = 'infinity', frozen_at = now(), held_before = held_until
   WHERE organization_id = '{org}' AND id = {hold};
UPDATE event_seats SET held_until = 'infinity', version = version + 1
   WHERE organization_id = '{org}' AND event_id = '{event}' AND seat_id = {seat} AND status = 'held';
SELECT gen_random_uuid() AS new_order, gen_random_uuid() AS attempt, gen_random_uuid() AS ticket \\gset
INSERT INTO orders (id, organization_id, event_id, user_id, session_id, attempt_id, code, secret_hash, provider,
                    currency, total, quote, buyer_name, buyer_email, purchase_key, body_hash)
   VALUES (:new_order, '{org}', '{event}', '{user}', {session}, :attempt, {code}, decode(md5(:new_order::text), 'hex'),
           '{way}', 'EUR', {total}, '{quote}', 'A', 'a@example.org', :new_order, '\\x00');
INSERT INTO order_lines (organization_id, order_id, position, hold_id, ticket_type_id, name, seat_id, zone_id, quantity,
                         unit, net, counted)
   VALUES ('{org}', :new_order, 1, {hold}, '{type}', 'seat', {seat}, '{zone}', 1, {total}, {total}, true);
INSERT INTO payment_attempts (id, organization_id, order_id, provider, amount, currency, ask_at, give_up_at)
   VALUES (:attempt, '{org}', :new_order, '{way}', {total}, 'EUR', now(), now());
UPDATE checkout_sessions SET updated_at = now() WHERE organization_id = '{org}' AND id = {session};
INSERT INTO audit_log (id, organization_id, actor_type, action, entity_type, after)
   VALUES (gen_random_uuid(), '{org}', 'user', 'order.placed', 'order', '{{"total": 1}}');
"""
CHARGE = """
INSERT INTO test_charges (organization_id, key, kind, method, amount, currency, status)
   VALUES ('{org}', :attempt, 'charge', 'approve', {total}, 'EUR', 'captured');
"""
SETTLE = """
SELECT status FROM payment_attempts WHERE organization_id = '{org}' AND id = :attempt FOR UPDATE;
UPDATE payment_attempts SET status = 'captured', provider_ref = :attempt
   WHERE organization_id = '{org}' AND id = :attempt;
UPDATE pools SET sold = sold + 1 WHERE organization_id = '{org}' AND event_id = '{event}' AND ref_id = '{zone}';
UPDATE seat_holds SET updated_at = now() WHERE organization_id = '{org}' AND id = {hold};
INSERT INTO audit_log (id, organization_id, actor_type, action, entity_type, after)
   VALUES (gen_random_uuid(), '{org}', 'user', 'hold.converted', 'seat_hold', '{{"seat": 1}}'),
          (gen_random_uuid(), '{org}', 'user', 'order.paid', 'order', '{{"seat": 1}}'),
          (gen_random_uuid(), '{org}', 'user', 'ticket.issued', 'ticket', '{{"seat": 1}}');
UPDATE orders SET status = 'paid', paid_at = now() WHERE organization_id = '{org}' AND id = :new_order;
UPDATE checkout_sessions SET updated_at = now() WHERE organization_id = '{org}' AND id = {session};
INSERT INTO ticket_counters AS c (organization_id, event_id, last) VALUES ('{org}', '{event}', 1)
   ON CONFLICT (organization_id, event_id) DO UPDATE SET last = c.last + 1;
INSERT INTO tickets (id, organization_id, event_id, order_id, ticket_type_id, zone_id, number, code, nonce, holder_name,
                     holder_email)
   VALUES (:ticket, '{org}', '{event}', :new_order, '{type}', '{zone}', :ticket, {code}, '\\x0000000000000000',
           'A', 'a@example.org');
UPDATE event_seats SET version = version + 1
   WHERE organization_id = '{org}' AND event_id = '{event}' AND seat_id = {seat};
{ledger}
UPDATE queue_entries SET seen_at = now()
   WHERE organization_id = '{org}' AND event_id = '{event}' AND seq = :n::integer + 1;
INSERT INTO outbox (id, organization_id, name, subject_id, payload)
   SELECT gen_random_uuid(), '{org}', n, '{user}', '{{"seat": 1}}'
   FROM unnest(ARRAY['hold.converted', 'ticket.issued', 'order.paid', 'payment.captured']) n;
"""
LEDGER = """
INSERT INTO ledger_transactions (id, organization_id, kind, source_id, order_id, event_id)
   VALUES (:attempt::uuid, '{org}', 'capture', :attempt::uuid, :new_order::uuid, '{event}');
INSERT INTO ledger_entries (organization_id, transaction_id, position, account, amount, currency)
   VALUES ('{org}', :attempt::uuid, 1, 'provider' || chr(58) || 'test', 2500, 'EUR'),
          ('{org}', :attempt::uuid, 2, 'organizer', -2500, 'EUR');
"""
ALPHABET = "translate(substr(upper(md5(random()::text)), 1, 8), '01', 'XY')"


class Sale(NamedTuple):
    show: Show
    kind: UUID
    sessions: list[UUID]
    holds: list[UUID]
    base: str  # of both, without the number


async def open_sale(url: str, house: House, price: int) -> Sale:
    """A show in which everybody is about to buy a seat."""
    (show,) = await open_shows(url, house)
    owner = await asyncpg.connect(url)
    await owner.execute("SET session_replication_role = replica")
    kind, base = new_id(), str(new_id())[:-8]
    ids = [UUID(f"{base}{n:08x}") for n in range(CHECKOUTS)]
    users = house.people[:CHECKOUTS]
    seats = [seat_id(house.layout, n) for n in range(CHECKOUTS)]
    await owner.execute(
        "INSERT INTO ticket_types (id, organization_id, event_id, name, tier, kind, price, currency, entitlement)"
        " VALUES ($1, $2, $3, 'seat', 'general', 'seated', $4, 'EUR', 'single')",
        kind,
        house.org,
        show.event,
        price,
    )
    await owner.execute(
        "INSERT INTO seat_holds (id, organization_id, event_id, basket_id, user_id, seat_id, zone_id, held_until,"
        " source) SELECT x.id, $1, $2, x.id, x.u, x.s, $3, now() + interval '1 hour', 'web'"
        " FROM unnest($4::uuid[], $5::uuid[], $6::uuid[]) AS x (id, u, s)",
        house.org,
        show.event,
        house.zone,
        ids,
        users,
        seats,
    )
    await owner.execute(
        "INSERT INTO audit_log (id, organization_id, actor_type, actor_id, action, entity_type, entity_id)"
        " SELECT gen_random_uuid(), $1, 'user', user_id, 'seat_reserved', 'seat_hold', id FROM seat_holds"
        " WHERE event_id = $2",
        house.org,
        show.event,
    )
    await owner.execute(
        "UPDATE event_seats e SET status = 'held', hold_id = h.id, held_until = h.held_until FROM seat_holds h"
        " WHERE h.event_id = $1 AND e.event_id = $1 AND e.seat_id = h.seat_id",
        show.event,
    )
    quote = {"currency": "EUR", "lines": [], "subtotal": price, "discount": 0, "fees": 0, "taxes": 0, "total": price}
    await owner.execute(
        "INSERT INTO checkout_sessions (id, organization_id, event_id, user_id, expires_at, currency, total, quote)"
        " SELECT id, $1, $2, user_id, now() + interval '1 hour', 'EUR', $3, $4::text::jsonb FROM seat_holds"
        " WHERE event_id = $2",
        house.org,
        show.event,
        price,
        json.dumps(quote | {"nets": [price]}),
    )
    await owner.execute(
        "INSERT INTO checkout_items (organization_id, session_id, position, hold_id, ticket_type_id, name, seat_id,"
        " zone_id, quantity, unit, net, counted) SELECT $1, id, 1, id, $3, 'seat', seat_id, zone_id, 1, $4, $4, true"
        " FROM seat_holds WHERE event_id = $2",
        house.org,
        show.event,
        kind,
        price,
    )
    await owner.execute(
        "INSERT INTO queue_entries (organization_id, event_id, seq, place, user_id, status, joined_at, seen_at,"
        " expires_at, admitted_at) SELECT $1, $2, n, n, u, 'admitted', now(), now(), now() + interval '1 hour', now()"
        " FROM unnest($3::uuid[]) WITH ORDINALITY AS x (u, n)",
        house.org,
        show.event,
        users,
    )
    await owner.execute("VACUUM ANALYZE seat_holds, checkout_sessions, checkout_items, event_seats, queue_entries")
    await owner.close()
    return Sale(show, kind, ids, ids, base)


def purchases(house: House, sale: Sale, provider: str) -> Iterator[bytes]:
    body = f'{{"provider":"{provider}","buyer":{{"name":"A","email":"a@example.org"}}}}'.encode()
    for session, token in zip(sale.sessions, house.tokens, strict=False):
        yield post(f"/api/checkout/{session}/purchase", token, body, f"Idempotency-Key: {session}\r\n")


def script(house: House, sale: Sale, provider: str) -> str:
    number = "lpad(to_hex(:n::integer), 8, '0')"
    words = {
        "org": house.org,
        "event": sale.show.event,
        "user": house.people[0],
        "zone": house.zone,
        "type": sale.kind,
        "way": provider,
        "total": 0 if provider == "free" else 2500,
        "seat": f"('{str(house.layout)[:-8]}' || {number})::uuid",
        "hold": f"('{sale.base}' || {number})::uuid",
        "session": f"('{sale.base}' || {number})::uuid",
        "code": ALPHABET,
        "quote": "{}",
    }
    words["ledger"] = "" if provider == "free" else LEDGER.format(**words)
    between = "" if provider == "free" else f"COMMIT;\n{CHARGE.format(**words)}\nBEGIN;"
    steps = f"BEGIN;{FREEZE.format(**words)}{between}{SETTLE.format(**words)}COMMIT;"
    return f"\\set n random(0, {CHECKOUTS} - 1)\n{steps}"


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 4.0
    with ground() as here:
        house = asyncio.run(open_house(here.urls, tiers=2, buyers=STRANGERS))
        here.copy("naive")
        naive = here.named("naive").owner
        rates: dict[tuple[str, str], list[float]] = {}
        with here.serving() as server:
            for _, provider in itertools.product(range(ROUNDS), ("free", "test")):
                price = 0 if provider == "free" else 2500
                sale = asyncio.run(open_sale(here.urls.owner, house, price))
                requests = _load.made(purchases(house, sale, provider))
                measured = _load.load(server.port, requests, connections=CLIENTS, seconds=seconds)
                assert set(measured.statuses) == {201}, measured.statuses
                rates.setdefault((provider, "HTTP"), []).append(measured.rate)
                sale = asyncio.run(open_sale(naive, house, price))
                plain = pgbench(naive, house.org, script(house, sale, provider), seconds, CLIENTS)
                rates.setdefault((provider, "pgbench"), []).append(plain)
        for provider in ("free", "test"):
            http, plain = (statistics.median(rates[provider, side]) for side in ("HTTP", "pgbench"))
            print(f"{provider}: {http:,.0f} purchases/s over HTTP ÷ {plain:,.0f}/s by pgbench = {http / plain:.2f}")
        here.prove()


if __name__ == "__main__":
    main()
