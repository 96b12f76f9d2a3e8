"""Reading answers, and the few things that many tests here begin with."""

import re
from typing import Any

import httpx

from fullhouse.accounts import actions, passwords, store
from fullhouse.accounts.model import CreateApiKey, NewApiKey
from fullhouse.kit.db import audit
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from tests.fixtures import Client, Tenant

PASSWORD = "correct horse battery"


def data(answer: httpx.Response, status: int = 200) -> Any:
    """What is in the envelope of a good answer."""
    assert answer.status_code == status, answer.text
    return answer.json()["data"]


def refused(answer: httpx.Response) -> tuple[int, str]:
    """Status and code of a problem, which must be one by every rule."""
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    problem = answer.json()
    assert problem["status"] == answer.status_code
    assert problem["type"] == f"/problems/{problem['code']}"
    assert problem["title"]
    assert problem["detail"]
    return answer.status_code, problem["code"]


async def give_password(services: Services, tenant: Tenant, role: str, password: str = PASSWORD) -> None:
    password_hash = await passwords.hash_password(password)
    async with services.database.tenant(tenant.id) as tx:
        await store.update_password(tx, user_id=tenant.people[role].id, password_hash=password_hash)
        await audit.write(tx, "user.password_reset", "user", tenant.people[role].id)


async def sign_in(client: Client, tenant: Tenant, role: str, password: str = PASSWORD) -> httpx.Response:
    wish = {"organization": tenant.organization.slug, "email": f"{role}@example.org", "password": password}
    return await client.post("/api/auth/login", json=wish)


async def make_key(services: Services, tenant: Tenant, *scopes: str) -> NewApiKey:
    async with services.database.tenant(tenant.id) as tx:
        return await actions.create_api_key(tx, tenant.principal("owner"), CreateApiKey("Box office", list(scopes)))


async def link_in_mail(owners: Client, page: str) -> str:
    """The token in the newest mail, as its reader would click it."""
    newest = data(await owners.get("/api/org/mailbox"))[0]
    found = re.search(rf"^http://testserver/{page}#(\S+)$", newest["body"], re.MULTILINE)
    assert found, newest["body"]
    return found[1]


async def make_platform_user(owner: Any, role: str, password: str = PASSWORD) -> str:
    """Only the database's owner can; returns the address."""
    email = f"{new_id().hex}@example.org"
    password_hash = await passwords.hash_password(password)
    await store.insert_platform_user(
        owner, id=new_id(), email=email, name=role.title(), role=role, password_hash=password_hash
    )
    return email


async def audited(owner: Any, tenant: Tenant, action: str) -> list[dict[str, Any]]:
    """The audit rows of one action, oldest first."""
    rows = await owner.fetch(
        "SELECT actor_type, actor_id, entity_id, before::text, after::text, reason, ip, user_agent, request_id"
        " FROM audit_log WHERE organization_id = $1 AND action = $2 ORDER BY created_at, id",
        tenant.id,
        action,
    )
    return [dict(row) for row in rows]
