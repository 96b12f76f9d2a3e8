-- The first step of `app.hold`: locks everything that is requested except the seats, in the global lock order. If a
-- pool is too small for the batch, overdue holds that still count in it are ended; returns what that freed.
CREATE OR REPLACE FUNCTION app.lock_for_hold(org uuid, sender text, asked uuid[], lines app.hold_line[])
RETURNS TABLE (outcome text, event_id uuid, ordinal integer, zone_id uuid, version integer, held integer, sold integer)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    overdue uuid[];
    freed record;
BEGIN
    -- The event first: a concurrent cancellation waits for this transaction, or is visible to it.
    PERFORM FROM events WHERE organization_id = org AND id = ANY (asked) ORDER BY id FOR SHARE;

    -- For the limits per person and network: no two batches count the same person at once.
    PERFORM pg_advisory_xact_lock(k.key)
    FROM (SELECT hashtextextended('user:' || user_id, 0) AS key FROM unnest(lines)
          UNION SELECT hashtextextended('net:' || org || network, 0) FROM unnest(lines) WHERE most_near IS NOT NULL
          ORDER BY 1) k;

    -- The requested pools, and the event's own if it has one.
    PERFORM FROM pools p
    WHERE p.organization_id = org AND (p.event_id, p.kind, p.ref_id) IN (
        SELECT event_id, kind, ref_id FROM unnest(lines) WHERE seat_id IS NULL
        UNION ALL SELECT event_id, 'ticket_type', ticket_type_id FROM unnest(lines) WHERE ticket_type_id IS NOT NULL
        UNION ALL SELECT e, 'event', e FROM unnest(asked) e)
    ORDER BY p.event_id, p.kind, p.ref_id FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    overdue := array(
        SELECT h.id
        FROM (SELECT event_id, kind, ref_id, sum(quantity) AS quantity FROM unnest(lines)
              WHERE seat_id IS NULL GROUP BY 1, 2, 3
              UNION ALL SELECT event_id, 'ticket_type', ticket_type_id, sum(quantity) FROM unnest(lines)
                        WHERE ticket_type_id IS NOT NULL GROUP BY 1, 3
              UNION ALL SELECT event_id, 'event', event_id, sum(quantity) FROM unnest(lines) GROUP BY 1) w
        JOIN pools p ON p.organization_id = org
                    AND (p.event_id, p.kind, p.ref_id) = (w.event_id, w.kind, w.ref_id)
                    AND w.quantity > p.capacity - p.held - p.sold - p.day_peak
        JOIN seat_holds h ON h.organization_id = org AND h.event_id = p.event_id AND h.status = 'active'
                         AND h.held_until <= app.clock()
        WHERE CASE p.kind WHEN 'zone' THEN h.seat_id IS NULL AND h.zone_id = p.ref_id
                          WHEN 'ticket_type' THEN h.ticket_type_id = p.ref_id ELSE true END);
    IF overdue = '{}' THEN
        RETURN;
    END IF;
    FOR freed IN
        SELECT event_id,
               coalesce(array_agg(coalesce(ordinal, kept)) FILTER (WHERE seen), '{}') AS ordinals,
               coalesce(array_agg(CASE WHEN ordinal IS NULL THEN 4 ELSE 0 END::smallint) FILTER (WHERE seen), '{}')
                   AS states,
               coalesce(array_agg(version) FILTER (WHERE seen), '{}') AS versions,
               coalesce(json_agg(json_build_array(zone_id, held, sold, version)) FILTER (WHERE held IS NOT NULL),
                        '[]') AS counts
        FROM (SELECT *, coalesce(ordinal, kept) IS NOT NULL AS seen FROM app.end_holds(
                  org, overdue, 'expired', true, 'system', NULL, 'sweeper', NULL, NULL, NULL, NULL)) e
        GROUP BY event_id
    LOOP
        IF sender IS NOT NULL THEN
            PERFORM app.tell_seats(sender, org, freed.event_id, freed.ordinals, freed.states, freed.versions,
                                   freed.counts);
        END IF;
        RETURN QUERY
        SELECT CASE o.state WHEN 0 THEN 'freed' ELSE 'accompanied' END, freed.event_id, o.ordinal, NULL::uuid,
               o.version, NULL::integer, NULL::integer
        FROM unnest(freed.ordinals, freed.states, freed.versions) AS o (ordinal, state, version)
        UNION ALL
        SELECT 'counted', freed.event_id, NULL, (c ->> 0)::uuid, (c ->> 3)::integer, (c ->> 1)::integer,
               (c ->> 2)::integer
        FROM json_array_elements(freed.counts) c;
    END LOOP;
END $$;
