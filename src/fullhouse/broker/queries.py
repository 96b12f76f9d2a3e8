"""What queries.sql takes: written by `make schema`."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from fullhouse.kit.db.sql import Runs, Tenant


def lock_event(tx: Tenant, /, event_id: UUID) -> None: ...


def insert_count(tx: Tenant, /, event_id: UUID) -> None: ...


def lock_count(tx: Tenant, /, event_id: UUID) -> None: ...


def record_join(tx: Tenant, /, *, event_id: UUID, join_id: UUID, active: bool, said_at: datetime) -> None: ...


def change_count(tx: Tenant, /, *, change: int, event_id: UUID) -> None: ...


def set_count(tx: Tenant, /, event_id: UUID) -> None: ...


def list_miscounted(tx: Runs, /) -> None: ...


def organization_exists(tx: Runs, /, organization_id: UUID) -> None: ...


def count_backlog(tx: Runs, /) -> None: ...


def count_mail_backlog(tx: Runs, /) -> None: ...


def list_dead_lettered(tx: Runs, /) -> None: ...


def retry_facts(tx: Runs, /, fact_ids: Sequence[UUID] | None) -> None: ...


def retry_handler_calls(tx: Runs, /, message_ids: Sequence[UUID] | None) -> None: ...


def give_up_facts(tx: Runs, /, fact_ids: Sequence[UUID]) -> None: ...


def give_up_handler_calls(tx: Runs, /, message_ids: Sequence[UUID]) -> None: ...


def resend(tx: Runs, /, *, since: datetime, until: datetime, pattern: str | None) -> None: ...


def delete_old_facts(tx: Runs, /) -> None: ...


def delete_old_facts_without_broker(tx: Runs, /) -> None: ...


def delete_old_processed(tx: Runs, /) -> None: ...
