"""Who may choose and buy now: the waiting room before a sale.

A room is `closed` (everybody may choose seats; whoever checks out takes a slot), `pre` (people gather, a draw will
order them), `open` (let in as slots become free), `paused`, or `draining` (nobody new). A place is `waiting`, then
`admitted`, and ends as `done`, `left` or `expired`; it never goes back. What holds here: never more admitted than there
are slots; one live place a person; numbers without gaps or doubles; an acknowledged place is in the database.
"""
