"""Runs `notice_queries.sql`, row to model."""

from fullhouse.kit import sql
from fullhouse.messaging.mail_model import NoticeProgress, Person, SentNotice

statements = sql.load(__file__)

gather_people = statements.count("gather_people")
gather_waiting = statements.count("gather_waiting")
insert_notice = statements.count("insert_notice")
notice_by_id = statements.one("notice_by_id", SentNotice)
lock_notice = statements.one("lock_notice", SentNotice)
take_people = statements.many("take_people", Person)
advance_notice = statements.count("advance_notice")
list_notices = statements.many("list_notices", NoticeProgress)
