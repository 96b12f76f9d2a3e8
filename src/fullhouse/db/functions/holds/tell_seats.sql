-- Publishes seat states and zone counts to other processes over the bus (kit/live/bus.py). The versions say which of
-- two messages about a seat or a zone is the newer one.
CREATE OR REPLACE FUNCTION app.tell_seats(
    sender text, org uuid, event_id uuid, ordinals integer[], states smallint[], versions integer[], counts json)
RETURNS void
LANGUAGE sql AS $$
    SELECT app.tell_shows(sender, ARRAY[json_build_array('seats:' || event_id,
                                                         json_build_array(ordinals, states, versions, counts, org))]);
$$;
