"""Every deadline of the product, how long it is, and the tests that stand just before it and just behind it.

A deadline with a test on one side only is half a deadline: one that is twice as long, or that never comes, passes it.
"""

from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import pytest

from fullhouse.accounts import policy as accounts
from fullhouse.checkout import policy as checkout
from fullhouse.events import cache_keys
from fullhouse.payments import model as payments
from fullhouse.payments import policy as payment
from fullhouse.scanning import device_actions
from fullhouse.waiting_room import policy as queue
from fullhouse.waiting_room import queue_tokens
from fullhouse.waitlist.model import WaitlistSettings

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


class Deadline(NamedTuple):
    test: str  # file::test, below tests
    found: timedelta | float | None = None  # seconds; None: somebody sets it, or it stands in a statement
    told: timedelta | None = None


DEADLINES: dict[str, Deadline] = {
    # A sale's
    "a hold": Deadline("holds/test_expiry.py::test_an_expired_hold_never_blocks_a_seat"),
    "the sweep of holds": Deadline("holds/test_expiry.py::test_neither_the_sweeps_question_nor_its_verb_is_early"),
    "a hold by the policy": Deadline("holds/test_baskets.py::test_the_time_of_a_hold_is_the_policys"),
    "a show's sale": Deadline("holds/test_type_sales.py::test_an_event_is_sold_from_its_first_second_to_its_last"),
    "a type's sale": Deadline("holds/test_type_sales.py::test_a_type_is_held_from_its_first_second_to_its_last"),
    "a code's time": Deadline("holds/test_type_sales.py::test_a_code_shows_its_types_in_its_own_time_only"),
    "a checkout": Deadline(
        "checkout/test_purchase.py::test_declined_payments_lengthen_neither_hold_nor_checkout_nor_slot",
        checkout.SESSION_S,
        10 * MINUTE,
    ),
    "a consent": Deadline("checkout/test_late.py::test_nor_without_an_answer", checkout.CONSENT_S, DAY),
    "an offer of the waiting list": Deadline(
        "checkout/test_waitlist_offers.py::test_an_offer_that_lapses_goes_to_the_next", WaitlistSettings().window_s, DAY
    ),
    # A payment's
    "an open payment": Deadline(
        "payments/test_stripe.py::test_who_never_pays_is_called_off_at_stripe_first", payments.GIVE_UP_S, 15 * MINUTE
    ),
    "the first question": Deadline(
        "payments/test_outcomes.py::test_a_lost_answer_is_asked_for_until_it_is_known",
        payments.FIRST_POLL_S,
        timedelta(seconds=20),
    ),
    "a signed message": Deadline(
        "payments/test_stripe_webhook.py::test_what_is_older_than_five_minutes_is_refused",
        payment.SIGNATURE_MAX_AGE_S,
        5 * MINUTE,
    ),
    "a refund's next try": Deadline("payments/test_refunds.py::test_an_order_that_fails_hinders_no_other"),
    # The waiting room's
    "a slot's offer": Deadline("queue/test_kept_places.py::test_an_admitted_person_who_does_nothing_loses_the_slot"),
    "a place": Deadline(
        "queue/test_kept_places.py::test_a_place_is_lost_half_an_hour_after_the_last_sign_of_life",
        queue.PLACE_S,
        30 * MINUTE,
    ),
    "a sign of life": Deadline("queue/test_ghosts.py::test_two_missed_polls_cost_the_turn_and_not_the_place"),
    "a cooldown": Deadline(
        "queue/test_kept_places.py::test_whoever_leaves_the_line_waits_an_hour_before_joining_again",
        queue.COOLDOWN,
        HOUR,
    ),
    "choosing in a slot": Deadline(
        "queue/test_rooms.py::test_choosing_keeps_a_slot_for_half_an_hour_in_all", queue.CHOOSING_MAX, 30 * MINUTE
    ),
    "a token of the line": Deadline(
        "queue/test_routes.py::test_a_token_is_good_for_its_own_session_and_show_only", queue_tokens.LIFETIME_S, 7 * DAY
    ),
    # A gate's
    "a pairing code": Deadline(
        "scanning/test_devices.py::test_a_pairing_code_is_good_once_and_not_for_long",
        device_actions.CODE_TTL,
        10 * MINUTE,
    ),
    "a postponed show's doors": Deadline("scanning/test_days.py::test_a_postponed_show_scans_in_its_new_window"),
    "a day at the gate": Deadline("scanning/test_days.py::test_a_day_ends_when_the_show_says"),
    "a membership": Deadline("scanning/test_policy.py::test_the_table_of_cases_is_what_is_decided"),
    # A person's
    "a session": Deadline("accounts/test_sessions.py::test_a_session_ends_by_the_databases_clock"),
    "a platform's session": Deadline(
        "accounts/test_platform.py::test_a_session_lasts_half_a_day", accounts.PLATFORM_SESSION_TTL, 12 * HOUR
    ),
    "a mailed link": Deadline(
        "accounts/test_signing_in.py::test_a_mailed_link_ends_after_twenty_minutes",
        accounts.MAGIC_LINK_TTL,
        20 * MINUTE,
    ),
    "an invitation": Deadline(
        "accounts/test_signing_in.py::test_an_invitation_ends_after_seven_days_or_when_taken_back",
        accounts.INVITATION_TTL,
        7 * DAY,
    ),
    "an API key": Deadline("accounts/test_sessions.py::test_a_key_ends_by_the_databases_clock"),
    "an idempotency key": Deadline("kit/test_idempotency.py::test_keys_are_honoured_for_two_days_and_then_forgotten"),
    # A kept answer's
    "a cached show": Deadline(
        "events/test_caching.py::test_each_lives_as_long_as_the_table_says", cache_keys.EVENT_S, 5 * MINUTE
    ),
}


@pytest.mark.parametrize("name", DEADLINES)
def test_a_deadline_is_as_long_as_it_is_told_and_has_its_test(name: str) -> None:
    of = DEADLINES[name]
    found = of.found if isinstance(of.found, timedelta | None) else timedelta(seconds=of.found)
    assert found == of.told
    file, _, test = of.test.partition("::")
    assert f"def {test}(" in (Path(__file__).parent / file).read_text()
