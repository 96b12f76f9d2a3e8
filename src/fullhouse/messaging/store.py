"""Runs the statements of queries.sql."""

from fullhouse.kit import sql
from fullhouse.messaging.model import Backlog, Miscounted, Parked

_statements = sql.load(__file__)

show_exists = _statements.value("show_exists", bool)
begin_count = _statements.count("begin_count")
lock_count = _statements.value("lock_count", int)
note_join = _statements.value("note_join", int)
change_count = _statements.count("change_count")
set_count = _statements.value("set_count", int)
miscounted = _statements.many("miscounted", Miscounted)
webhook_filters = _statements.value("webhook_filters", list[str])
organization_exists = _statements.value("organization_exists", bool)

backlog = _statements.one("backlog", Backlog)
parked = _statements.many("parked", Parked)
retry_facts = _statements.count("retry_facts")
retry_reactions = _statements.count("retry_reactions")
give_up_facts = _statements.count("give_up_facts")
give_up_reactions = _statements.count("give_up_reactions")
resend = _statements.count("resend")

FORGET_FACTS = _statements.texts["forget_facts"]
FORGET_FACTS_WITHOUT_BROKER = _statements.texts["forget_facts_without_broker"]
FORGET_PROCESSED = _statements.texts["forget_processed"]
