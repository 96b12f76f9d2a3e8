-- Heat is the sum of weighted activity with a half-life of one day. All of it decays at the same rate, so the order of
-- two events changes only with new activity: stored as log2(Σ weight · 2^(time in days)), it never has to be
-- recomputed.
CREATE OR REPLACE FUNCTION app.heat(was double precision, weight double precision) RETURNS double precision
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN weight <= 0 THEN was ELSE (
    SELECT greatest(was, fresh) + ln(1 + CASE WHEN was IS NULL THEN 0
                                              ELSE power(2::double precision, greatest(-abs(was - fresh), -100)) END)
                                  / ln(2::double precision)
    FROM (SELECT ln(weight) / ln(2::double precision)
                 + extract(epoch FROM app.clock() - timestamptz '2025-01-01 00:00+00')::double precision / 86400
                 AS fresh) AS act
) END;
