"""Every log line of a request about a show names the show, its organisation and the request."""

import pytest
from structlog.testing import capture_logs

from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.kit.telemetry.telemetry import merge_request_fields
from tests.events.helpers import make_show
from tests.fixtures import Client, Tenant


@pytest.mark.parametrize("known", [True, False])
async def test_the_access_log_names_the_show(client: Client, services: Services, tenant: Tenant, known: bool) -> None:
    event_id = (await make_show(services, tenant)).id if known else new_id()
    with capture_logs(processors=[merge_request_fields]) as lines:
        answer = await client.as_(tenant.tokens["owner"]).get(f"/api/events/{event_id}")
    [line] = [line for line in lines if line["event"] == "http.request"]
    assert line["event_id"] == str(event_id)
    assert line["organization_id"] == str(tenant.id)
    assert line["request_id"] == answer.headers["x-request-id"]
