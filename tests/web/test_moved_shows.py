"""What holders read of a show that was moved, postponed or cancelled."""

from typing import Any

import pytest

from tests.accounts.helpers import data
from tests.checkout.helpers import begun, buy, selling
from tests.events.helpers import NEW_DATE, move
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest
from tests.web.helpers import Seen

OLD, NEW = "Thursday 1 June 2090, 21:00", "Friday 1 September 2090, 21:00"


@pytest.fixture
def house(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["owner"])


@pytest.fixture
async def event(house: Client) -> Any:
    return await selling(house)


class Holder:
    """Somebody with a ticket, and all that they see of it."""

    def __init__(self, client: Client, buyer: Client, order: Any) -> None:
        self._client, self._buyer, self._order = client, buyer, order
        self.ticket_path = f"/api/tickets/{order['tickets'][0]['id']}"

    async def page(self) -> Seen:
        return Seen(await self._client.get(f"/orders/{self._order['secret']}", headers={"accept-language": "en"}))

    async def ticket(self) -> Any:
        return data(await self._buyer.get(self.ticket_path))

    async def wallet(self) -> tuple[Any, dict[str, str]]:
        made = (await self._buyer.get(f"{self.ticket_path}.wallet.json")).json()
        return made, {one["key"]: one["value"] for fields in made["eventTicket"].values() for one in fields}

    async def group(self) -> str:
        for name in ("upcoming", "past", "refunded"):
            if data(await self._buyer.get("/api/me/tickets", params={"group": name})):
                return name
        return "none"


@pytest.fixture
async def holder(client: Client, tenant: Tenant, event: Any) -> Holder:
    buyer = await guest(client, tenant)
    return Holder(client, buyer, data(await buy(buyer, await begun(buyer, event, 0)), 201))


@pytest.mark.req("EV-8", "BUY-5")
async def test_a_ticket_shows_the_new_date_as_soon_as_it_is_announced(
    house: Client, event: Any, holder: Holder
) -> None:
    data(await move(house, {"id": str(event.event_id)}, "postpone", rescheduled_at=NEW_DATE))
    page = await holder.page()
    assert f"New date: {NEW}" in page.text
    assert f"It was originally planned for {OLD}." in page.text
    assert f"{NEW} (Europe/Brussels)" in page.text
    ticket = await holder.ticket()
    assert (ticket["start_at"], ticket["end_at"]) == (NEW_DATE, "2090-09-01T21:30:00Z")
    assert (ticket["first_start_at"], ticket["is_undated"]) == ("2090-06-01T19:00:00Z", False)
    made, shown = await holder.wallet()
    assert made["relevantDate"].startswith("2090-09-01")
    assert made["semantics"]["eventStartDate"].startswith("2090-09-01")
    assert shown["start"].startswith("2090-09-01")
    assert OLD in shown["news"]


@pytest.mark.req("EV-7", "BUY-5")
async def test_a_postponed_shows_ticket_promises_no_date(house: Client, event: Any, holder: Holder) -> None:
    data(await move(house, {"id": str(event.event_id)}, "postpone"))
    page = await holder.page()
    assert "This event is postponed" in page.text
    assert "Your tickets are valid for the new date." in page.text
    assert "See you there" not in page.text
    assert "Doors open" not in page.text
    assert "Add to calendar as tentative" in page.text
    assert (await holder.ticket())["is_undated"]
    made, shown = await holder.wallet()
    assert not {"relevantDate", "expirationDate"} & set(made)
    assert shown["start"] == "New date to be announced"


@pytest.mark.req("EV-6", "BUY-5")
async def test_a_cancelled_shows_order_says_so(house: Client, event: Any, holder: Holder) -> None:
    data(await house.patch(f"/api/events/{event.event_id}", json={"doors_at": "2090-06-01T18:00:00Z"}))
    before = await holder.page()
    assert "See you there" in before.text
    assert "Doors open at 20:00." in before.text  # and where to come to is said beside it
    data(await move(house, {"id": str(event.event_id)}, "cancel"))
    page = await holder.page()
    assert "This event is cancelled" in page.text
    assert not [text for text in ("See you there", "Doors open") if text in page.text]
    made, shown = await holder.wallet()
    assert (made["voided"], shown["news"]) == (True, "This event is cancelled.")


@pytest.mark.req("BUY-5")
@pytest.mark.parametrize("status", ["ended", "cancelled", "archived"])
async def test_a_show_that_is_over_is_no_date_to_keep(holder: Holder, event: Any, owner: Any, status: str) -> None:
    """Its calendar file is gone with its page: a button for it would lead nowhere."""
    assert (await holder.page()).all("a", href=f"/api/events/{event.event_id}/calendar.ics")
    await owner.execute(
        "UPDATE events SET status = $2, cancellation_reason = 'x' WHERE id = $1", event.event_id, status
    )
    assert not (await holder.page()).all("a", href=f"/api/events/{event.event_id}/calendar.ics")


@pytest.mark.req("EV-7", "BUY-5")
async def test_tickets_of_a_postponed_show_are_never_past(holder: Holder, event: Any, owner: Any) -> None:
    await owner.execute(
        "UPDATE events SET status = 'postponed', postponement_reason = 'x', sale_start_at = now() - interval '9 days',"
        " sale_end_at = now() - interval '3 days', doors_at = now() - interval '3 days',"
        " start_at = now() - interval '3 days', end_at = now() - interval '2 days' WHERE id = $1",
        event.event_id,
    )
    assert await holder.group() == "upcoming"
    await owner.execute("UPDATE events SET status = 'live' WHERE id = $1", event.event_id)
    assert await holder.group() == "past"
