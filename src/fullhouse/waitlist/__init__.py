"""The waitlist of a sold-out event: who waits for what, and places that come back, offered first come, first served.

An entry is `waiting`, then `offered` while places are held for it, and ends as `taken`, `lapsed`, `left` or
`withdrawn`. What is free is offered in the order of the entries to the first whom it fits.
"""
