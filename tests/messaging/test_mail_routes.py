"""The mailbox, previews, and how an organisation signs its mail: over HTTP."""

from typing import Any

import pytest

from fullhouse.accounts.model import SignInLink
from fullhouse.kit.ids import new_id
from fullhouse.kit.mail import mailbox
from fullhouse.kit.services import Services
from fullhouse.mail.samples import SAMPLES
from tests.accounts.helpers import data, refused
from tests.fixtures import Client, Tenant

BOX, TEMPLATES = "/api/org/mailbox", "/api/org/mail-templates"


@pytest.fixture
def owners(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["owner"])


async def _post(services: Services, tenant: Tenant) -> str:
    async with services.database.tenant(tenant.id) as tx:
        return str(await mailbox.enqueue_email(tx, "ada@example.org", SignInLink(path="/sign-in#secret", minutes=20)))


async def test_a_mail_is_listed_and_read_in_full(owners: Client, services: Services, tenant: Tenant) -> None:
    mail_id = await _post(services, tenant)
    [listed] = data(await owners.get(BOX))
    assert (listed["id"], listed["template"], listed["status"]) == (mail_id, "sign_in_link", "waiting")
    assert "html" not in listed
    found = data(await owners.get(f"{BOX}/{mail_id}"))
    assert found["subject"] == "Sign in to Test House"
    assert "http://testserver/sign-in#secret" in found["body"]
    assert 'href="http://testserver/sign-in#secret"' in found["html"]
    assert (found["sender_name"], found["reply_to"], found["enclosures"]) == ("Test House", None, [])
    assert refused(await owners.get(f"{BOX}/{new_id()}")) == (404, "not_found")


async def test_html_is_shown_where_it_can_do_nothing(
    owners: Client, services: Services, tenant: Tenant, owner: Any
) -> None:
    mail_id = await _post(services, tenant)
    answer = await owners.get(f"{BOX}/{mail_id}/html")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    policy = answer.headers["content-security-policy"]
    assert policy == "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'self'"
    assert "x-frame-options" not in answer.headers
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.text.startswith("<!doctype html>")
    await owner.execute(
        "UPDATE mails SET sent_at = now(), body = NULL, html = NULL WHERE organization_id = $1", tenant.id
    )
    assert refused(await owners.get(f"{BOX}/{mail_id}/html")) == (404, "not_found")
    assert data(await owners.get(f"{BOX}/{mail_id}"))["status"] == "sent"


async def test_every_letter_can_be_looked_at_in_ones_own_look(owners: Client, client: Client, tenant: Tenant) -> None:
    data(await owners.patch("/api/org", json={"name": "Café <Ö>", "accent_color": "#FFCC00"}))
    staff = client.as_(tenant.tokens["staff"])
    listed = data(await staff.get(TEMPLATES))
    assert [it["name"] for it in listed] == list(dict.fromkeys(it["name"] for it in listed))
    assert {it["name"] for it in listed} == set(SAMPLES)
    for name in SAMPLES:
        html = await staff.get(f"{TEMPLATES}/{name}/preview")
        assert html.headers["content-type"] == "text/html; charset=utf-8"
        assert "sandbox" in html.headers["content-security-policy"]
        assert "Café &lt;Ö&gt;" in html.text
        assert "#FFCC00" in html.text
        text = await staff.get(f"{TEMPLATES}/{name}/preview", params={"format": "text"})
        assert text.headers["content-type"] == "text/html; charset=utf-8"
        assert "<pre>" in text.text
        assert "Café &lt;Ö&gt;" in text.text
    assert refused(await staff.get(f"{TEMPLATES}/unknown/preview")) == (404, "template_not_found")
    assert refused(await staff.get(f"{TEMPLATES}/../preview")) == (404, "not_found")
    wrong = await staff.get(f"{TEMPLATES}/invitation/preview", params={"format": "pdf"})
    assert wrong.status_code == 422


async def test_an_organisation_says_who_signs_and_where_answers_go(
    owners: Client, services: Services, tenant: Tenant
) -> None:
    before = data(await owners.get("/api/org"))
    assert (before["mail_sender_name"], before["mail_reply_to"]) == (None, None)
    data(await owners.patch("/api/org", json={"contact_email": "box@house.example"}))
    mail_id = await _post(services, tenant)
    found = data(await owners.get(f"{BOX}/{mail_id}"))
    assert (found["sender_name"], found["reply_to"]) == ("Test House", "box@house.example")

    wish = {"mail_sender_name": "Box office\r\nBcc: x@example.org", "mail_reply_to": "answers@house.example"}
    after = data(await owners.patch("/api/org", json=wish))
    assert after["mail_reply_to"] == "answers@house.example"
    mail_id = await _post(services, tenant)
    found = data(await owners.get(f"{BOX}/{mail_id}"))
    assert (found["sender_name"], found["reply_to"]) == ("Box office Bcc: x@example.org", "answers@house.example")

    assert data(await owners.patch("/api/org", json={"mail_sender_name": None, "mail_reply_to": None})) == before | {
        "contact_email": "box@house.example"
    }
    bad = [{"mail_sender_name": ""}, {"mail_sender_name": "x" * 121}, {"mail_reply_to": "no address"}]
    bad += [{"mail_reply_to": "a@b\r\nBcc: c@d"}, {"mail_reply_to": "A <a@b.example>"}, {"accent_color": "red"}]
    for wish in bad:
        assert (await owners.patch("/api/org", json=wish)).status_code == 422, wish


async def test_a_new_password_is_told_to_its_owner(owners: Client, client: Client, tenant: Tenant) -> None:
    staff = client.as_(tenant.tokens["staff"])
    assert (await staff.put("/api/me/password", json={"new_password": "correct horse battery"})).status_code == 204
    [told] = data(await owners.get(BOX))
    assert (told["recipient"], told["template"]) == ("staff@example.org", "password_changed")
    assert "correct horse" not in told["body"]
