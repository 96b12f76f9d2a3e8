-- What an event's sale is at a moment follows from its ticket types' windows, and changes without a write: a type's
-- window opens, or ends while the others are sold out, or nothing is on sale between two windows. So the public
-- projection has the periods in which there is something to buy, and `sold_out` no longer depends on when it was written.

-- When something that is not sold can be bought. Null if that is whenever the sale lasts, as it mostly is.
ALTER TABLE public_events ADD COLUMN selling tstzmultirange;
-- As in 0007, and: events that are sold out for some of the time.
DROP INDEX public_events_sold_out;
CREATE INDEX public_events_sold_out ON public_events (start_at, event_id) WHERE sold_out OR selling IS NOT NULL;
-- When the next of these periods begins and ends; those between the first and the last, few events have.
CREATE INDEX public_events_selling_from ON public_events (lower(selling)) WHERE selling IS NOT NULL;
CREATE INDEX public_events_selling_until ON public_events (upper(selling)) WHERE selling IS NOT NULL;
CREATE INDEX public_events_gaps ON public_events (event_id)
    WHERE selling IS NOT NULL AND multirange(range_merge(selling)) <> selling;

-- The event is full on each day that it sells, or no place is left.
CREATE FUNCTION app.is_full(org uuid, event uuid) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF EXISTS (SELECT FROM pools p WHERE p.organization_id = org AND p.event_id = event AND p.kind = 'event'
               AND p.sold + coalesce((SELECT min(l.sold) FROM app.day_loads(org, event, 'event', event) l
                                      WHERE p.day_peak > 0), 0) >= p.capacity) THEN
        RETURN true;
    END IF;
    RETURN EXISTS (SELECT FROM event_layouts l WHERE l.organization_id = org AND l.event_id = event)
       AND NOT EXISTS (SELECT FROM event_seats s WHERE s.organization_id = org AND s.event_id = event
                       AND s.status IN ('available', 'held'))
       AND NOT EXISTS (SELECT FROM event_zones z
                       JOIN pools p ON p.organization_id = org AND p.event_id = event AND p.kind = 'zone'
                                   AND p.ref_id = z.zone_id
                       WHERE z.organization_id = org AND z.event_id = event AND p.sold + coalesce((
                             SELECT min(l.sold) FROM app.day_loads(org, event, 'zone', p.ref_id) l
                             WHERE p.day_peak > 0), 0) < p.capacity
                         AND z.zone_type NOT IN ('reserved_seating', 'vip_reserved'));
END $$;

-- The windows of all types that everybody may buy and that have a ticket left, within the event's own window. Both ends
-- of a window belong to it.
CREATE FUNCTION app.selling(org uuid, event uuid) RETURNS tstzmultirange LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN CASE WHEN app.is_full(org, event) THEN '{}' ELSE coalesce((
        SELECT range_agg(tstzrange(w.opens_at, w.closes_at, '[]')) FILTER (WHERE w.opens_at <= w.closes_at)
        FROM ticket_types t
        JOIN events e ON e.organization_id = org AND e.id = event
        LEFT JOIN pools p ON p.organization_id = org AND p.event_id = event AND p.kind = 'ticket_type'
                         AND p.ref_id = t.id
        CROSS JOIN LATERAL (SELECT greatest(t.sale_start_at, e.sale_start_at) AS opens_at,
                                   least(t.sale_end_at, e.sale_end_at) AS closes_at) w
        WHERE t.organization_id = org AND t.event_id = event AND NOT t.hidden
          AND (p.ref_id IS NULL OR p.sold < p.capacity)
          AND coalesce(app.unsold_for(org, event, 'event', event, t.id) > 0, true)
          AND app.has_places(org, event, t)), '{}') END;
END $$;

-- Whether a place is left that is not sold and that a ticket of this type is for. Without a layout there are no places.
CREATE FUNCTION app.has_places(org uuid, event uuid, t ticket_types) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT NOT EXISTS (SELECT FROM event_layouts l WHERE l.organization_id = org AND l.event_id = event)
        OR EXISTS (
            SELECT FROM event_zones z
            JOIN pools p ON p.organization_id = org AND p.event_id = event AND p.kind = 'zone' AND p.ref_id = z.zone_id
            WHERE z.organization_id = org AND z.event_id = event AND (t.zones = '{}' OR z.zone_key = ANY (t.zones))
              AND (z.zone_type IN ('reserved_seating', 'vip_reserved')) = (t.kind = 'seated')
              AND CASE p.day_peak WHEN 0 THEN p.capacity - p.sold
                                  ELSE app.unsold_for(org, event, 'zone', z.zone_id, t.id) END > 0
              AND (t.kind <> 'seated' OR EXISTS (
                  SELECT FROM event_seats s WHERE s.organization_id = org AND s.event_id = event
                  AND s.zone_id = z.zone_id AND s.status IN ('available', 'held'))))
$$;

-- As in 0053, without a look at the clock, and: when something can be bought.
DROP FUNCTION app.stock(uuid, uuid);
CREATE FUNCTION app.stock(org uuid, event uuid, OUT opens_at timestamptz, OUT closes_at timestamptz,
                          OUT has_tickets boolean, OUT sold_out boolean, OUT selling tstzmultirange)
