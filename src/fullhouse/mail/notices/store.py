"""Runs `queries.sql`, row to model."""

from fullhouse.kit.db import sql
from fullhouse.mail.model import NoticeProgress, Person, SentNotice
from fullhouse.mail.notices import queries

gather_people = sql.count(queries.gather_people)
gather_waiting = sql.count(queries.gather_waiting)
insert_notice = sql.count(queries.insert_notice)
notice_by_id = sql.one(queries.notice_by_id, SentNotice)
lock_notice = sql.one(queries.lock_notice, SentNotice)
take_people = sql.many(queries.take_people, Person)
advance_notice = sql.count(queries.advance_notice)
list_notices = sql.many(queries.list_notices, NoticeProgress)
