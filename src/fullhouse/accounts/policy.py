"""Who may do what: one table, deny by default, and the pure decisions around it."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from fullhouse.accounts.model import Membership, PlatformRole, Role
from fullhouse.kit.errors import FieldError, Invalid

# A row is an action, referred to by routes; `x` allows it for a role, the scope allows it for an API key.
# Anything not listed is denied.
_RIGHTS = """
action                owner  admin  staff  scanner  customer  scope
me.read                 x      x      x       x        x      -
me.update               x      x      x       x        x      -
org.read                x      x      x       x        .      org:read
org.update              x      x      .       .        .      org:write
members.read            x      x      x       .        .      team:read
members.update          x      x      .       .        .      -
invitations.read        x      x      .       .        .      team:read
invitations.create      x      x      .       .        .      -
invitations.revoke      x      x      .       .        .      -
memberships.read        x      x      x       x        .      memberships:read
memberships.write       x      x      x       .        .      memberships:write
keys.read               x      x      .       .        .      -
keys.create             x      x      .       .        .      -
keys.revoke             x      x      .       .        .      -
venues.read             x      x      x       x        .      venues:read
venues.write            x      x      x       .        .      venues:write
venues.delete           x      x      .       .        .      venues:write
layouts.read            x      x      x       .        .      venues:read
layouts.write           x      x      x       .        .      venues:write
layouts.activate        x      x      .       .        .      venues:write
seating.read            x      x      x       x        .      events:read
seating.write           x      x      x       .        .      events:write
seating.migrate         x      x      .       .        .      events:manage
holds.read              x      x      x       x        x      -
holds.place             x      x      x       x        x      -
queue.join              x      x      x       x        x      -
queue.read              x      x      x       x        .      events:read
queue.manage            x      x      x       .        .      events:write
waitlist.join           x      x      x       x        x      -
waitlist.read           x      x      x       .        .      sales:read
waitlist.manage         x      x      x       .        .      events:write
checkout.use            x      x      x       x        x      -
orders.mine             x      x      x       x        x      sales:read
orders.read             x      x      x       .        .      sales:read
orders.send             x      x      x       .        .      sales:write
refunds.read            x      x      x       .        .      sales:read
refunds.create          x      x      .       .        .      sales:write
ledger.read             x      x      .       .        .      ledger:read
events.read             x      x      x       x        .      events:read
events.create           x      x      x       .        .      events:write
events.update           x      x      x       .        .      events:write
events.delete           x      x      .       .        .      events:manage
events.publish          x      x      .       .        .      events:manage
events.cancel           x      x      .       .        .      events:manage
tickets.read            x      x      x       x        x      -
tickets.transfer        x      x      x       x        x      -
tickets.keys            x      x      x       x        .      -
tickets.rotate          x      x      .       .        .      -
sales.read              x      x      x       .        .      sales:read
sales.write             x      x      .       .        .      sales:write
scanning.devices        x      x      x       .        .      -
scanning.scan           .      .      .       .        .      -
scanning.search         x      x      x       x        .      -
scanning.undo           x      x      x       .        .      -
scanning.watch          x      x      x       x        .      events:read
scanning.resolve        x      x      x       .        .      -
webhooks.read           x      x      .       .        .      webhooks:read
webhooks.write          x      x      .       .        .      webhooks:write
audit.read              x      x      .       .        .      audit:read
mailbox.read            x      .      .       .        .      -
mail_templates.read     x      x      x       .        .      -
"""

_PLATFORM_RIGHTS = """
action                  super_admin  tenant_manager
platform.me                  x             x
platform.orgs.read           x             x
platform.orgs.create         x             .
platform.orgs.update         x             .
platform.events.stop         x             x
platform.seating.policy      x             .
platform.seating.release     x             .
"""


def _parse_table(grid: str) -> dict[str, dict[str, str]]:
    head, *rows = (line.split() for line in grid.strip().splitlines())
    return {action: dict(zip(head[1:], cells, strict=True)) for action, *cells in rows}


_ACTION_TABLE, _PLATFORM_TABLE = _parse_table(_RIGHTS), _parse_table(_PLATFORM_RIGHTS)

ACTIONS = frozenset(_ACTION_TABLE) | frozenset(_PLATFORM_TABLE)
ROLE_ACTIONS = {r: frozenset(a for a, cells in _ACTION_TABLE.items() if cells[r] == "x") for r in Role}
PLATFORM_ACTIONS = {r: frozenset(a for a, cells in _PLATFORM_TABLE.items() if cells[r] == "x") for r in PlatformRole}
SCOPE_ACTIONS = {
    scope: frozenset(a for a, cells in _ACTION_TABLE.items() if cells["scope"] == scope)
    for scope in sorted({cells["scope"] for cells in _ACTION_TABLE.values()} - {"-"})
}

# The roles that a role may invite, promote, demote or remove: none above its own.
MANAGEABLE_ROLES: dict[str, frozenset[Role]] = {
    Role.OWNER: frozenset(Role),
    Role.ADMIN: frozenset(Role) - {Role.OWNER},
}

SESSION_TTL = {
    "password": timedelta(days=14),
    "magic_link": timedelta(days=30),
    "invitation": timedelta(days=14),
    "guest": timedelta(days=30),
}
PLATFORM_SESSION_TTL = timedelta(hours=12)
MAGIC_LINK_TTL = timedelta(minutes=20)
INVITATION_TTL = timedelta(days=7)

# The actions that a scanning device's rights allow. Only devices scan.
DEVICE_RIGHTS: dict[str, frozenset[str]] = {
    "scan": frozenset({"scanning.scan"}),
    "search": frozenset({"scanning.search"}),
    "override": frozenset({"scanning.undo"}),
}


def actions_of_device(rights: list[str]) -> frozenset[str]:
    return frozenset().union(*(DEVICE_RIGHTS[right] for right in rights))


def actions_of_key(scopes: list[str]) -> frozenset[str]:
    """The actions that the scopes allow, and `me.read`."""
    return frozenset({"me.read"}).union(*(SCOPE_ACTIONS.get(scope, frozenset()) for scope in scopes))


def available_scopes(role: str) -> frozenset[str]:
    """A key may never do more than the person who creates it."""
    own = ROLE_ACTIONS[Role(role)]
    return frozenset(scope for scope, actions in SCOPE_ACTIONS.items() if actions <= own)


def may_manage(actor_role: str, target_role: str) -> bool:
    return target_role in MANAGEABLE_ROLES.get(actor_role, frozenset())


def normalise_origins(values: Sequence[str]) -> list[str]:
    """Embedding sites in lower case, as browsers compare them, without duplicates."""
    found = [origin.lower() for origin in values]
    wrong = [
        FieldError(f"embed_origins[{n}]", "The port must be at most 65535.")
        for n, origin in enumerate(found)
        if (port := origin.partition("://")[2].partition(":")[2]) and int(port) > 65_535
    ]
    if wrong:
        raise Invalid(fields=wrong)
    return list(dict.fromkeys(found))


def is_member(membership: Membership, tier: str, now: datetime) -> bool:
    """Whether the membership grants `tier` at this moment."""
    return (
        membership.status == "active"
        and membership.tier == tier
        and membership.valid_from <= now
        and (membership.valid_until is None or now < membership.valid_until)
    )
