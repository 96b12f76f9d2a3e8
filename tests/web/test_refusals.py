"""Whatever the house refuses has words in Afrikaans wherever a page may show it. In English it speaks for itself."""

import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import fullhouse
from fullhouse.kit import errors
from fullhouse.web.words import AF, EN

SOURCES = Path(__file__).parents[2] / "frontend/src"
# What no visitor can meet, because their pages never ask for it. A new refusal is put here, or has words.
OF_STAFF = frozenset(
    [
        "already_exists",
        "invalid_scope",
        "last_owner",
        "role_above_yours",
        "idempotency_key_required",
        "order_not_paid",
        "nothing_to_refund",
        "pictures_full",
        "image_not_found",
        "times_are_fixed",
        "venue_is_fixed",
        "tenant_approval_missing",
        "not_granted_to_staff",
        "transition_not_allowed",
        "no_new_date",
        "event_is_over",
        "replacement_cycle",
        "date_not_editable",
        "event_exists",
        "venue_change_needs_reason",
        "venue_too_small",
        "layout_left_behind",
        "event_not_deletable",
        "slug_taken",
        "gate_code_taken",
        "replaced_by_itself",
        "start_in_the_past",
        "invalid_times",
        "capacity_above_venue",
        "venue_not_found",
        "reason_needed",
        "event_in_sale",
        "venue_change_needs_consent",
        "address_refused",
        "image_too_large",
        "image_type_not_allowed",
        "image_too_many_pixels",
        "image_broken",
        "unknown_timezone",
        "stale_version",
        "template_not_found",
        "too_many_webhooks",
        "webhook_disabled",
        "unknown_fact",
        "refund_too_high",
        "refund_not_failed",
        "signature_invalid",
        "queue_state",
        "pre_queue_too_late",
        "former_pairing_unknown",
        "gate_not_paired",
        "override_not_allowed",
        "device_not_found",
        "scan_not_found",
        "incident_not_found",
        "counter_reused",
        "nothing_to_undo",
        "pairing_failed",
        "layout_not_found",
        "event_has_no_layout",
        "seat_group_not_found",
        "layout_fixed",
        "layout_not_active",
        "layout_in_use",
        "capacity_in_use",
        "seat_sold",
        "migration_open",
        "migration_stale",
        "layout_of_another_venue",
        "overlay_invalid",
        "seating_policy_invalid",
        "seating_plan_invalid",
        "name_taken",
        "ticket_type_in_use",
        "quantity_below_sold",
        "code_taken",
        "promo_code_in_use",
        "quantity_above_capacity",
        "one_currency",
        "price_too_high",
        "days_in_use",
        "day_full",
        "days_left_out",
    ]
)
# Mistakes of a program, not of a person: a page that is right never meets them. It says that something went wrong.
OF_PROGRAMS = frozenset(
    [
        "invalid_cursor",
        "invalid_request",
        "malformed_request",
        "csrf",
        "method_not_allowed",
        "body_too_large",
        "unsupported_media_type",
        "unknown_field",
        "too_many_streams",
        "idempotency_key_reused",
    ]
)
# Said on the sign-in page, in the words of its own script.
SIGNING_IN = frozenset({"invalid_credentials", "link_invalid", "organization_not_found"})


def every_code() -> set[str]:
    for module in pkgutil.walk_packages(fullhouse.__path__, "fullhouse."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    return {kind.code for kind in errors.all_refusals() if kind.__module__.startswith("fullhouse.")}


def words_of(path: str) -> set[str]:
    """The codes of a table in the front end."""
    _, _, text = (SOURCES / path).read_text().partition("problems: Refusals = {")
    codes = set(re.findall(r"^  (\w+): ", text.partition("\n};")[0], re.MULTILINE))
    assert codes, path
    return codes


def words_of_buyers(language: str) -> set[str]:
    """In the shop, and later: at the checkout, and with the tickets."""
    at_once, later = (words_of(f"lib/words/{path}problems.{language}.ts") for path in ("", "later/"))
    assert not at_once & later
    return at_once | later


def test_buyers_have_words_for_all_that_they_can_meet() -> None:
    known, spoken = every_code(), words_of_buyers("af")
    assert known - spoken == (OF_STAFF | OF_PROGRAMS | SIGNING_IN) - spoken
    assert spoken - known == {"unknown"}
    assert words_of_buyers("en") <= spoken


def test_staff_have_words_for_every_refusal_there_is() -> None:
    assert every_code() <= words_of("console/words/af/problems.ts") | words_of_buyers("af")


@pytest.mark.parametrize("language", ["en", "af"])
def test_the_gate_knows_its_refusals(language: str) -> None:
    text = (SOURCES / f"scan/words/{language}.ts").read_text()
    _, _, table = text.partition("  problems: {")
    codes = set(re.findall(r"^    (\w+): ", table.partition("\n  }")[0], re.MULTILINE))
    assert {"pairing_failed", "gate_not_paired", "override_not_allowed", "rate_limited", "unavailable"} <= codes
    assert codes <= every_code() | {"unknown"}


def test_pages_without_the_box_office_say_only_codes_that_there_are() -> None:
    for prefix in ("refusal_", "q_no_"):
        assert EN.with_prefix(prefix).keys() == AF.with_prefix(prefix).keys()
        assert EN.with_prefix(prefix).keys() <= every_code() | {"other"}
