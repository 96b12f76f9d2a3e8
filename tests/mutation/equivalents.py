"""Mutants that no test can notice, each with the reason. They are not counted.

By target and changed lines, as a run prints them: `- before` and `+ after`, without indentation.
"""

# Ids are uuids that no two tables share: a condition beside one that names the same row again is there for the index.
ONE_ID = "an id is of one pool only: its event or kind is named beside it for the index"
QUEUE, HOLDS = "fullhouse/waiting_room/policy.py", "fullhouse/holds/policy.py"
EQUIVALENT: dict[tuple[str, str], str] = {
    (QUEUE, '- "sold_out": SoldOut,\n+ '): "refusal() answers this word before it looks into the table",
    (
        QUEUE,
        "- return 1 - min(0.9, max(0.2, 1.5 / math.sqrt(seen)))\n"
        "+ return 1 - min(1.9, max(0.2, 1.5 / math.sqrt(seen)))",
    ): "from ENOUGH on the root is so large that the upper end never binds",
    (
        HOLDS,
        "- sum_ = Load(*map(sum, zip(has, basket, strict=True)))\n"
        "+ sum_ = Load(*map(sum, zip(has, basket, strict=False)))",
    ): "both are loads, and have three numbers",
    (
        "app.lock_scans(uuid)",
        "- RETURN pg_advisory_xact_lock(hashtextextended(('scans:'::text || show), (0)::bigint))\n"
        "+ RETURN pg_advisory_xact_lock(hashtextextended(('scans:'::text || show), (1)::bigint))",
    ): "any seed does: nobody else takes this lock",
    (
        "app.thaw_holds(uuid,uuid,uuid[],uuid)",
        "- WHERE s.organization_id = org AND s.event_id = show AND s.seat_id = t.seat_id AND s.hold_id ="
        " t.id\n"
        "+ WHERE s.organization_id = org AND s.event_id = show AND s.seat_id = t.seat_id OR s.hold_id ="
        " t.id",
    ): "nobody else gets the seat of a frozen hold, and no other seat has its id",
    (
        "app.zones_counted(uuid,text,uuid[],uuid[])",
        "- WHERE p.organization_id = org AND p.event_id = ANY (shows) AND p.kind = 'zone' AND p.ref_id ="
        " ANY (zones);\n"
        "+ WHERE p.organization_id = org AND p.event_id = ANY (shows)  AND p.ref_id = ANY (zones);",
    ): ONE_ID,
    (
        "app.zones_counted(uuid,text,uuid[],uuid[])",
        "- WHERE p.organization_id = org AND p.event_id = ANY (shows) AND p.kind = 'zone' AND p.ref_id ="
        " ANY (zones)\n"
        "+ WHERE p.organization_id = org AND p.event_id = ANY (shows)  AND p.ref_id = ANY (zones)",
    ): ONE_ID,
    (
        "app.follow_valid_days()",
        "- FROM (SELECT c.* FROM day_places c WHERE c.organization_id = NEW.organization_id AND"
        " c.ticket_type_id = NEW.id\n"
        "+ FROM (SELECT c.* FROM day_places c WHERE c.organization_id = NEW.organization_id OR"
        " c.ticket_type_id = NEW.id",
    ): "the peaks of other types are right already, and come out as they are",
    (
        "app.zones_short_of(uuid,uuid,uuid[],boolean)",
        "- WHERE p.organization_id = org AND p.event_id = show AND p.kind = 'ticket_type' AND p.ref_id ="
        " ANY (kinds)\n"
        "+ WHERE p.organization_id = org  AND p.kind = 'ticket_type' AND p.ref_id = ANY (kinds)",
    ): ONE_ID,
    (
        "app.zones_short_of(uuid,uuid,uuid[],boolean)",
        "- WHERE p.organization_id = org AND p.event_id = show AND p.kind = 'ticket_type' AND p.ref_id ="
        " ANY (kinds)\n"
        "+ WHERE p.organization_id = org AND p.event_id = show  AND p.ref_id = ANY (kinds)",
    ): ONE_ID,
    (
        "app.zones_short_of(uuid,uuid,uuid[],boolean)",
        "- SELECT count(*) AS types, coalesce(sum(p.capacity), 0) AS tickets FROM pools p\n"
        "+ SELECT count(*) AS types, coalesce(sum(p.capacity), 1) AS tickets FROM pools p",
    ): "without a pool there is no type, and then tickets do not matter",
    (
        "app.follow_day_peak(uuid,uuid,text,uuid)",
        "- WHERE p.organization_id = org AND p.event_id = event AND p.kind = pool_kind AND p.ref_id = ref\n"
        "+ WHERE p.organization_id = org AND p.event_id = event  AND p.ref_id = ref",
    ): ONE_ID,
    (
        "app.lock_held_seats(uuid,uuid,uuid[])",
        "- JOIN event_seats c ON c.organization_id = org AND c.event_id = show AND c.companion_of ="
        " h.seat_id\n"
        "+ JOIN event_seats c ON c.organization_id = org  AND c.companion_of = h.seat_id",
    ): "companions are of the layout: another event on it names the same seats, and they are looked up in this one",
    (
        "app.wishes(uuid,uuid)",
        "- WHERE e.organization_id = org AND e.event_id = show AND e.status = 'waiting'\n"
        "+ WHERE e.organization_id = org  AND e.status = 'waiting'",
    ): "the walk begins at a lower wish, of another event, and finds the same from there on",
    (
        "app.offer_places(uuid,uuid,text,uuid[],int4multirange,integer)",
        "- IF near IS NULL THEN\n+ IF false THEN",
    ): "each party is looked for among all seats, not among the free ones: it takes longer and finds the same",
    (
        "app.answer_hold(uuid,app.hold_judgement[])",
        "- ORDER BY 1, 2;\n+ ORDER BY 2, 2;",
    ): "the engine gathers the rows by request; only the order within one is seen, and that is by line",
}
