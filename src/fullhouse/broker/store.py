"""Runs the statements of queries.sql."""

from fullhouse.broker import queries
from fullhouse.broker.model import Backlog, DeadLettered, MailBacklog, MiscountedEvent
from fullhouse.kit.db import sql

lock_event = sql.value(queries.lock_event, bool)
insert_count = sql.count(queries.insert_count)
lock_count = sql.value(queries.lock_count, int)
record_join = sql.value(queries.record_join, int)
change_count = sql.count(queries.change_count)
set_count = sql.value(queries.set_count, int)
list_miscounted = sql.many(queries.list_miscounted, MiscountedEvent)
organization_exists = sql.value(queries.organization_exists, bool)

count_backlog = sql.one(queries.count_backlog, Backlog)
count_mail_backlog = sql.one(queries.count_mail_backlog, MailBacklog)
list_dead_lettered = sql.many(queries.list_dead_lettered, DeadLettered)
retry_facts = sql.count(queries.retry_facts)
retry_handler_calls = sql.count(queries.retry_handler_calls)
give_up_facts = sql.count(queries.give_up_facts)
give_up_handler_calls = sql.count(queries.give_up_handler_calls)
resend = sql.count(queries.resend)

DELETE_OLD_FACTS = sql.text(queries.delete_old_facts)
DELETE_OLD_FACTS_WITHOUT_BROKER = sql.text(queries.delete_old_facts_without_broker)
DELETE_OLD_PROCESSED = sql.text(queries.delete_old_processed)
