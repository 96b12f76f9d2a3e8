"""Each kind of fact and email that must exist: where one row is gone, `fullhouse prove` names it, and no other check
speaks.
"""

import re
from typing import Any

import pytest

from fullhouse import wiring
from fullhouse.broker.catalogue import FACTS
from fullhouse.kit.services import Services
from fullhouse.mail.model import EMAIL_BY_TEMPLATE, Notice
from fullhouse.prove.check import load_queries
from tests.prove.sample import Sample
from tests.prove.test_corruptions import broken

pytestmark = pytest.mark.req("PROVE-1", "MSG-1", "MSG-4")

# By the fact, whose: the newest one of the sample is deleted.
ANNOUNCED = {
    "order.paid": "order",
    "order.paid_twice": "order",
    "order.needs_consent": "order",
    "order.cancelled": "order",
    "order.refunded": "order",
    "payment.captured": "payment",
    "payment.failed": "payment",
    "refund.requested": "refund",
    "refund.done": "refund",
    "refund.failed": "refund",
    "ticket.issued": "ticket",
    "ticket.voided": "ticket",
    "ticket.transferred": "ticket",
    "event.published": "event",
    "event.started": "event",
    "event.ended": "event",
    "event.postponed": "event",
    "event.rescheduled": "event",
    "event.canceled": "event",
}
MAILED = {
    "order_confirmed": "order.paid",
    "order_refunded": "order.refunded",
    "order_called_off": "order.cancelled",
    "paid_twice": "order.paid_twice",
    "other_seats": "order.needs_consent",
    "ticket_received": "ticket.transferred",
    "ticket_sent": "ticket.transferred",
    "waiting_list_joined": "waitlist.joined",
    "waiting_list_offer": "waitlist.offered",
    "waiting_list_lapsed": "waitlist.lapsed",
    "seats_moved": "event.layout_migrated",
}
NOTICES = {
    "event_postponed": "event.postponed",
    "event_rescheduled": "event.rescheduled",
    "event_cancelled": "event.canceled",
}
# Of these changes a row keeps nothing that tells whom they concerned, and of those only that a notice was begun.
NO_NOTICE_ASKED = {"event.updated"}
WITHOUT_A_MAIL = {
    "notices.email_ticket_holders": "asked by its notice",
    "notices.email_waitlist": "its notice has an id of its own, and its emails are counted",
}


@pytest.mark.parametrize("fact", ANNOUNCED)
async def test_a_fact_that_is_gone_is_missed(fact: str, sample: Sample, owner: Any) -> None:
    row = await owner.fetchrow("SELECT id, subject_id FROM outbox WHERE name = $1 ORDER BY seq DESC LIMIT 1", fact)
    assert row, "the sample has none"
    found = await broken(owner, f"DELETE FROM outbox WHERE id = '{row['id']}'")
    said = f"{ANNOUNCED[fact]} {row['subject_id']} was never announced: there is no fact {fact} of it"
    assert found == {"announced": [said]}


async def test_one_of_two_facts_of_an_order_is_missed(sample: Sample, owner: Any) -> None:
    """An order that was refunded twice was announced twice."""
    twice = await owner.fetchval("SELECT order_id FROM order_refunds GROUP BY 1 HAVING count(*) = 2 LIMIT 1")
    facts = f"SELECT id FROM outbox WHERE subject_id = '{twice}' AND name = 'order.refunded'"
    assert len(await owner.fetch(facts)) == 2
    one = f"DELETE FROM outbox WHERE id = ({facts} LIMIT 1)"
    said = f"order {twice} was never announced: there is no fact order.refunded of it"
    assert await broken(owner, one) == {"announced": [said]}


async def test_facts_that_were_forgotten_are_not_missed(sample: Sample, owner: Any) -> None:
    """They are kept for a week."""
    gone = "DELETE FROM outbox WHERE name = 'order.paid'"
    assert "announced" in await broken(owner, gone, "announced")
    assert await broken(owner, f"UPDATE orders SET paid_at = paid_at - interval '6 days'; {gone}", "announced") == {}


@pytest.mark.parametrize("template", MAILED)
async def test_an_email_that_is_gone_is_missed(template: str, sample: Sample, owner: Any) -> None:
    row = await owner.fetchrow(
        "SELECT m.id, o.id AS fact, o.name, o.subject_id FROM mails m JOIN outbox o ON o.id = m.about"
        " WHERE m.template = $1 ORDER BY m.id DESC LIMIT 1",
        template,
    )
    assert row, "the sample has none"
    assert row["name"] == MAILED[template]
    found = await broken(owner, f"DELETE FROM mails WHERE id = '{row['id']}'")
    assert found == {"mailed": [f"fact {row['fact']} ({row['name']}) of {row['subject_id']} has no email {template}"]}


