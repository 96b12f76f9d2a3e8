-- The first step of a purchase: checks everything again under the locks, freezes the holds, and inserts the order and
-- its payment attempt; or changes nothing, and `outcome` has the reason. A repeated key returns its order.
CREATE OR REPLACE FUNCTION app.place_order(
    org uuid, checkout uuid, person uuid, new_order uuid, new_attempt uuid, order_code text, secret bytea, way text,
    way_method text, name text, email text, key text, hashed bytea, ask_s integer, give_up_s integer, most integer,
    actor_type text, actor_name text, ip text, user_agent text, request_id text)
RETURNS TABLE (outcome text, order_id uuid, event_id uuid, total bigint, currency text)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz := app.clock();
    show events;
    chosen checkout_sessions;
    known orders;
    holds uuid[];
    places bigint;
BEGIN
    SELECT s.* INTO chosen FROM checkout_sessions s
    WHERE s.organization_id = org AND s.id = checkout AND s.user_id = person;
    IF NOT FOUND THEN
        RETURN QUERY SELECT 'not_found', NULL::uuid, NULL::uuid, NULL::bigint, NULL::text;
        RETURN;
    END IF;
    -- A cancellation of the event waits for this transaction, or is visible to it.
    SELECT e.* INTO show FROM events e WHERE e.organization_id = org AND e.id = chosen.event_id FOR SHARE;
    SELECT s.* INTO chosen FROM checkout_sessions s WHERE s.organization_id = org AND s.id = checkout FOR UPDATE;
    SELECT o.* INTO known FROM orders o
    WHERE o.organization_id = org AND o.user_id = person AND o.purchase_key = key;
    IF FOUND THEN
        RETURN QUERY SELECT CASE WHEN known.body_hash = hashed THEN 'repeated' ELSE 'key_reused' END,
                            known.id, known.event_id, known.total, known.currency;
        RETURN;
    END IF;
    SELECT array_agg(DISTINCT i.hold_id), sum(i.quantity) INTO holds, places
    FROM checkout_items i WHERE i.organization_id = org AND i.session_id = checkout;
    outcome := CASE
        WHEN chosen.status = 'paying' THEN 'payment_running'
        WHEN chosen.status = 'completed' THEN 'checkout_completed'
        WHEN show.status NOT IN ('published', 'live') AND (show.status <> 'postponed' OR show.rescheduled_at IS NULL)
            THEN 'event_not_available'
        WHEN chosen.status <> 'open' OR chosen.expires_at <= clock THEN 'checkout_expired'
        WHEN clock NOT BETWEEN show.sale_start_at AND show.sale_end_at THEN 'event_sales_closed'
        WHEN EXISTS (SELECT FROM checkout_items i
                     LEFT JOIN ticket_types t ON t.organization_id = org AND t.id = i.ticket_type_id
                     WHERE i.organization_id = org AND i.session_id = checkout
                       AND (t.id IS NULL OR clock < t.sale_start_at OR clock > t.sale_end_at))
            THEN 'ticket_type_not_on_sale'
        WHEN places > most THEN 'too_many_tickets'
        WHEN (chosen.total = 0) <> (way = 'free') THEN 'wrong_provider'
        WHEN NOT app.freeze_holds(org, chosen.event_id, person, holds, new_attempt) THEN 'hold_expired'
        ELSE 'placed' END;
    IF outcome <> 'placed' THEN
        RETURN QUERY SELECT outcome, NULL::uuid, chosen.event_id, chosen.total, chosen.currency;
        RETURN;
    END IF;
    INSERT INTO orders (id, organization_id, event_id, user_id, session_id, attempt_id, code, secret_hash, provider,
                        currency, total, quote, buyer_name, buyer_email, purchase_key, body_hash)
    VALUES (new_order, org, chosen.event_id, person, checkout, new_attempt, order_code, secret, way, chosen.currency,
            chosen.total, chosen.quote, name, email, key, hashed);
    INSERT INTO order_lines (organization_id, order_id, position, hold_id, ticket_type_id, name, seat_id, zone_id,
                             quantity, unit, net, counted, attendee_name, attendee_email, membership_id)
    SELECT org, new_order, i.position, i.hold_id, i.ticket_type_id, i.name, i.seat_id, i.zone_id, i.quantity, i.unit,
           i.net, i.counted, i.attendee_name, i.attendee_email, i.membership_id
    FROM checkout_items i WHERE i.organization_id = org AND i.session_id = checkout;
    INSERT INTO payment_attempts (id, organization_id, order_id, provider, method, amount, currency, ask_at, give_up_at)
    VALUES (new_attempt, org, new_order, way, way_method, chosen.total, chosen.currency,
            clock + make_interval(secs => ask_s), clock + make_interval(secs => give_up_s));
    UPDATE checkout_sessions s SET status = 'paying', updated_at = clock
    WHERE s.organization_id = org AND s.id = checkout;
    INSERT INTO audit_log (id, organization_id, created_at, actor_type, actor_id, actor_name, action, entity_type,
                           entity_id, after, ip, user_agent, request_id)
    VALUES (gen_random_uuid(), org, clock, actor_type, person, actor_name, 'order.placed', 'order', new_order,
            jsonb_build_object('event_id', chosen.event_id, 'total', chosen.total, 'currency', chosen.currency,
                'provider', way), ip, user_agent, request_id);
    RETURN QUERY SELECT outcome, new_order, chosen.event_id, chosen.total, chosen.currency;
END $$;
