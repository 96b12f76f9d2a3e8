-- A batch of requests of one organisation, in the order of their arrival. Each gets all of its lines or none, and there
-- is an answer for each line: `held` and `own` (it was theirs already) are good; `again` may be good in the next batch;
-- the rest are the codes of refusals. Line 0 is about seats that changed beside them. The caller sees to it that a
-- batch has one request of a person at most.
--
-- In four steps: lock what is asked for, judge, write what is held, answer.
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
    by_day uuid[];   -- events of which some places count on some days
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
