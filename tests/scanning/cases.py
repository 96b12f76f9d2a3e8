"""The table of cases: scenes and what is decided about them. `python -m tests.scanning.cases` writes cases.json, which
the offline scanner answers too. Every entitlement, day, direction, status and reason is in it.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any

import msgspec

from fullhouse.scanning import policy
from fullhouse.scanning.model import Presence, Scene

FILE = Path(__file__).with_name("cases.json")
NOW = datetime(2026, 6, 20, 19, 5, tzinfo=UTC)
TODAY, YESTERDAY, TOMORROW = date(2026, 6, 20), date(2026, 6, 19), date(2026, 6, 21)
EARLIER = NOW - timedelta(minutes=3)


def stood(**more: Any) -> Presence:
    usual: dict[str, Any] = {"day": TODAY, "entries_today": 1, "entries": 1, "at": EARLIER, "gate": "A"}
    return Presence(**usual | more)


HISTORIES = {
    "new": Presence(),
    "inside": stood(inside=True),
    "left": stood(),
    "left twice": stood(entries_today=2, entries=2),
    "inside yesterday": stood(inside=True, day=YESTERDAY, at=NOW - timedelta(days=1)),
    "left yesterday": stood(day=YESTERDAY, entries_today=2, entries=2, at=NOW - timedelta(days=1)),
}
KINDS: tuple[dict[str, Any], ...] = (
    *({"entitlement": name} for name in policy.ENTITLEMENTS if name != "limited_reentry_per_day"),
    *({"entitlement": "limited_reentry_per_day", "max_daily_entries": n} for n in (1, 2)),
)
DAYS: dict[str, tuple[date, ...]] = {
    "every day": (),
    "today": (TODAY,),
    "others": (YESTERDAY, TOMORROW),
    "both": (YESTERDAY, TODAY),
}
STATUSES = ("valid", "used", "cancelled", "refunded")
OTHERS: dict[str, dict[str, Any]] = {
    "unknown": {"claim": "unknown"},
    "forged": {"claim": "forged"},
    "revoked": {"claim": "revoked"},
    "forged beats wrong event": {"claim": "forged", "same_event": False},
    "wrong event": {"same_event": False},
    "old code": {"replaced": True},
    "gate closed": {"gate_open": False},
    "last place at the gate": {"gate_inside": 9, "gate_capacity": 10},
    "gate full": {"gate_inside": 10, "gate_capacity": 10},
    "last place in the zone": {"zone_inside": 9, "zone_capacity": 10},
    "zone full": {"zone_inside": 10, "zone_capacity": 10},
    "zone and gate full": {"zone_inside": 10, "zone_capacity": 10, "gate_inside": 1, "gate_capacity": 1},
    "inside a full zone": {"zone_inside": 10, "zone_capacity": 10, "presence": HISTORIES["inside"]},
    "member": {"membership_status": "active", "member_from": EARLIER},
    "member until now": {"membership_status": "active", "member_until": NOW},
    "member a second longer": {"membership_status": "active", "member_until": NOW + timedelta(seconds=1)},
    "member later": {"membership_status": "active", "member_from": NOW + timedelta(seconds=1)},
    "membership revoked": {"membership_status": "revoked"},
    "membership suspended": {"membership_status": "suspended"},
}


def scenes() -> Iterator[tuple[str, Scene]]:
    def scene(**more: Any) -> Scene:
        usual: dict[str, Any] = {"now": NOW, "day": TODAY, "gate": "B"}
        return Scene(**usual | more)

    for kind, (days, valid), status, direction, (past, presence) in product(
        KINDS, DAYS.items(), STATUSES, ("in", "out"), HISTORIES.items()
    ):
        name = f"{kind['entitlement']} {kind.get('max_daily_entries', '')} {days}, {status}, {direction}, {past}"
        yield name, scene(valid_days=valid, ticket_status=status, direction=direction, presence=presence, **kind)
    for phase, window, test, direction in product(policy.PHASES, (False, True), (False, True), ("in", "out")):
        past = HISTORIES["inside" if direction == "out" else "new"]
        name = f"{phase}, {'in' if window else 'outside'} the new window, {'test' if test else 'real'}, {direction}"
        yield name, scene(event_status=phase, in_new_window=window, test=test, direction=direction, presence=past)
    for (name, more), override, direction in product(OTHERS.items(), (False, True), ("in", "out")):
        yield f"{name}, {direction}{', overridden' * override}", scene(override=override, direction=direction, **more)
    for past, presence in HISTORIES.items():
        yield f"overridden, {past}", scene(override=True, presence=presence, valid_days=(TOMORROW,))


def rendered() -> bytes:
    """One case a line: the scene without what is usual, the verdict, and where the ticket stands if that changed."""
    usual = msgspec.to_builtins(Scene(now=NOW, day=TODAY, gate="B"))
    lines = []
    for name, scene in scenes():
        given = {k: v for k, v in msgspec.to_builtins(scene).items() if v != usual[k]}
        verdict = policy.decide(scene)
        case: dict[str, Any] = {"name": name, "scene": given, "admit": verdict.admit, "reason": verdict.reason}
        if verdict.presence != scene.presence:
            case["presence"] = verdict.presence
        lines.append(msgspec.json.encode(case))
    return b'{"usual":' + msgspec.json.encode(usual) + b',\n"cases":[\n' + b",\n".join(lines) + b"\n]}\n"


if __name__ == "__main__":
    FILE.write_bytes(rendered())
