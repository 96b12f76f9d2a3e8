-- A batch of requests of one organisation, in the order of their arrival. Each gets all of its lines or none. Returns a
-- row for each line: `held` and `own` (held by the same person before) are successes; `again` may succeed in the next
-- batch; the other outcomes are the codes of refusals. Rows with line 0 are seats and counts that changed in addition.
-- The caller ensures that a batch has at most one request of a person.
--
-- Four steps: lock what is requested, decide, write the holds, return the outcomes.
CREATE OR REPLACE FUNCTION app.hold(org uuid, sender text, lines app.hold_line[])
RETURNS TABLE (req integer, line integer, outcome text, hold_id uuid, held_until timestamptz, left_s integer,
               event_id uuid, ordinal integer, zone_id uuid, version integer, held integer, sold integer,
               seat_status text, locked_at timestamptz)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    asked uuid[] := array(SELECT DISTINCT event_id FROM unnest(lines));
    capped uuid[];   -- events that have a limit of their own
    typed uuid[];    -- events that sell by ticket types
    by_day uuid[];   -- events with ticket types that count by day
    judged app.hold_judgement[];
BEGIN
    PERFORM set_config('app.org', org::text, true);
    RETURN QUERY SELECT 0, 0, f.outcome, NULL::uuid, NULL::timestamptz, NULL::integer, f.event_id, f.ordinal, f.zone_id,
                        f.version, f.held, f.sold, NULL::text, NULL::timestamptz
                 FROM app.lock_for_hold(org, sender, asked, lines) f;
    capped := array(SELECT p.event_id FROM pools p
                    WHERE p.organization_id = org AND p.event_id = ANY (asked) AND p.kind = 'event');
    SELECT coalesce(array_agg(DISTINCT t.event_id), '{}'),
           coalesce(array_agg(DISTINCT t.event_id) FILTER (WHERE t.by_day), '{}') INTO typed, by_day
    FROM ticket_types t WHERE t.organization_id = org AND t.event_id = ANY (asked);

    judged := array(SELECT j FROM app.judge_hold(org, lines, capped, typed, by_day) j);
    RETURN QUERY SELECT 0, 0, w.outcome, w.hold_id, NULL::timestamptz, NULL::integer, w.event_id, w.ordinal, w.zone_id,
                        w.version, w.held, w.sold, NULL::text, NULL::timestamptz
                 FROM app.write_hold(org, sender, judged, capped, by_day) w;
    RETURN QUERY SELECT * FROM app.answer_hold(org, judged);
END $$;
