"""Who holds which seat, until when: the hot path.

A hold is `active` until it expires (`expired`), is released (`cancelled`) or is sold (`converted`); it is `suspended`
while its event is postponed without a new date. Two kinds of rows are authoritative, and locked for every change: those
of event_seats, and the counters in pools. Invariants: a seat has at most one live hold or sale; held + sold never
exceeds a pool's capacity; a basket is held as a whole or not at all; no response says who holds a seat.
"""
