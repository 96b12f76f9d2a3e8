-- Lists of shows go by the date that counts: a show that was moved stands where it is now.

DROP INDEX events_start, events_status, events_venue;
CREATE INDEX events_start ON events (organization_id, coalesce(rescheduled_at, start_at), id);
CREATE INDEX events_status ON events (organization_id, status, coalesce(rescheduled_at, start_at), id);
CREATE INDEX events_venue ON events (organization_id, venue_id, coalesce(rescheduled_at, start_at), id);
