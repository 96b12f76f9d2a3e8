"""The audit log over HTTP."""

from typing import Annotated
from uuid import UUID

from litestar.params import QueryParameter

from fullhouse.accounts.audit import reads
from fullhouse.accounts.audit.reads import Filters
from fullhouse.accounts.model import AuditEntry
from fullhouse.kit.db.cursors import LIMIT, Page
from fullhouse.kit.db.database import Tx
from fullhouse.kit.http.endpoints import get
from fullhouse.kit.http.parameters import After, Moment, PageSize, parse_moment
from fullhouse.kit.http.response import Response
from fullhouse.kit.media.csv import MEDIA_TYPE, ROWS_MAX
from fullhouse.kit.services import Services

Action = Annotated[str | None, QueryParameter(max_length=100, description="One action, or a prefix such as `event.*`.")]
EntityType = Annotated[
    str | None, QueryParameter(max_length=50, description="The type of the changed entity, such as `event`.")
]
Rows = Annotated[int, QueryParameter(ge=1, le=ROWS_MAX, description="The maximum number of rows.")]


@get("/api/audit", "audit.read")
async def list_audit(
    tx: Tx,
    services: Services,
    action: Action = None,
    entity_type: EntityType = None,
    actor_id: UUID | None = None,
    entity_id: UUID | None = None,
    since: Moment = None,
    until: Moment = None,
    limit: PageSize = LIMIT,
    cursor: After = None,
) -> Page[AuditEntry]:
    """Audit rows: who did what, newest first."""
    filters = Filters(
        action, entity_type, actor_id, entity_id, parse_moment("since", since), parse_moment("until", until)
    )
    return await reads.list_audit_page(tx, services.keyring, cursor, limit, filters)


@get("/api/audit.csv", "audit.read", media_type=MEDIA_TYPE)
async def export_audit(
    tx: Tx,
    services: Services,
    action: Action = None,
    entity_type: EntityType = None,
    actor_id: UUID | None = None,
    entity_id: UUID | None = None,
    since: Moment = None,
    until: Moment = None,
    limit: Rows = ROWS_MAX,
    cursor: After = None,
) -> Response:
    """Audit rows as CSV.

    If there are more rows, the header `X-Next-Cursor` contains the `cursor` of the next page.
    """
    filters = Filters(
        action, entity_type, actor_id, entity_id, parse_moment("since", since), parse_moment("until", until)
    )
    return reads.to_csv(await reads.list_audit_page(tx, services.keyring, cursor, limit, filters))


handlers = [list_audit, export_audit]
