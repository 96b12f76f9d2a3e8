"""Import and export formats of plans: each has a reader, some a writer."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

from fullhouse.seating.plans import decoding
from fullhouse.seating.plans.config import converter as config_converter
from fullhouse.seating.plans.plan import Plan, encode
from fullhouse.seating.plans.pretix import importer as pretix_importer

Format = Literal["fullhouse", "config", "pretix"]
ExportFormat = Literal["fullhouse", "config"]

READERS: Mapping[Format, Callable[[bytes], tuple[Plan, list[str]]]] = {
    "fullhouse": lambda document: (decoding.decode_plan(document), []),
    "config": config_converter.read_config,
    "pretix": pretix_importer.import_plan,
}
WRITERS: Mapping[ExportFormat, Callable[[Plan], bytes]] = {"fullhouse": encode, "config": config_converter.write_config}


def read_plan(document: bytes, format: Format | None) -> tuple[Plan, list[str]]:
    """The plan, and notes about the import. Without a format it is detected from the document's shape."""
    return READERS[format or detect_format(decoding.decode_json(document))](document)


def detect_format(plain: Any) -> Format:
    """Detects `config`; everything else is taken for `fullhouse`, which names its format. `pretix` is never detected:
    too many of its fields are optional."""
    if not isinstance(plain, dict) or "format" in plain:
        return "fullhouse"
    zones = plain.get("zones")
    zones = [zone for zone in zones if isinstance(zone, dict)] if isinstance(zones, list) else []
    return "config" if "config" in plain or any("zone_id" in z and "rows" not in z for z in zones) else "fullhouse"
