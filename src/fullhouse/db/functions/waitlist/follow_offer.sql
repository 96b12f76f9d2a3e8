-- Ends an entry's offer when the last of its holds ends. A transaction that withdraws offers sets `app.withdrawing` to
-- the event: the entry then waits again, in its old position.
CREATE OR REPLACE FUNCTION app.follow_offer() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    withdrawn boolean := coalesce(current_setting('app.withdrawing', true), '') = NEW.event_id::text;
    ending text := (
        SELECT CASE WHEN bool_or(h.status IN ('active', 'suspended')) THEN NULL
                    WHEN bool_or(h.status = 'converted') THEN 'taken'
                    WHEN withdrawn THEN 'waiting'
                    WHEN bool_or(h.status = 'expired') THEN 'lapsed'
                    ELSE 'left' END
        FROM seat_holds h
        WHERE h.organization_id = NEW.organization_id AND h.basket_id = NEW.basket_id AND h.source = 'waitlist');
BEGIN
    UPDATE waitlist_entries e
    SET status = ending, basket_id = CASE WHEN ending <> 'waiting' THEN e.basket_id END,
        answer_by = CASE WHEN ending <> 'waiting' THEN e.answer_by END
    WHERE ending IS NOT NULL AND e.organization_id = NEW.organization_id AND e.basket_id = NEW.basket_id
      AND e.status = 'offered';
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER follow_offer AFTER UPDATE OF status ON seat_holds
    FOR EACH ROW WHEN (NEW.source = 'waitlist' AND NEW.status IS DISTINCT FROM OLD.status)
    EXECUTE FUNCTION app.follow_offer();
