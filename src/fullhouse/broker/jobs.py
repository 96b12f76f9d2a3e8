"""Periodic work on messages: sets the backlog gauges, deletes old rows, and corrects counts of participants."""

from prometheus_client import Gauge

from fullhouse.broker import actions, store
from fullhouse.broker.model import Backlog, MailBacklog
from fullhouse.kit.db.database import Database, delete_in_batches
from fullhouse.kit.messages.async_handlers import MESSENGER

WAITING = Gauge(
    "fullhouse_outbox_waiting", "Facts and retries that wait, by for what", ["what"], multiprocess_mode="mostrecent"
)
AGE = Gauge(
    "fullhouse_outbox_age_seconds",
    "How long the oldest fact has waited, by for what",
    ["what"],
    multiprocess_mode="mostrecent",
)

MAILS = Gauge(
    "fullhouse_emails_waiting", "Emails that were not sent, by status", ["status"], multiprocess_mode="mostrecent"
)
MAILS_AGE = Gauge(
    "fullhouse_emails_age_seconds",
    "How long the oldest email that is still to be sent has waited",
    multiprocess_mode="mostrecent",
)


async def update_gauges(finder: Database, *, broker: bool) -> None:
    """Sets the gauges. If no broker is configured, no fact waits for one."""
    backlog = await read_backlog(finder)
    WAITING.labels("broker").set(backlog.unsent if broker else 0)
    WAITING.labels("reactions").set(backlog.unhandled)
    WAITING.labels("retry").set(backlog.owed)
    WAITING.labels("operator").set(backlog.parked_facts + backlog.parked_reactions + backlog.failed_jobs)
    AGE.labels("broker").set(backlog.unsent_s if broker else 0)
    AGE.labels("reactions").set(backlog.unhandled_s)
    mails = await read_mail_backlog(finder)
    for status in ("waiting", "delayed", "given_up"):
        MAILS.labels(status).set(getattr(mails, status))
    MAILS_AGE.set(mails.oldest_s)


async def read_backlog(finder: Database) -> Backlog:
    async with finder.without_tenant() as tx:
        backlog = await store.count_backlog(tx)
    assert backlog
    return backlog


async def read_mail_backlog(finder: Database) -> MailBacklog:
    async with finder.without_tenant() as tx:
        mails = await store.count_mail_backlog(tx)
    assert mails
    return mails


async def delete_old_messages(finder: Database, *, broker: bool) -> int:
    facts = await delete_in_batches(finder, store.DELETE_OLD_FACTS if broker else store.DELETE_OLD_FACTS_WITHOUT_BROKER)
    return facts + await delete_in_batches(finder, store.DELETE_OLD_PROCESSED)


async def correct_counts(finder: Database, database: Database) -> int:
    """Finds across organisations, corrects inside each; returns how many events were wrong."""
    async with finder.without_tenant() as tx:
        suspects = await store.list_miscounted(tx)
    corrected = 0
    for event in suspects:
        async with database.tenant(event.organization_id, MESSENGER) as tx:
            corrected += await actions.recount_participants(tx, event.event_id) is not None
    return corrected
