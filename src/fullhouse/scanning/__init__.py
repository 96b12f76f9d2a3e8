"""Who comes in at the gates: paired devices scan tickets, with a connection or without.

What devices saw is a set that only grows. Where a ticket stands, how full a zone is and which entries were double
follow from that set, in whatever order it arrives. What holds here: a ticket takes each of its steps once, however
many gates see it in the same moment; nobody is counted above a gate's or a zone's capacity; a test scan never counts.
"""
