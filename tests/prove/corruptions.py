"""Every sentence that `fullhouse prove` can say of a database, and what somebody did to it: with the owner's rights,
triggers, foreign keys and policies off.

`also` names the other checks that speak, each with the reason why the act cannot leave them silent.
"""

from collections.abc import Mapping
from typing import NamedTuple


class Corruption(NamedTuple):
    check: str
    says: str  # as the statement has it
    sql: str
    also: Mapping[str, str] = {}


HOLD = (
    "(SELECT id FROM seat_holds WHERE status = 'active' AND seat_id IS NOT NULL AND source = 'web' ORDER BY 1 LIMIT 1)"
)
PLACES = "(SELECT id FROM seat_holds WHERE status = 'active' AND seat_id IS NULL ORDER BY id LIMIT 1)"
COPIED_HOLD = (
    "INSERT INTO seat_holds (id, organization_id, event_id, basket_id, user_id, seat_id, zone_id, held_until, source)"
    " SELECT {id}, organization_id, event_id, {basket}, {person}, seat_id, zone_id, held_until, source"
    " FROM seat_holds WHERE {which};"
)
SOMEBODY = "(SELECT u.id FROM users u WHERE u.organization_id = seat_holds.organization_id AND role = 'admin')"
WRITTEN = (
    "INSERT INTO audit_log (id, organization_id, actor_type, action, entity_type, entity_id)"
    " SELECT gen_random_uuid(), organization_id, 'system', 'seat_reserved', 'seat_hold', id FROM seat_holds"
    " WHERE id NOT IN (SELECT entity_id FROM audit_log WHERE action = 'seat_reserved');"
)
# The audit rows and facts that go with a change, so that only the change itself is wrong.
WITH_AUDIT = (
    "INSERT INTO audit_log (id, organization_id, actor_type, action, entity_type, entity_id)"
    " SELECT gen_random_uuid(), organization_id, 'system', '{action}', '{entity}', id FROM {rows};"
)
WITH_FACT = (
    "INSERT INTO outbox (id, organization_id, name, subject_id, payload)"
    " SELECT gen_random_uuid(), organization_id, '{fact}', id, '{{}}' FROM {rows};"
)
ORDER = "(SELECT id FROM orders WHERE status = 'paid' AND total > 0 ORDER BY id LIMIT 1)"
OWED = "(SELECT id FROM refunds JOIN order_refunds USING (organization_id, id) WHERE status = 'requested' LIMIT 1)"
OWED_NO_MORE = "(SELECT id FROM refunds WHERE status = 'done' AND provider_ref IS NULL)"
PAID = f"(SELECT attempt_id FROM orders WHERE id = {ORDER})"
SEATED = (
    "(SELECT min(id::text)::uuid FROM tickets WHERE seat_id IS NOT NULL AND status = 'valid'"
    " GROUP BY order_id HAVING count(*) > 1 ORDER BY 1 LIMIT 1)"
)
TWIN = (
    "(SELECT t.id FROM tickets t JOIN tickets u USING (organization_id, order_id, zone_id, ticket_type_id)"
    f" WHERE u.id = {SEATED} AND t.id <> u.id AND t.seat_id IS NOT NULL AND t.status = 'valid' ORDER BY 1 LIMIT 1)"
)
FACT = "(SELECT id FROM outbox WHERE name = 'event.created' ORDER BY seq LIMIT 1)"
USED = "(SELECT ticket_id FROM ticket_presence WHERE entries = 1 AND inside ORDER BY ticket_id LIMIT 1)"
DOUBLE = "(SELECT ticket_id FROM scan_incidents WHERE first_scan_id IS NOT NULL LIMIT 1)"
# Another ticket of an order that has a refunded one: just as void, with its audit rows and facts.
COPIED = "tickets WHERE number = '0000-0'"
COPIED_TICKET = (
    "INSERT INTO tickets SELECT (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(),"
    " 'number', '0000-0', 'code', 'ABCDEFGH'))).* FROM tickets t WHERE status = 'refunded' ORDER BY id LIMIT 1;"
) + "".join(
    WITH_AUDIT.format(action=f"ticket.{name}", entity="ticket", rows=COPIED)
    + WITH_FACT.format(fact=f"ticket.{fact}", rows=COPIED)
    for name, fact in (("issued", "issued"), ("refunded", "voided"))
)

