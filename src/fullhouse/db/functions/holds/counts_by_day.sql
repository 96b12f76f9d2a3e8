-- Whether tickets of a type count only on the type's own days.
CREATE OR REPLACE FUNCTION app.counts_by_day(org uuid, kind_of_ticket uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT kind_of_ticket IS NOT NULL
       AND EXISTS (SELECT FROM ticket_types t WHERE t.organization_id = org AND t.id = kind_of_ticket AND t.by_day)
$$;
