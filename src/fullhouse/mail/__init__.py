"""Emails to people: what is written, to whom, and when. Sending them is a job (kit/mail/mailer.py).

An email is a row, written in the transaction of what it is about, and sent once that has committed. A person gets one
email for one cause, however often its handler runs.
"""
