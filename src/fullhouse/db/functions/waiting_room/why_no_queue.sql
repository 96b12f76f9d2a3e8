-- Null if the event is on sale, otherwise the refusal, under the same conditions as in the hold statement. A pre-queue
-- opens before the sale.
CREATE OR REPLACE FUNCTION app.why_no_queue(org uuid, event uuid, state text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT CASE
        WHEN NOT (e.status IN ('published', 'live') OR e.status = 'postponed' AND e.rescheduled_at IS NOT NULL)
            THEN 'event_not_available'
        WHEN app.clock() > e.sale_end_at OR app.clock() < e.sale_start_at AND state <> 'pre' THEN 'event_sales_closed'
        END FROM events e WHERE e.organization_id = org AND e.id = event);
END $$;
