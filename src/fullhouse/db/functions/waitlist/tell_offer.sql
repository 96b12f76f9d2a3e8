-- Writes the audit row and the fact when an offer is made or ends. Joining, and leaving without an offer, are written
-- by the application.
CREATE OR REPLACE FUNCTION app.tell_offer() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    what text := CASE NEW.status WHEN 'waiting' THEN 'withdrawn' ELSE NEW.status END;
    story jsonb := jsonb_strip_nulls(jsonb_build_object('version', 1, 'subject_id', NEW.id, 'event_id', NEW.event_id,
        'user_id', NEW.user_id, 'party', NEW.party, 'answer_by', NEW.answer_by));
BEGIN
    INSERT INTO audit_log (id, organization_id, created_at, actor_type, actor_name, action, entity_type, entity_id, after)
    VALUES (gen_random_uuid(), NEW.organization_id, app.clock(), 'system', 'waiting list', 'waitlist.' || what,
            'waitlist_entry', NEW.id, story);
    INSERT INTO outbox (id, organization_id, name, subject_id, payload)
    VALUES (gen_random_uuid(), NEW.organization_id, 'waitlist.' || what, NEW.id, story);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER tell_offer AFTER UPDATE OF status ON waitlist_entries
    FOR EACH ROW WHEN (OLD.status = 'offered' OR NEW.status = 'offered') EXECUTE FUNCTION app.tell_offer();
