"""Runs `queries.sql`, row to model."""

from fullhouse.kit.db import sql
from fullhouse.mail.model import NoticeProgress, Recipient, StoredNotice
from fullhouse.mail.notices import queries

insert_recipients = sql.count(queries.insert_recipients)
insert_waitlist_recipients = sql.count(queries.insert_waitlist_recipients)
insert_notice = sql.count(queries.insert_notice)
find_notice = sql.one(queries.find_notice, StoredNotice)
lock_notice = sql.one(queries.lock_notice, StoredNotice)
claim_recipients = sql.many(queries.claim_recipients, Recipient)
advance_notice = sql.count(queries.advance_notice)
list_notices = sql.many(queries.list_notices, NoticeProgress)