LANGUAGE plpgsql STABLE AS $$
BEGIN
    SELECT greatest(e.sale_start_at, min(coalesce(t.sale_start_at, e.sale_start_at))),
           least(e.sale_end_at, max(coalesce(t.sale_end_at, e.sale_end_at))), count(t.id) > 0
    INTO opens_at, closes_at, has_tickets
    FROM events e
    LEFT JOIN ticket_types t ON t.organization_id = org AND t.event_id = event AND NOT t.hidden
    WHERE e.organization_id = org AND e.id = event
    GROUP BY e.sale_start_at, e.sale_end_at;
    selling := app.selling(org, event);
    sold_out := isempty(selling) AND has_tickets;
    -- Nothing is left: was there ever anything? Seats that are blocked are not for sale.
    IF sold_out AND EXISTS (SELECT FROM event_layouts l WHERE l.organization_id = org AND l.event_id = event)
       AND NOT EXISTS (SELECT FROM event_seats s WHERE s.organization_id = org AND s.event_id = event
                       AND s.status <> 'blocked')
       AND NOT EXISTS (SELECT FROM event_zones z
                       JOIN pools p ON p.organization_id = org AND p.event_id = event AND p.kind = 'zone'
                                   AND p.ref_id = z.zone_id
                       WHERE z.organization_id = org AND z.event_id = event AND p.capacity > 0
                         AND z.zone_type NOT IN ('reserved_seating', 'vip_reserved')) THEN
        has_tickets := false;
    END IF;
    sold_out := sold_out AND has_tickets;
    IF isempty(selling) OR opens_at > closes_at OR selling @> tstzrange(opens_at, closes_at, '[]') THEN
        selling := NULL;
    END IF;
END $$;

CREATE OR REPLACE FUNCTION app.follow_stock(org uuid, event uuid) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    -- One after the other: who computed from an older snapshot must not have the last word.
    PERFORM FROM public_events p WHERE p.organization_id = org AND p.event_id = event FOR UPDATE;
    UPDATE public_events p
    SET sale_start_at = s.opens_at, sale_end_at = s.closes_at, has_tickets = s.has_tickets, sold_out = s.sold_out,
        selling = s.selling
    FROM app.stock(org, event) s
    WHERE p.organization_id = org AND p.event_id = event
      AND (p.sale_start_at, p.sale_end_at, p.has_tickets, p.sold_out, p.selling)
          IS DISTINCT FROM (s.opens_at, s.closes_at, s.has_tickets, s.sold_out, s.selling);
    RETURN FOUND;
END $$;

-- As in 0053, and: while nothing can be bought, more comes, or nothing does. The same is in the policy, as a table.
CREATE OR REPLACE VIEW shows_of_any_house WITH (security_invoker = true) AS
SELECT p.event_id AS id, p.organization_id, o.slug AS organization, o.name AS organization_name, p.slug, p.title,
       p.description, p.category, 'published' AS status, p.status AS phase,
       CASE WHEN p.status = 'postponed' AND p.rescheduled_at IS NULL THEN 'suspended'
            WHEN app.clock() < p.sale_start_at THEN 'upcoming'
            WHEN app.clock() > p.sale_end_at THEN 'closed'
            WHEN NOT p.has_tickets THEN 'upcoming'
            WHEN p.sold_out THEN 'sold_out'
            WHEN p.selling IS NULL OR p.selling @> app.clock() THEN 'on_sale'
            WHEN app.clock() < upper(p.selling) THEN 'upcoming'
            ELSE 'sold_out' END AS sale_status,
       p.sold_out OR coalesce(p.has_tickets AND upper(p.selling) < app.clock() AND app.clock() <= p.sale_end_at, false)
           AS sold_out,
       p.venue_name, p.city, p.city_norm, p.country, p.address, p.timezone, p.start_at AS start_time,
       p.end_at AS end_time, p.first_start_at AS first_start_time, p.rescheduled_at, p.sale_start_at, p.sale_end_at,
       p.capacity, p.cover_image_ids, p.published_at, p.changed_at, p.search,
       o.status = 'active' AS house_is_open, p.owner_id, p.created_at, p.active_participants, p.has_tickets,
       p.selling, p.sold_out AS all_sold
FROM public_events p JOIN organizations o ON o.id = p.organization_id;

CREATE OR REPLACE VIEW public_shows WITH (security_invoker = true) AS
SELECT * FROM shows_of_any_house WHERE house_is_open;

-- What is shown already, and may still be sold: what is over is closed, whatever is left of it.
ALTER TABLE public_events NO FORCE ROW LEVEL SECURITY;
ALTER TABLE events NO FORCE ROW LEVEL SECURITY;
ALTER TABLE ticket_types NO FORCE ROW LEVEL SECURITY;
ALTER TABLE pools NO FORCE ROW LEVEL SECURITY;
ALTER TABLE day_places NO FORCE ROW LEVEL SECURITY;
ALTER TABLE event_layouts NO FORCE ROW LEVEL SECURITY;
ALTER TABLE event_zones NO FORCE ROW LEVEL SECURITY;
ALTER TABLE event_seats NO FORCE ROW LEVEL SECURITY;
ALTER TABLE public_events DISABLE TRIGGER note_change;  -- no organiser has changed anything
SELECT count(*) FILTER (WHERE app.follow_stock(organization_id, event_id)) FROM public_events
WHERE sale_end_at IS NULL OR sale_end_at >= app.clock();
ALTER TABLE public_events ENABLE TRIGGER note_change;
ALTER TABLE public_events FORCE ROW LEVEL SECURITY;
ALTER TABLE events FORCE ROW LEVEL SECURITY;
ALTER TABLE ticket_types FORCE ROW LEVEL SECURITY;
ALTER TABLE pools FORCE ROW LEVEL SECURITY;
ALTER TABLE day_places FORCE ROW LEVEL SECURITY;
ALTER TABLE event_layouts FORCE ROW LEVEL SECURITY;
ALTER TABLE event_zones FORCE ROW LEVEL SECURITY;
ALTER TABLE event_seats FORCE ROW LEVEL SECURITY;
