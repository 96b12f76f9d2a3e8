"""Who runs a house, where its pages are, and a city that nobody else's shows are in."""

import pytest

from tests.fixtures import Client, Tenant


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


@pytest.fixture
def home(tenant: Tenant) -> str:
    return f"/o/{tenant.organization.slug}"


@pytest.fixture
def city(tenant: Tenant) -> str:
    """One that no other test's shows are in."""
    return f"Stad {tenant.id.hex[-12:]}"
