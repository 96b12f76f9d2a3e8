-- Tells other processes over the bus, as kit/live/bus.py does. Versions say which of two messages about a seat, or about a
-- zone's places, is the newer one.
CREATE OR REPLACE FUNCTION app.tell_seats(
    sender text, org uuid, event_id uuid, ordinals integer[], states smallint[], versions integer[], counts json)
RETURNS void
LANGUAGE sql AS $$
    SELECT app.tell_shows(sender, ARRAY[json_build_array('seats:' || event_id,
                                                         json_build_array(ordinals, states, versions, counts, org))]);
$$;