CORRUPTIONS = [
    # The catalogue.
    Corruption(
        "tenancy", "%s rows of %s refer to %s of another organisation",
        "CREATE TABLE later (organization_id uuid NOT NULL, user_id uuid REFERENCES users (id));"
        "CALL app.protect('later'); INSERT INTO later SELECT gen_random_uuid(), id FROM users",
    ),
    Corruption(
        "parents", "%s rows of %s have a %s that is not in %s: %s",
        "INSERT INTO processed_messages (organization_id, consumer, message_id)"
        " VALUES (gen_random_uuid(), 'a.reaction', gen_random_uuid())",
    ),
    Corruption(
        "row security", "%s is not under forced row-level security", "ALTER TABLE mails NO FORCE ROW LEVEL SECURITY"
    ),
    # Holds.
    Corruption(
        "one holder", "seat %s of event %s has %s live holds",
        COPIED_HOLD.format(id="gen_random_uuid()", basket="basket_id", person=SOMEBODY, which=f"id = {HOLD}") + WRITTEN
        + "UPDATE pools p SET held = held + 1 FROM seat_holds h WHERE p.event_id = h.event_id AND p.kind = 'event'"
        f" AND h.id = {HOLD}",
    ),
    Corruption(
        "one holder", "hold %s is live, but seat %s of event %s is %s",
        "UPDATE event_seats SET held_until = held_until + interval '1 hour' WHERE status = 'held'",
    ),
    Corruption(
        "one holder", "seat %s of event %s is held by %s, which is %s",
        "UPDATE event_seats SET status = 'held', hold_id = gen_random_uuid(), held_until = app.clock() + interval '1h'"
        " WHERE (event_id, seat_id) = (SELECT event_id, seat_id FROM event_seats WHERE status = 'available' LIMIT 1)",
    ),
    Corruption(
        "on time", "hold %s of event %s was over at %s and is still active",
        f"UPDATE seat_holds SET held_until = app.clock() - interval '2 minutes' WHERE id = {PLACES}",
    ),
    Corruption(
        "on time", "seat %s of event %s was held until %s and is not free",
        f"UPDATE seat_holds SET held_until = app.clock() - interval '50 seconds' WHERE id = {HOLD};"
        f"UPDATE event_seats SET held_until = app.clock() - interval '2 minutes' WHERE hold_id = {HOLD}",
    ),
    Corruption(
        "on time", "hold %s of event %s is frozen for payment %s, which is %s",
        f"UPDATE seat_holds SET attempt_id = {PAID}, frozen_at = app.clock() WHERE id = {PLACES}",
    ),
    Corruption(
        "on time", "hold %s of event %s is frozen for payment %s, which was to be called off at %s",
        "INSERT INTO payment_attempts SELECT (jsonb_populate_record(a, jsonb_build_object('id', gen_random_uuid(),"
        " 'status', 'unknown', 'provider_ref', NULL, 'give_up_at', app.clock() - interval '11 minutes'))).*"
        f" FROM payment_attempts a WHERE id = {PAID};"
        " UPDATE seat_holds SET frozen_at = app.clock(), attempt_id ="
        " (SELECT id FROM payment_attempts WHERE status = 'unknown' ORDER BY created_at DESC LIMIT 1)"
        f" WHERE id = {PLACES}",
    ),
    Corruption(
        "on time", "checkout %s was over at %s and is still open",
        "UPDATE checkout_sessions SET expires_at = app.clock() - interval '2 minutes' WHERE status = 'open'",
    ),
    Corruption(
        "bounded", "checkout %s began at %s and lasts until %s",
        "UPDATE checkout_sessions SET expires_at = expires_at + interval '2 seconds' WHERE status = 'open'",
    ),
    Corruption(
        "bounded", "hold %s of event %s lasts until %s, its checkout until %s",
        f"UPDATE seat_holds SET held_until = held_until + interval '1 hour' WHERE id = {PLACES}",
    ),
    Corruption(
        "companions", "companion seat %s of event %s is kept, but %s",
        "UPDATE event_seats SET reserved_for = (SELECT id FROM users LIMIT 1), reserved_until = 'infinity'"
        " WHERE (event_id, seat_id) = (SELECT event_id, seat_id FROM event_seats WHERE status = 'available' LIMIT 1)",
    ),
    # Pools.
    Corruption(
        "counted", "pool %s %s of event %s counts %s held where holds have %s",
        "UPDATE pools SET held = held + 1 WHERE kind = 'zone' AND held > 0",
    ),
    Corruption(
        "counted", "pool %s %s of event %s counts %s sold where there are %s tickets",
        "UPDATE pools SET sold = sold - 1 WHERE kind = 'zone' AND sold > 0",
    ),
    Corruption(
        "counted", "pool %s %s of event %s has %s held and %s sold of %s",
        "ALTER TABLE pools DROP CONSTRAINT pools_never_oversold, DROP CONSTRAINT pools_check;"
        "UPDATE pools SET shrinks_to = capacity, capacity = 0 WHERE kind = 'zone' AND sold > 0",
    ),
    Corruption(
        "counted", "pool %s %s of event %s counts %s held and %s sold of type %s where there are %s and %s",
        "UPDATE day_places SET held = held + 1, sold = sold - 1 WHERE sold > 0",
    ),
    Corruption(
        "counted", "pool %s %s of event %s has %s on its fullest day where its types have %s",
        "UPDATE pools SET day_peak = day_peak - 1 WHERE day_peak > 0",
    ),
    Corruption(
        "counted", "hold %s has places in a pool that event %s does not have",
        f"DELETE FROM pools USING seat_holds h WHERE h.id = {PLACES} AND ref_id = h.zone_id",
        also={"limited": "the zone that the hold is in has a limit, and every limit has a pool"},
    ),
    # Capacities; tests/checkout/test_capacity_prove.py has the limits one by one.
    Corruption(
        "taken", "event %s: %s places are held and sold%s where %s admits %s",
        "UPDATE pools SET shrinks_to = 1 WHERE kind = 'zone' AND sold > 1;"
        "UPDATE event_zones SET capacity = 1 WHERE zone_id IN (SELECT ref_id FROM pools WHERE shrinks_to = 1)",
    ),
    Corruption(
        "taken", "event %s: %s places are held and sold%s where %s admits %s",
        "UPDATE pools SET shrinks_to = 1 WHERE day_peak > 1;"
        "UPDATE events SET capacity = 1 WHERE id IN (SELECT event_id FROM pools WHERE shrinks_to = 1)",
    ),
    Corruption(
        "taken", "event %s has a capacity of %s where its venue admits %s",
        "UPDATE venues v SET max_capacity = e.capacity - 1 FROM events e WHERE e.venue_id = v.id AND e.capacity > 0;"
        "UPDATE pools SET capacity = capacity - 1 WHERE kind = 'event'",
    ),
    Corruption(
        "limited", "event %s has no pool for %s %s, which is limited to %s",
        "DELETE FROM pools WHERE kind = 'event' AND day_peak = 0",
    ),
    Corruption(
        "limited", "event %s has a pool for %s %s, which nothing limits",
        "UPDATE events SET capacity = 0; UPDATE venues SET max_capacity = 0",
    ),
    Corruption(
        "limited", "event %s has a pool of %s for %s %s, which is limited to %s",
        "UPDATE pools SET capacity = capacity + 1 WHERE kind = 'event'",
    ),
    # The waiting room and the waitlist.
    Corruption(
        "queued", "person %s has %s live places in the queue of event %s",
        "DROP INDEX IF EXISTS queue_entries_live; DROP INDEX IF EXISTS queue_entries_one_place;"
        "INSERT INTO queue_entries (organization_id, event_id, seq, place, user_id, status, joined_at, seen_at,"
        " expires_at, admitted_at) SELECT organization_id, event_id, r.next_seq, r.next_seq, user_id, status,"
        " joined_at, seen_at, e.expires_at, admitted_at FROM queue_entries e"
        " JOIN queue_rooms r USING (organization_id, event_id) WHERE status = 'admitted' LIMIT 1;"
        "UPDATE queue_rooms r SET next_seq = (SELECT max(seq) + 1 FROM queue_entries e WHERE e.event_id = r.event_id),"
        " slots = slots + 10 WHERE EXISTS (SELECT FROM queue_entries e WHERE e.event_id = r.event_id)",
    ),
    Corruption(
        "queued", "the queue of event %s has %s numbers up to %s where the next is %s",
        "UPDATE queue_rooms SET next_seq = next_seq + 1",
    ),
    Corruption(
        "queued", "event %s has let %s people in where %s may be",
        "ALTER TABLE queue_rooms DROP CONSTRAINT IF EXISTS queue_rooms_slots_check;"
        "UPDATE queue_rooms SET slots = 0, slots_since = '-infinity'",
    ),
    Corruption(
        "queued", "checkout %s of event %s is open without a slot",
        "UPDATE queue_entries SET status = 'done', ended_at = app.clock() WHERE status = 'admitted'",
    ),
    Corruption(
        "offered", "entry %s of event %s is offered %s places for a party of %s",
        "UPDATE seat_holds SET source = 'web' WHERE source = 'waitlist'",
    ),
    Corruption(
        "offered", "hold %s was made for a waitlist, but %s",
        "UPDATE seat_holds SET source = 'waitlist' WHERE status = 'active' AND source = 'web'"
        " AND id = (SELECT id FROM seat_holds WHERE status = 'active' AND source = 'web' ORDER BY id LIMIT 1)",
    ),
    Corruption(
        "offered", "person %s has %s live offers in event %s",
        "UPDATE seat_holds SET source = 'waitlist', basket_id = gen_random_uuid() WHERE status = 'active'"
        " AND (event_id, user_id) IN (SELECT event_id, user_id FROM seat_holds WHERE status = 'active'"
        "  GROUP BY 1, 2 HAVING count(*) > 1)",
    ),
    Corruption(
        "offered", "seat %s of event %s is offered %s times",
        COPIED_HOLD.format(
            id="gen_random_uuid()", basket="basket_id", person=SOMEBODY,
            which="source = 'waitlist' AND status = 'active'",
        ) + WRITTEN,
        also={
            "one holder": "a seat that is offered twice has two holds",
            "taken": "the seat's zone has no room for the second hold",
        },
    ),
    Corruption(
        "offered", "entry %s says that it was taken, but nothing was bought",
        "UPDATE waitlist_entries SET status = 'taken' WHERE status = 'offered';"
        "INSERT INTO audit_log (id, organization_id, actor_type, action, entity_type, entity_id)"
        " SELECT gen_random_uuid(), organization_id, 'system', 'waitlist.taken', 'waitlist_entry', id"
        " FROM waitlist_entries WHERE status = 'taken'",
    ),
    # Orders and money.
    Corruption(
        "paid", "order %s of %s is paid, with %s captures of %s in all",
        "DROP INDEX payment_attempts_paid; UPDATE payment_attempts SET surplus = false WHERE surplus",
    ),
    Corruption(
        "paid", "order %s is %s and has %s tickets for %s places",
        COPIED_TICKET,
    ),
    Corruption(
        "paid", "payment %s of %s is captured: %s was refunded, and order %s is %s",
        f"UPDATE payment_attempts SET surplus = true WHERE id = {PAID};"
        + WITH_FACT.format(fact="order.paid_twice", rows=f"orders WHERE id = {ORDER}"),
    ),
    Corruption(
        "paid", "order %s is pending, but its payment is %s",
        "UPDATE orders SET status = 'pending' WHERE status = 'cancelled'",
    ),
    Corruption(  # two tickets for one seat
        "paid", "ticket %s is for seat %s of event %s, which has %s",
        f"UPDATE event_seats SET ticket_id = NULL, status = 'blocked', version = 1 WHERE ticket_id = {SEATED}",
    ),
    Corruption(
        "paid", "ticket %s is for seat %s of event %s, which has %s",
        "DROP INDEX tickets_one_a_seat;"
        f"UPDATE tickets SET seat_id = (SELECT seat_id FROM tickets WHERE id = {SEATED}) WHERE id = {TWIN};"
        "UPDATE event_seats s SET status = 'available', ticket_id = NULL WHERE status = 'sold' AND NOT EXISTS"
        " (SELECT FROM tickets t WHERE t.event_id = s.event_id AND t.seat_id = s.seat_id)",
    ),
    Corruption(
        "paid", "seat %s of event %s is sold to ticket %s, which is %s",
        "UPDATE event_seats SET status = 'sold', ticket_id = gen_random_uuid() WHERE (event_id, seat_id) ="
        " (SELECT s.event_id, s.seat_id FROM event_seats s JOIN tickets t USING (event_id)"
        "  WHERE s.status = 'available' LIMIT 1)",
    ),
    Corruption(
        "ledger", "ledger transaction %s is off by %s %s",
        "UPDATE ledger_entries SET account = 'provider:outside', amount = amount - 1 WHERE (transaction_id, account) ="
        " (SELECT id, 'refunds' FROM ledger_transactions WHERE kind = 'refund' ORDER BY id DESC LIMIT 1)",
    ),
    Corruption(
        "ledger", "payment %s of %s has %s in the ledger",
        f"UPDATE ledger_entries SET account = 'provider:stripe' WHERE account = 'provider:test' AND transaction_id ="
        f" (SELECT id FROM ledger_transactions WHERE kind = 'capture' AND source_id = {PAID})",
    ),
    Corruption(
        "ledger", "payment %s says that %s goes back, its refunds say %s",
        f"UPDATE payment_attempts SET refunded = 1 WHERE id = {PAID}",
    ),
    Corruption(  # owed money
        "ledger", "organisation %s owes its buyers %s %s, its ledger says %s",
        "INSERT INTO ledger_entries (organization_id, transaction_id, position, account, amount, currency)"
        " SELECT organization_id, id, 8 + n, account, amount, 'EUR' FROM (SELECT * FROM ledger_transactions"
        "  WHERE kind = 'refund' ORDER BY id DESC LIMIT 1) t,"
        " (VALUES (0, 'refunds', -7), (1, 'provider:outside', 7)) x (n, account, amount)",
    ),
    Corruption(
        "priced", "order %s costs %s %s, its quote says %s %s",
        f"UPDATE orders SET quote = jsonb_set(quote, '{{currency}}', '\"ZAR\"') WHERE id = {ORDER}",
    ),
    Corruption(
        "priced",
        "the lines of order %s's quote come to %s with %s fees, %s taxes and %s off; it says %s, %s, %s and %s",
        f"UPDATE orders SET quote = jsonb_set(quote, '{{lines,1,amount}}', '51') WHERE id = {ORDER}",
    ),
    Corruption(
        "priced", "order %s has %s lines, its quote has %s",
        f"UPDATE order_lines SET quantity = quantity + 1 WHERE order_id = {ORDER} AND position = 2;"
        f"DELETE FROM order_lines WHERE order_id = {ORDER} AND position = 1",
    ),
    Corruption(
        "priced", "line %s of order %s is %s × %s, %s net; its quote says %s for %s, %s net",
        f"UPDATE order_lines SET net = net - 1 WHERE order_id = {ORDER} AND position = 1",
    ),
    Corruption(
        "priced", "order %s has tickets of other types or places than its lines",
        f"UPDATE tickets SET ticket_type_id = (SELECT y.id FROM ticket_types y WHERE y.event_id = tickets.event_id"
        f" AND y.id <> tickets.ticket_type_id) WHERE id = {SEATED}",
    ),
    Corruption(
        "priced", "payment %s asks for %s %s, its order %s costs %s %s",
        "UPDATE payment_attempts SET amount = amount + 1 WHERE status = 'failed'",
    ),
    Corruption(
        "priced", "order %s earned %s for %s, its ledger says %s",
        "UPDATE ledger_entries SET account = 'organizer' WHERE account = 'fees' AND transaction_id ="
        f" (SELECT id FROM ledger_transactions WHERE kind = 'capture' AND source_id = {PAID})",
    ),
    Corruption(
        "priced", "ledger transaction %s of order %s is in %s, the order in %s",
        "UPDATE ledger_entries SET currency = 'ZAR' WHERE transaction_id ="
        f" (SELECT id FROM ledger_transactions WHERE kind = 'capture' AND source_id = {PAID})",
    ),
    Corruption(
        "priced", "refund %s was decided over %s, and gives back %s",
        "UPDATE order_refunds SET amount = amount + 1;"
        "UPDATE ledger_entries e SET amount = amount + 1 FROM ledger_transactions t WHERE t.id = e.transaction_id"
        " AND t.kind = 'refund' AND e.account = 'organizer';"
        "INSERT INTO ledger_entries (organization_id, transaction_id, position, account, amount, currency)"
        " SELECT organization_id, transaction_id, 8, 'provider:outside', -1, currency FROM ledger_entries"
        " WHERE account = 'organizer' AND transaction_id IN (SELECT id FROM ledger_transactions WHERE kind = 'refund')",
    ),
    Corruption(
        "priced", "refund %s of %s took %s from what was earned",
        "UPDATE ledger_entries e SET account = 'provider:outside' FROM ledger_transactions t"
        " WHERE t.id = e.transaction_id AND t.kind = 'refund' AND e.account = 'organizer'",
    ),
    Corruption(
        "priced", "%s of order %s has gone back, its ledger says %s",
        f"UPDATE refunds SET status = 'done' WHERE id = {OWED};"
        "UPDATE ledger_entries SET account = 'provider:outside' WHERE account = 'refunds' AND transaction_id ="
        f" (SELECT id FROM ledger_transactions WHERE kind = 'refund' AND source_id = {OWED_NO_MORE});"
        + WITH_AUDIT.format(action="refund.done", entity="refund", rows=f"refunds WHERE id = {OWED_NO_MORE}")
        + WITH_FACT.format(fact="refund.done", rows=f"refunds WHERE id = {OWED_NO_MORE}"),
    ),
    Corruption(
        "priced", "order %s is refunded, and %s of its tickets let somebody in",
        f"UPDATE orders SET status = 'refunded' WHERE id = {ORDER}",
    ),
    # Promo codes.
    Corruption(
        "discounted", "promo code %s counts %s uses for %s, its checkouts have %s for %s",
        "UPDATE promo_codes SET uses = uses + 1",
    ),
    Corruption(
        "discounted", "promo code %s was used %s times for %s, where %s times and %s are allowed",
        "ALTER TABLE promo_codes DROP CONSTRAINT promo_codes_within_budget;"
        "UPDATE promo_codes SET budget = spent - 1",
    ),
    Corruption(
        "discounted", "promo code %s was used %s times for %s, where %s times and %s are allowed",
        "ALTER TABLE promo_codes DROP CONSTRAINT promo_codes_never_overused;"
        "UPDATE promo_codes SET max_uses = uses - 1",
    ),
    Corruption(
        "discounted", "checkout %s is %s and has its use of promo code %s still",
        "UPDATE promo_codes SET uses = uses + 1, spent = spent + 100; UPDATE promo_uses SET status = 'taken'",
    ),
    Corruption(
        "discounted", "checkout %s is %s and has given its use of promo code %s back",
        "UPDATE promo_codes SET uses = 0, spent = 0; UPDATE promo_uses SET status = 'returned'",
    ),
    Corruption(
        "discounted", "checkout %s takes %s off by promo code %s, which counts %s",
        "UPDATE promo_uses SET amount = 99; UPDATE promo_codes SET spent = 99 * uses",
    ),
    Corruption(
        "discounted", "checkout %s was priced with promo code %s, and has no use of it",
        "DELETE FROM promo_uses WHERE status = 'returned'",
    ),
    Corruption(
        "discounted", "order %s has a discount of %s, and no promo code",
        "UPDATE checkout_sessions SET promo_code = NULL WHERE status = 'completed'",
    ),
    # Facts and mail.
    Corruption(
        "delivered", "fact %s (%s) of %s was skipped: it was never handled",
        "UPDATE outbox SET handled_at = app.clock() - interval '2 minutes', sent_at = app.clock();"
        f"UPDATE outbox SET handled_at = NULL, created_at = app.clock() - interval '1 hour' WHERE id = {FACT}",
    ),
    Corruption(
        "delivered", "fact %s (%s) of %s was skipped: it was never sent to the broker",
        "UPDATE outbox SET created_at = app.clock() - interval '1 hour', sent_at = app.clock() - interval '2 minutes',"
        " handled_at = app.clock();"
        f"UPDATE outbox SET sent_at = NULL, due_at = app.clock() - interval '1 hour' WHERE id = {FACT}",
    ),
    Corruption(
        "delivered", "fact %s is there %s times",
        "ALTER TABLE outbox DROP CONSTRAINT outbox_pkey CASCADE; INSERT INTO outbox (id, organization_id, name,"
        f" subject_id, payload) SELECT id, organization_id, name, subject_id, payload FROM outbox WHERE id = {FACT}",
    ),
    Corruption(
        "delivered", "fact %s was processed %s times by %s",
        "ALTER TABLE processed_messages DROP CONSTRAINT processed_messages_pkey;"
        "INSERT INTO processed_messages SELECT * FROM processed_messages LIMIT 1",
    ),
    Corruption(
        "delivered", "%s is to retry fact %s, which does not exist",
        "INSERT INTO owed_reactions SELECT organization_id, 'a.reaction', gen_random_uuid(), id, 1, 1, now(), NULL,"
        " NULL FROM events LIMIT 1",
    ),
    # Each kind of fact and email has its own in test_messages.py.
    Corruption(
        "announced", "%s %s was never announced: there is no fact %s of it",
        "DELETE FROM outbox WHERE name = 'ticket.issued'",
    ),
    Corruption(
        "mailed", "fact %s (%s) of %s has no email %s",
        "DELETE FROM mails WHERE about IN (SELECT id FROM outbox WHERE name = 'order.refunded')",
    ),
    Corruption(
        "mailed", "fact %s (%s) of %s has no notice to ticket holders",
        "DELETE FROM mails WHERE about IN (SELECT id FROM notices); DELETE FROM notices",
    ),
    Corruption(
        "mailed", "notice %s of event %s has %s emails for %s people",
        "DELETE FROM mails WHERE about IN (SELECT id FROM notices)",
    ),
    Corruption(
        "participants", "event %s counts %s participants where %s take part",
        "INSERT INTO event_stats (organization_id, event_id, heat) SELECT organization_id, id, 0 FROM events"
        " ON CONFLICT DO NOTHING;"
        "UPDATE event_stats SET active_participants = 7",
    ),
    # The audit trail; test_audit.py has the actions one by one.
    Corruption(
        "audited", "%s %s has no audit row %s", "DELETE FROM audit_log WHERE action = 'ticket.issued'"
    ),
    Corruption(
        "audited", "%s %s stands in no audit row %s", "DELETE FROM audit_log WHERE action = 'seats.blocked'"
    ),
    # The gates.
    Corruption(
        "present", "ticket %s stands %s after %s entries, %s of them on its last day; its scans say %s, %s and %s",
        f"UPDATE ticket_presence SET entries = 7 WHERE ticket_id = {USED}",
    ),
    Corruption(
        "present", "step %s of ticket %s was taken %s times",
        f"DROP INDEX scans_one_a_step; UPDATE scans SET version = 1 WHERE ticket_id = {DOUBLE};",
    ),
    Corruption(
        "present", "ticket %s is used, and nobody came in with it",
        f"UPDATE tickets SET status = 'used' WHERE id = {SEATED}",
    ),
    Corruption(
        "occupied", "%s %s of event %s counts %s inside and %s entries on %s, its scans say %s and %s",
        "UPDATE scan_counts SET inside = inside + 1 WHERE kind = 'event'",
    ),
    Corruption(
        "admitted", "ticket %s was %s at %s, and let somebody in at %s",
        "UPDATE scans SET recorded_at = recorded_at + interval '1 hour';"
        "DELETE FROM scan_incidents WHERE first_scan_id IS NULL",
    ),
    Corruption(
        "admitted", "ticket %s lets in once, and let in %s times with %s incidents",
        "DELETE FROM scan_incidents WHERE first_scan_id IS NOT NULL",
    ),
    Corruption(
        "scanned", "scan %s of ticket %s has no audit row", "DELETE FROM audit_log WHERE action = 'ticket.scanned'"
    ),
    Corruption(
        "scanned", "scan %s of ticket %s is in the audit, and not there",
        "UPDATE audit_log SET after = jsonb_set(after, '{scan_id}', to_jsonb(gen_random_uuid())) WHERE id ="
        " (SELECT id FROM audit_log WHERE action = 'ticket.scanned' LIMIT 1)",
    ),
    Corruption(
        "scanned", "device %s has told %s scans, and %s are there",
        "DELETE FROM audit_log WHERE action = 'scan_device.merged'",
    ),
]  # fmt: skip
