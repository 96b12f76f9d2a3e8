-- The allowed status transitions of an entry. `offered` becomes `waiting` again if the organiser withdraws the offer.
CREATE OR REPLACE FUNCTION app.move_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (OLD.status, NEW.status) NOT IN (('waiting', 'offered'), ('waiting', 'left'), ('offered', 'taken'),
        ('offered', 'lapsed'), ('offered', 'left'), ('offered', 'waiting')) THEN
        RAISE EXCEPTION 'an entry that is % does not become %', OLD.status, NEW.status
            USING ERRCODE = 'restrict_violation';
    END IF;
    NEW.updated_at := app.clock();
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER move_entry BEFORE UPDATE OF status ON waitlist_entries
    FOR EACH ROW EXECUTE FUNCTION app.move_entry();
