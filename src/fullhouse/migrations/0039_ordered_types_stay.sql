-- A ticket is of a type. One that was deleted while somebody paid for it could not be issued any more, and the money
-- stayed with nobody: what was ever ordered stays. Not validated: what was deleted before is past.
ALTER TABLE order_lines ADD CONSTRAINT order_lines_type_fkey
    FOREIGN KEY (organization_id, ticket_type_id) REFERENCES ticket_types (organization_id, id) NOT VALID;
