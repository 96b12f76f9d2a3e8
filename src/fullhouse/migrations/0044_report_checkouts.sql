-- And its checkouts: until now only those that are open were found by their show.
CREATE INDEX checkout_sessions_show ON checkout_sessions (organization_id, event_id, created_at);
