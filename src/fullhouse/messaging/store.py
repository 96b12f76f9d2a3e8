"""Runs the statements of queries.sql."""

from fullhouse.kit import sql
from fullhouse.messaging.model import Backlog, MailBacklog, Miscounted, Parked

statements = sql.load(__file__)

show_exists = statements.value("show_exists", bool)
begin_count = statements.count("begin_count")
lock_count = statements.value("lock_count", int)
note_join = statements.value("note_join", int)
change_count = statements.count("change_count")
set_count = statements.value("set_count", int)
miscounted = statements.many("miscounted", Miscounted)
webhook_filters = statements.value("webhook_filters", list[str])
organization_exists = statements.value("organization_exists", bool)

backlog = statements.one("backlog", Backlog)
mail_backlog = statements.one("mail_backlog", MailBacklog)
parked = statements.many("parked", Parked)
retry_facts = statements.count("retry_facts")
retry_reactions = statements.count("retry_reactions")
give_up_facts = statements.count("give_up_facts")
give_up_reactions = statements.count("give_up_reactions")
resend = statements.count("resend")

FORGET_FACTS = statements.texts["forget_facts"]
FORGET_FACTS_WITHOUT_BROKER = statements.texts["forget_facts_without_broker"]
FORGET_PROCESSED = statements.texts["forget_processed"]
