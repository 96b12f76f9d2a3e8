CREATE OR REPLACE FUNCTION app.follow_day_peak(org uuid, event uuid, pool_kind text, ref uuid) RETURNS void LANGUAGE sql AS $$
    UPDATE pools p SET day_peak = l.peak
    FROM (SELECT coalesce(max(l.held + l.sold), 0) AS peak FROM app.day_loads(org, event, pool_kind, ref) l) l
    WHERE p.organization_id = org AND p.event_id = event AND p.kind = pool_kind AND p.ref_id = ref
      AND p.day_peak <> l.peak
$$;
