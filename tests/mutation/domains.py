"""Which tests judge which mutants: each domain by its own, and locks by its races too."""

from typing import NamedTuple


class Domain(NamedTuple):
    policies: tuple[str, ...]  # below src/fullhouse
    functions: tuple[str, ...]  # of the schema app
    tests: tuple[str, ...]
    races: tuple[str, ...]
    slow: tuple[str, ...] = ()  # of these, what takes long and sees no decision


DOMAINS: dict[str, Domain] = {
    "queue": Domain(
        ("waiting_room/policy.py",),
        (
            "queue_admit",
            "queue_change",
            "queue_heartbeats",
            "queue_join",
            "queue_let_in",
            "why_no_queue",
            "queue_find_buyers",
            "buyers_of",
        ),
        ("tests/queue",),
        ("tests/races/test_queue.py",),
    ),
    "holds": Domain(
        ("holds/policy.py",),
        (
            *("hold", "lock_for_hold", "judge_hold", "write_hold", "answer_hold", "check_zone_sale", "end_holds"),
            *("keep_companions", "keeper_of_companions", "keeps_companions"),
        ),
        ("tests/holds",),
        ("tests/races/test_seats.py", "tests/races/test_places.py", "tests/races/test_windows.py"),
        slow=("tests/holds/test_streams.py", "tests/holds/test_warm.py", "tests/holds/test_metrics.py"),
    ),
    "checkout": Domain(
        ("checkout/policy.py", "refunds/policy.py"),
        (
            *("place_order", "settle_orders", "freeze_holds", "thaw_holds", "keep_frozen", "follow_places"),
            *("hold_again", "hold_in_turn", "propose_seats", "lock_held_seats", "count_change", "pool_counts"),
            *("pool_room", "fit_event_pools", "fit_pool_of_event", "fit_pools_of_venue", "event_limit", "day_loads"),
            *("follow_day_peak", "follow_day_places", "follow_valid_days", "taken_by_day", "taken_places"),
            *("counts_by_day", "unsold_for", "room_for", "zones_counted", "prolong_holds"),
        ),
        ("tests/checkout",),
        ("tests/races/test_checkout.py", "tests/races/test_capacity.py", "tests/races/test_days.py"),
    ),
    "waiting list": Domain(
        (),
        (
            *("offer_places", "places_for", "seats_together", "free_chains", "shares_a_limit", "wishes", "seat_at"),
            *("zones_short_of", "types_selling", "tickets_left", "asked_for", "follow_offer", "move_entry"),
        ),
        (
            *("tests/checkout/test_waitlist.py", "tests/checkout/test_waitlist_first.py"),
            *("tests/checkout/test_waitlist_fit.py", "tests/checkout/test_waitlist_house.py"),
            *("tests/checkout/test_waitlist_offers.py", "tests/checkout/test_waitlist_places.py"),
        ),
        ("tests/races/test_waitlist.py",),
    ),
    "payments": Domain(
        ("payments/policy.py",),
        ("check_balance",),
        ("tests/payments",),
        ("tests/races/test_till.py",),
    ),
    "tickets": Domain(
        ("tickets/policy.py", "tickets/pricing.py"),
        (),
        ("tests/tickets",),
        ("tests/races/test_promos.py",),
    ),
    "what is left": Domain(
        (),
        (
            *("is_full", "is_sold_out", "selling", "code_sells", "has_tickets", "has_places", "stock"),
            "follow_stock",
        ),
        (
            *("tests/events/test_sale_by_the_clock.py", "tests/events/test_sale_status.py"),
            *("tests/checkout/test_places_by_day.py", "tests/tickets", "tests/queue/test_nothing_to_wait_for.py"),
            *("tests/queue/test_buyers.py", "tests/checkout/test_nothing_to_sell.py"),
        ),
        (),
    ),
    "sessions": Domain((), ("who_have_sessions",), ("tests/accounts",), ()),
    "scanning": Domain(
        ("scanning/policy.py",),
        ("scan", "scan_facts", "lock_scans", "day_of", "who_has_device"),
        ("tests/scanning",),
        ("tests/races/test_gates.py",),
    ),
    "events": Domain(("events/policy.py", "events/sale/policy.py"), (), ("tests/events",), ()),
    "seating": Domain(
        ("seating/policy.py", "seating/relocation/policy.py"),
        ("keep_event_layout", "keep_layout", "keep_places", "keep_sold_seats"),
        ("tests/seating",),
        (),
    ),
}

# Functions that decide nothing of the sale, each with what it does instead. A test compares: no other is left out.
NO_DECISION: dict[str, str] = {
    "clock": "the time of now, which tests move",
    "epoch": "a number of a time",
    "org": "the tenant of the transaction",
    "let_workers_find": "a row-level policy, which tests/kit/test_isolation.py proves",
    "protect": "a row-level policy, which tests/kit/test_isolation.py proves",
    "make_audit_months": "partitions",
    "publish": "an announcement",
    "changed": "an announcement, of a library",
    "note_change": "an announcement",
    "tell_seats": "an announcement",
    "tell_shows": "an announcement",
    "tell_queue": "an announcement",
    "tell_offer": "an announcement",
    "who_has_key": "a key's account, before there is a tenant",
    "keep_an_owner": "accounts",
    "refuse_change": "what no update changes, which tests of each table prove",
    "free_number": "the end of an address",
    "heat": "the order of a list",
    "rank": "the order of a list",
    "list_event": "a row of the public list",
    "show_participants": "a row of the public list",
}

# Policies that decide nothing of the sale. A test compares: no other is left out.
OTHER_POLICIES: dict[str, str] = {
    "accounts/policy.py": "who may do what, which tests/probe asks of every route",
    "reports/policy.py": "shares of a report",
    "webhooks/policy.py": "webhooks of others",
}
