"""Runs the statements of queries.sql."""

from fullhouse.broker import queries
from fullhouse.broker.model import Backlog, MailBacklog, Miscounted, Parked
from fullhouse.kit.db import sql

show_exists = sql.value(queries.show_exists, bool)
begin_count = sql.count(queries.begin_count)
lock_count = sql.value(queries.lock_count, int)
note_join = sql.value(queries.note_join, int)
change_count = sql.count(queries.change_count)
set_count = sql.value(queries.set_count, int)
miscounted = sql.many(queries.miscounted, Miscounted)
organization_exists = sql.value(queries.organization_exists, bool)

backlog = sql.one(queries.backlog, Backlog)
mail_backlog = sql.one(queries.mail_backlog, MailBacklog)
parked = sql.many(queries.parked, Parked)
retry_facts = sql.count(queries.retry_facts)
retry_reactions = sql.count(queries.retry_reactions)
give_up_facts = sql.count(queries.give_up_facts)
give_up_reactions = sql.count(queries.give_up_reactions)
resend = sql.count(queries.resend)

FORGET_FACTS = sql.text(queries.forget_facts)
FORGET_FACTS_WITHOUT_BROKER = sql.text(queries.forget_facts_without_broker)
FORGET_PROCESSED = sql.text(queries.forget_processed)
