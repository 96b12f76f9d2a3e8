"""The waitlist of a sold-out event: entries, and offers of returned seats and tickets, first come, first served.

An entry is `waiting`, then `offered` while seats or tickets are held for it, and ends as `taken`, `lapsed` or `left`. A
withdrawn offer makes it `waiting` again. What is free is offered to the first entry, in order of joining, that it fits.
"""
