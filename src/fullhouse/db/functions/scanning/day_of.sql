-- The day of a time at an event: until `day_boundary`, local time, it is the day before. The default is 05:00.
CREATE OR REPLACE FUNCTION app.day_of(at timestamptz, zone text, settings jsonb) RETURNS date LANGUAGE sql STABLE AS $$
    SELECT ((at AT TIME ZONE zone) - CASE WHEN settings ->> 'day_boundary' ~ '^(0[0-9]|1[01]):[0-5][0-9]$'
                                          THEN (settings ->> 'day_boundary')::interval
                                          ELSE interval '5 hours' END)::date
$$;
