-- The waiting room and the waitlist.

-- name: queued
-- Lowering the number of slots removes no one: people admitted before that may finish.
SELECT format('person %s has %s live places in the queue of event %s', user_id, count(*), event_id)
FROM queue_entries WHERE status IN ('waiting', 'admitted') AND expires_at > app.clock()
GROUP BY organization_id, event_id, user_id HAVING count(*) > 1
UNION ALL
SELECT format('the queue of event %s has %s numbers up to %s where the next is %s', r.event_id,
              coalesce(e.people, 0), coalesce(e.last, 0), r.next_seq)
FROM queue_rooms r
LEFT JOIN (SELECT organization_id, event_id, count(*) AS people, max(seq) AS last FROM queue_entries
           GROUP BY 1, 2) e USING (organization_id, event_id)
WHERE (coalesce(e.people, 0), coalesce(e.last, 0)) <> (r.next_seq - 1, r.next_seq - 1)
UNION ALL
SELECT format('event %s has let %s people in where %s may be', r.event_id, count(*), r.slots)
FROM queue_rooms r JOIN queue_entries e USING (organization_id, event_id)
WHERE e.status = 'admitted' AND e.expires_at > app.clock() AND e.admitted_at > r.slots_since
GROUP BY r.organization_id, r.event_id, r.slots HAVING count(*) > r.slots
UNION ALL
SELECT format('checkout %s of event %s is open without a slot', s.id, s.event_id)
FROM checkout_sessions s WHERE s.status = 'open' AND s.expires_at > app.clock() AND NOT EXISTS (
    SELECT FROM queue_entries e WHERE e.organization_id = s.organization_id AND e.event_id = s.event_id
    AND e.user_id = s.user_id AND e.status = 'admitted');

-- name: offered
-- An offer is a set of holds: an offered entry has some, of its own person and no more than its party; and a hold that
-- was made for a waitlist belongs to one entry.
SELECT format('entry %s of event %s is offered %s places for a party of %s', e.id, e.event_id,
              coalesce(sum(h.quantity), 0), e.party)
FROM waitlist_entries e
LEFT JOIN seat_holds h ON h.organization_id = e.organization_id AND h.basket_id = e.basket_id
                      AND h.event_id = e.event_id AND h.user_id = e.user_id AND h.source = 'waitlist'
                      AND h.status IN ('active', 'suspended')
WHERE e.status = 'offered'
GROUP BY e.organization_id, e.id, e.event_id, e.party HAVING coalesce(sum(h.quantity), 0) NOT BETWEEN 1 AND e.party
UNION ALL
SELECT format('hold %s was made for a waitlist, but %s', h.id,
              CASE WHEN e.id IS NULL THEN 'no entry has it' ELSE concat('entry ', e.id, ' is ', e.status) END)
FROM seat_holds h
LEFT JOIN waitlist_entries e ON e.organization_id = h.organization_id AND e.basket_id = h.basket_id
WHERE h.source = 'waitlist' AND h.status IN ('active', 'suspended') AND e.status IS DISTINCT FROM 'offered'
UNION ALL
SELECT format('person %s has %s live offers in event %s', user_id, count(DISTINCT basket_id), event_id)
FROM seat_holds WHERE source = 'waitlist' AND status IN ('active', 'suspended')
GROUP BY organization_id, event_id, user_id HAVING count(DISTINCT basket_id) > 1
UNION ALL
SELECT format('seat %s of event %s is offered %s times', seat_id, event_id, count(*))
FROM seat_holds
WHERE source = 'waitlist' AND seat_id IS NOT NULL AND status IN ('active', 'suspended') AND held_until > app.clock()
GROUP BY organization_id, event_id, seat_id HAVING count(*) > 1
UNION ALL
SELECT format('entry %s says that it was taken, but nothing was bought', e.id)
FROM waitlist_entries e
WHERE e.status = 'taken' AND NOT EXISTS (
    SELECT FROM seat_holds h WHERE h.organization_id = e.organization_id AND h.basket_id = e.basket_id
    AND h.status = 'converted');
