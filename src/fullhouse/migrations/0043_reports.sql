-- A show's report counts its holds from end to end (checkout/report_queries.sql). Those that count down are left out of this
-- index: to place one costs no more than before, and they are found by their own, which has nothing else.
CREATE INDEX seat_holds_ended ON seat_holds (organization_id, event_id, created_at) INCLUDE (status, quantity)
    WHERE status <> 'active';
