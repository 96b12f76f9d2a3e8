-- A queue that is sold out goes on for buyers. Sold out means that no ticket type is left that everybody may buy: a person
-- who holds places already, or has a promo code that makes a hidden type with tickets left visible, still has something to
-- buy.

ALTER TABLE queue_entries ADD COLUMN promo_code text,     -- with which the person joined
    ADD COLUMN is_buyer boolean NOT NULL DEFAULT false;   -- as last seen; checked while the event is sold out
CREATE INDEX queue_entries_buyers ON queue_entries (organization_id, event_id)
    WHERE status = 'waiting' AND (is_buyer OR promo_code IS NOT NULL);

-- They have other arguments or another result now (functions/waiting_room). A new database never had them.
DROP FUNCTION IF EXISTS app.queue_let_in(queue_rooms);
DROP FUNCTION IF EXISTS app.queue_join(uuid, text, uuid, uuid[]);
