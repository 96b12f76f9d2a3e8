"""Import and export formats of plans: each has a reader, some a writer."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

from fullhouse.seating.plans import reading
from fullhouse.seating.plans.config import plan as config_plan
from fullhouse.seating.plans.plan import Plan, encode
from fullhouse.seating.plans.pretix import plan as pretix_plan

Format = Literal["fullhouse", "config", "pretix"]
Written = Literal["fullhouse", "config"]

READERS: Mapping[Format, Callable[[bytes], tuple[Plan, list[str]]]] = {
    "fullhouse": lambda document: (reading.read(document), []),
    "config": config_plan.read,
    "pretix": pretix_plan.read,
}
WRITERS: Mapping[Written, Callable[[Plan], bytes]] = {"fullhouse": encode, "config": config_plan.write}


def read(document: bytes, format: Format | None) -> tuple[Plan, list[str]]:
    """The plan, and notes about the import. Without a format it is detected from the document's shape."""
    return READERS[format or shape_of(reading.plain(document))](document)


def shape_of(plain: Any) -> Format:
    """Detects `config`; everything else is taken for `fullhouse`, which names its format. `pretix` is never detected:
    too many of its fields are optional."""
    if not isinstance(plain, dict) or "format" in plain:
        return "fullhouse"
    zones = plain.get("zones")
    zones = [zone for zone in zones if isinstance(zone, dict)] if isinstance(zones, list) else []
    return "config" if "config" in plain or any("zone_id" in z and "rows" not in z for z in zones) else "fullhouse"
