"""The audit log: one row for each change, in the change's own transaction. A trigger refuses updates and deletes."""

from typing import Any
from uuid import UUID

from fullhouse.kit.db.database import Tx
from fullhouse.kit.ids import new_id

_INSERT = """
INSERT INTO audit_log (id, organization_id, actor_type, actor_id, actor_name, action, entity_type, entity_id,
                       before, after, reason, approval_reference, ip, user_agent, request_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
"""


async def write(
    tx: Tx,
    action: str,
    entity_type: str,
    entity_id: UUID | None,
    *,
    before: Any = None,
    after: Any = None,
    reason: str | None = None,
    approval_reference: str | None = None,
) -> None:
    """Records who did what to which thing. `before` and `after` hold the changed values only, never a secret."""
    actor = tx.actor
    await tx.execute(
        _INSERT,
        new_id(),
        tx.organization_id,
        actor.type,
        actor.id,
        actor.name,
        action,
        entity_type,
        entity_id,
        before,
        after,
        reason,
        approval_reference,
        actor.ip,
        actor.user_agent,
        actor.request_id,
    )
