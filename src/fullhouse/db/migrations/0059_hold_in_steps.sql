-- What `app.judge_hold` found about an item of a request, for the steps after it.
--
-- `outcome`: what is answered; `held` is written. `old_hold`, `old_until`, `status`: of the seat, as it was found.
-- `day_type`: the ticket type on whose days alone its places count.
CREATE TYPE app.hold_judgement AS (
    req integer, line integer, outcome text, event_id uuid, user_id uuid, seat_id uuid, kind text, ref_id uuid,
    ticket_type_id uuid, quantity integer, hold_id uuid, basket_id uuid, source text, network text, keyed boolean,
    held_until timestamptz, keeps_companions boolean, ip text, user_agent text, request_id text, ttl_s integer,
    ordinal integer, zone_id uuid, version integer, status text, old_hold uuid, old_until timestamptz, day_type uuid
);
