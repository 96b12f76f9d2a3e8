"""Who may choose and buy now: the waiting room before a sale.

A room is `closed` (everybody may choose seats; a checkout takes a slot), `pre` (a pre-queue: people join, and a draw
will order them), `open` (people are admitted as slots become free), `paused`, or `draining` (nobody can join). An entry
is `waiting`, then `admitted`, and ends as `done`, `left` or `expired`; it never goes back. Invariants: never more
admitted than there are slots; one live entry for each person; numbers without gaps or duplicates; an acknowledged entry
is in the database.
"""