@pytest.mark.parametrize("template", NOTICES)
async def test_an_email_of_a_notice_that_is_gone_is_missed(template: str, sample: Sample, owner: Any) -> None:
    row = await owner.fetchrow(
        "SELECT m.id, n.id AS notice, n.event_id, n.total FROM mails m JOIN notices n ON n.id = m.about"
        " WHERE m.template = $1 ORDER BY m.id DESC LIMIT 1",
        template,
    )
    assert row, "the sample has none"
    found = await broken(owner, f"DELETE FROM mails WHERE id = '{row['id']}'")
    said = f"notice {row['notice']} of event {row['event_id']} has {row['total'] - 1} emails for {row['total']} people"
    assert found == {"mailed": [said]}


@pytest.mark.parametrize("template", NOTICES)
async def test_a_notice_that_is_gone_is_missed(template: str, sample: Sample, owner: Any) -> None:
    row = await owner.fetchrow(
        "SELECT n.id, o.name, o.subject_id FROM notices n JOIN outbox o ON o.id = n.id WHERE n.template = $1", template
    )
    assert row, "the sample has none"
    gone = "DELETE FROM mails WHERE about = '{id}'; DELETE FROM notices WHERE id = '{id}'".format(**row)
    assert row["name"] == NOTICES[template]
    said = f"fact {row['id']} ({row['name']}) of {row['subject_id']} has no notice to ticket holders"
    assert await broken(owner, gone) == {"mailed": [said]}


# What a fact does not have to be told in: the reaction that found it so wrote no email.
NOTHING_TO_TELL = {
    "order_refunded": "UPDATE outbox SET payload = payload || '{\"amount\": 0}' WHERE name = 'order.refunded'",
    "order_called_off": "UPDATE outbox SET payload = payload || '{\"refunded\": 0}' WHERE name = 'order.cancelled'",
    "other_seats": "UPDATE orders SET consent_by = consent_by - interval '1 day' WHERE status = 'needs_consent'",
    "waiting_list_offer": "UPDATE waitlist_entries SET answer_by = answer_by + interval '1 second'",
    "seats_moved": "UPDATE ticket_moves SET migration_id = gen_random_uuid()",
}


@pytest.mark.parametrize("template", NOTHING_TO_TELL)
async def test_of_what_there_was_nothing_to_tell_no_email_is_missed(template: str, sample: Sample, owner: Any) -> None:
    gone = f"DELETE FROM mails WHERE template = '{template}'"
    assert await broken(owner, gone, "mailed")
    assert await broken(owner, f"{gone}; {NOTHING_TO_TELL[template]}", "mailed") == {}


async def test_a_reaction_that_has_not_run_owes_no_email(sample: Sample, owner: Any) -> None:
    gone = "DELETE FROM mails; DELETE FROM notices"
    assert await broken(owner, gone, "mailed")
    assert await broken(owner, f"{gone}; DELETE FROM processed_messages", "mailed") == {}


async def test_a_notice_is_not_asked_for_where_nobody_had_a_ticket(sample: Sample, owner: Any) -> None:
    """Or all of them were void before."""
    gone = "DELETE FROM mails WHERE about IN (SELECT id FROM notices); DELETE FROM notices"
    assert await broken(owner, gone, "mailed")
    void = "UPDATE tickets SET status = 'refunded', voided_at = '-infinity', updated_at = '-infinity'"
    later = "UPDATE tickets SET issued_at = 'infinity'"
    for before in (void, later, "DELETE FROM tickets"):
        assert await broken(owner, f"{gone}; {before}", "mailed") == {}


def test_every_fact_that_the_check_names_is_deleted_once() -> None:
    text = load_queries("messages")["announced"].text
    named = {name for name in re.findall(r"'([a-z]+\.[a-z_]+)'", text) if name in FACTS}
    assert named == ANNOUNCED.keys() <= FACTS.keys()


async def test_every_email_that_the_check_names_is_deleted_once(process: Services) -> None:
    """By the handler's name: who writes a new email comes by here."""
    text = load_queries("messages")["mailed"].text
    rows = re.findall(r"\('([a-z_.]+)', '([\w.]+)', '(\w+)'\)", text)
    wired = {
        (fact.name, handler.name)
        for fact, handlers in wiring.async_handlers(process).items()
        for handler in handlers
        if ".email" in handler.name
    }
    asked = {(fact, consumer) for fact, consumer, _ in rows}
    assert asked == {(fact, consumer) for fact, consumer in wired if consumer not in WITHOUT_A_MAIL}
    assert {template: fact for fact, _, template in rows} == MAILED
    assert MAILED.keys() <= EMAIL_BY_TEMPLATE.keys()


async def test_every_fact_that_ticket_holders_hear_of_has_its_notice_deleted(process: Services) -> None:
    told = {
        fact.name
        for fact, handlers in wiring.async_handlers(process).items()
        if "notices.email_ticket_holders" in (handler.name for handler in handlers)
    }
    assert told - NO_NOTICE_ASKED == set(NOTICES.values())
    assert all(issubclass(EMAIL_BY_TEMPLATE[template], Notice) for template in NOTICES)
    named = re.findall(r"'(event\.\w+)'", load_queries("messages")["mailed"].text.partition("email_ticket_holders")[2])
    assert set(named) == set(NOTICES.values())
