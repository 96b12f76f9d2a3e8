"""Who has which seat, until when: the hot path.

A hold is `active` until its time is over (`expired`), it is given back (`cancelled`) or sold (`converted`); it is
`suspended` while its show is postponed without a date. The truth is in two places that lock: a seat's row in the show,
and a pool's counter. What holds here: at most one live hold or sale of a seat; held + sold never above a pool's
capacity; a basket is held as a whole or not at all; nobody learns who holds a seat.
"""
