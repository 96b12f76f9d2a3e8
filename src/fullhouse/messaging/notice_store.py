"""Runs `notice_queries.sql`, row to model."""

from fullhouse.kit import sql
from fullhouse.messaging import notice_queries
from fullhouse.messaging.mail_model import NoticeProgress, Person, SentNotice

gather_people = sql.count(notice_queries.gather_people)
gather_waiting = sql.count(notice_queries.gather_waiting)
insert_notice = sql.count(notice_queries.insert_notice)
notice_by_id = sql.one(notice_queries.notice_by_id, SentNotice)
lock_notice = sql.one(notice_queries.lock_notice, SentNotice)
take_people = sql.many(notice_queries.take_people, Person)
advance_notice = sql.count(notice_queries.advance_notice)
list_notices = sql.many(notice_queries.list_notices, NoticeProgress)
