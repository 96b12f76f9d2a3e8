-- Serves an event's waitlist: makes offers to the first entry that fits, until none does or `most` were made. Free
-- places only get fewer meanwhile, so a kind of entry that does not fit is not tried again, nor larger parties of its
-- kind. Returns the rows of `app.hold`, with line 0. Without `near`, free seats are computed before the waitlist is
-- locked, so that other holds do not wait for it. The row of an offer has the user and the seat, or the pool and the
-- quantity.
CREATE OR REPLACE FUNCTION app.offer_places(
    org uuid, show uuid, sender text, zones uuid[] DEFAULT NULL, near int4multirange DEFAULT NULL,
    most integer DEFAULT NULL)
RETURNS TABLE (req integer, line integer, outcome text, hold_id uuid, held_until timestamptz, left_s integer,
               event_id uuid, ordinal integer, zone_id uuid, version integer, held integer, sold integer,
               user_id uuid, seat_id uuid, kind text, ref_id uuid, quantity integer)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz := app.clock();
    sells_until timestamptz;
    list waitlists;
    next_one waitlist_entries;
    vain text[] := '{}';
    busy uuid[] := '{}';
    taken uuid[];
    made integer := 0;
    places app.places;
    basket uuid;
    ttl_s integer;
    lines app.hold_line[];
    got app.held_row[];
BEGIN
    PERFORM set_config('app.org', org::text, true);
    IF near IS NULL THEN
        near := coalesce((
            SELECT range_agg(c.chain) FROM app.free_chains(org, show, true, NULL) c
            WHERE upper(c.chain) - lower(c.chain) >= (SELECT min(w.party) FROM app.wishes(org, show) w)), '{}');
    END IF;
    SELECT e.sale_end_at INTO sells_until FROM events e
    WHERE e.organization_id = org AND e.id = show
      AND (e.status IN ('published', 'live') OR e.status = 'postponed' AND e.rescheduled_at IS NOT NULL)
      AND clock BETWEEN e.sale_start_at AND e.sale_end_at
    FOR SHARE;
    SELECT w.* INTO list FROM waitlists w WHERE w.organization_id = org AND w.event_id = show FOR UPDATE;
    IF sells_until IS NULL OR list.enabled IS NOT TRUE THEN
        RETURN;
    END IF;
    ttl_s := least(list.window_s, floor(extract(epoch FROM sells_until - clock)));
    LOOP
        EXIT WHEN ttl_s < 60 OR made >= most;   -- less time is too short to accept an offer
        SELECT w.* INTO next_one FROM app.wishes(org, show) w WHERE w.wish <> ALL (vain) ORDER BY w.seq LIMIT 1;
        EXIT WHEN NOT FOUND;
        places := app.places_for(org, show, next_one.party, next_one.zone_key, next_one.ticket_type_id,
                                 next_one.accessible, zones, near, busy);
        IF places IS NULL THEN
            vain := vain || array(
                SELECT w.wish FROM app.wishes(org, show) w
                WHERE w.party >= next_one.party AND w.accessible = next_one.accessible
                  AND (w.zone_key, w.ticket_type_id) IS NOT DISTINCT FROM (next_one.zone_key, next_one.ticket_type_id));
            CONTINUE;
        END IF;
        basket := gen_random_uuid();
        SELECT array_agg(ROW(1, n, show, next_one.user_id, seat, places.kind, places.ref_id,
                             CASE WHEN places.seats IS NULL THEN next_one.party ELSE 1 END, gen_random_uuid(), basket,
                             'waitlist', NULL, ttl_s, 2147483647, NULL, NULL,
                             next_one.accessible AND app.keeps_companions(org, show), NULL, NULL, NULL, NULL,
                             NULL, NULL, NULL, NULL, NULL)::app.hold_line ORDER BY n) INTO lines
        FROM unnest(coalesce(places.seats, ARRAY[NULL::uuid])) WITH ORDINALITY AS s (seat, n);
        SELECT array_agg(ROW(h.req, h.line, h.outcome, h.hold_id, h.held_until, h.left_s, h.event_id, h.ordinal, h.zone_id,
                             h.version, h.held, h.sold)::app.held_row) INTO got
        FROM app.hold(org, sender, lines) h;
        IF NOT EXISTS (SELECT FROM unnest(got) r WHERE r.req = 1 AND r.outcome <> 'held') THEN
            made := made + 1;
            UPDATE waitlist_entries e
            SET status = 'offered', basket_id = basket, answer_by = clock + make_interval(secs => ttl_s)
            WHERE e.organization_id = org AND e.id = next_one.id;
        ELSE
            -- Another transaction has locked one of the seats: the party may fit elsewhere, so the next round leaves
            -- these seats out.
            taken := array(SELECT places.seats[r.line] FROM unnest(got) r WHERE r.req = 1 AND r.outcome IN (
                               'again', 'seat_held_by_another_user', 'seat_not_available'));
            IF places.seats IS NULL OR taken = '{}' THEN
                vain := vain || next_one.wish;
            ELSE
                busy := busy || taken;
            END IF;
        END IF;
        RETURN QUERY
        SELECT 0, 0, CASE r.outcome WHEN 'held' THEN 'offered' ELSE r.outcome END, r.hold_id, r.held_until, r.left_s,
               r.event_id, r.ordinal, r.zone_id, r.version, r.held, r.sold,
               CASE r.req WHEN 1 THEN next_one.user_id END, (lines[r.line]).seat_id, (lines[r.line]).kind,
               (lines[r.line]).ref_id, (lines[r.line]).quantity
        FROM unnest(got) r WHERE r.req = 0 OR r.outcome = 'held';
    END LOOP;
END $$;
