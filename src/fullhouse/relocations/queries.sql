-- Tickets that were moved to other seats.

-- part: seat
jsonb_build_object('zone_name', z.name, 'row', nullif(s.row_label, ''), 'seat', s.number)

-- part: moved
seat_moves v
CROSS JOIN seats s JOIN zones z ON z.organization_id = s.organization_id AND z.id = s.zone_id
WHERE v.organization_id = m.organization_id AND v.migration_id = m.migration_id AND v.ticket_id = m.ticket_id
  AND s.organization_id = v.organization_id

-- part: move
m.ticket_id, m.migration_id, m.event_id, m.from_place, m.to_place, m.respond_by, m.answer, m.answered_at,
coalesce((SELECT {seat} FROM {moved} AND s.id = v.from_seat_id), jsonb_build_object('zone_name', m.from_place))
AS from_seat,
CASE WHEN m.to_place IS NOT NULL THEN
    coalesce((SELECT {seat} FROM {moved} AND s.id = v.to_seat_id), jsonb_build_object('zone_name', m.to_place))
END AS to_seat

-- part: place
concat_ws(', ', z.name, nullif('row ' || s.row_label, 'row '), 'seat ' || s.number)

-- name: reissue_tickets
-- Gives every ticket its planned seat, by the new version's ids. A ticket whose seat changed gets a new code, so that
-- the old print is refused at the gate, and an open move. Tickets without seats keep their zone, by its key.
WITH planned AS MATERIALIZED (
    SELECT v.ticket_id, v.kind, v.to_seat_id, {place} AS from_place
    FROM seat_moves v
    JOIN tickets t ON t.organization_id = v.organization_id AND t.id = v.ticket_id
    JOIN seats s ON s.organization_id = v.organization_id AND s.id = v.from_seat_id
    JOIN zones z ON z.organization_id = s.organization_id AND z.id = s.zone_id
    WHERE v.organization_id = :org AND v.migration_id = :migration_id
), seated AS (
    UPDATE tickets t
    SET seat_id = p.to_seat_id, zone_id = e.zone_id, version = t.version + 1, updated_at = app.clock(),
        nonce = CASE p.kind WHEN 'same' THEN t.nonce ELSE substring(uuid_send(gen_random_uuid()) FROM 9) END
    FROM planned p LEFT JOIN event_seats e ON e.organization_id = :org AND e.event_id = :event_id
        AND e.seat_id = p.to_seat_id
    WHERE t.organization_id = :org AND t.id = p.ticket_id
), standing AS (
    UPDATE tickets t SET zone_id = new.zone_id
    FROM zones old JOIN event_zones new
      ON new.organization_id = :org AND new.event_id = :event_id AND new.zone_key = old.zone_key
    WHERE t.organization_id = :org AND t.event_id = :event_id AND t.seat_id IS NULL AND old.organization_id = :org
      AND old.id = t.zone_id AND NOT EXISTS (SELECT FROM planned p WHERE p.ticket_id = t.id)
)
INSERT INTO ticket_moves AS m (organization_id, ticket_id, migration_id, event_id, from_place, to_place, respond_by)
SELECT :org, p.ticket_id, :migration_id, :event_id, p.from_place, (
           SELECT {place} FROM seats s JOIN zones z ON z.organization_id = s.organization_id AND z.id = s.zone_id
           WHERE s.organization_id = :org AND s.id = p.to_seat_id), g.respond_by
FROM planned p JOIN layout_migrations g ON g.organization_id = :org AND g.id = :migration_id
WHERE p.kind <> 'same'
RETURNING {move};

-- name: list_moves
SELECT {move}, t.holder_email AS email FROM ticket_moves m
JOIN tickets t ON t.organization_id = m.organization_id AND t.id = m.ticket_id
WHERE m.organization_id = :org AND m.migration_id = :migration_id ORDER BY lower(t.holder_email), t.number;

-- name: find_newest_move
SELECT {move}
FROM ticket_moves m JOIN layout_migrations g ON g.organization_id = m.organization_id AND g.id = m.migration_id
WHERE m.organization_id = :org AND m.ticket_id = :ticket_id ORDER BY g.created_at DESC LIMIT 1;

-- name: list_open_moves
-- The moves that a holder may still answer.
SELECT {move} FROM ticket_moves m JOIN tickets t ON t.organization_id = m.organization_id AND t.id = m.ticket_id
WHERE m.organization_id = :org AND t.holder_user_id = :user_id AND m.answer IS NULL AND m.respond_by > app.clock()
ORDER BY m.respond_by, t.number LIMIT :limit;

-- name: answer_move
UPDATE ticket_moves m SET answer = :answer, answered_at = app.clock()
WHERE organization_id = :org AND migration_id = :migration_id AND ticket_id = :ticket_id AND answer IS NULL
RETURNING {move};

-- name: list_due_moves
-- Across organisations: unanswered moves past their deadline.
SELECT organization_id, ticket_id FROM ticket_moves
WHERE answer IS NULL AND respond_by <= app.clock() ORDER BY respond_by LIMIT :limit;
