"""A show is cancelled in the middle of a rush, at two servers: nobody holds anything, nobody is told so afterwards."""

import asyncio
from pathlib import Path

import httpx
import pytest
from bench._log import ClientLog

from tests.faults.crowd import HOLDING, Crowd
from tests.faults.theatre import Theatre

pytestmark = [pytest.mark.fault, pytest.mark.req("EV-6", "HOLD-2")]


def test_nobody_is_acknowledged_after_the_cancellation(house: Theatre, tmp_path: Path) -> None:
    async def run() -> None:
        with ClientLog(tmp_path / "log") as log:
            async with (
                house.serving() as one,
                house.serving() as two,
                Crowd(house, log, one.port, two.port, kinds=HOLDING).buying() as crowd,
                httpx.AsyncClient(headers={"authorization": f"Bearer {house.staff}"}, timeout=30) as staff,
            ):
                await crowd.more("ok", 60)
                path = f"/api/events/{house.sale.event_id}/cancel"
                answer = await staff.post(f"http://127.0.0.1:{one.port}{path}", json={"reason": "Rain"})
                assert answer.is_success, answer.text
                crowd.over = True  # whoever asks from now on
                await crowd.more("fail", 60)
        assert crowd.late == []
        assert crowd.codes["event_not_available"] > 0
        assert await house.wrong(tmp_path / "log") == {}
        async with house.owner() as owner:
            left = await owner.fetchval("SELECT count(*) FROM seat_holds WHERE status IN ('active', 'suspended')")
            taken = await owner.fetchval("SELECT count(*) FROM event_seats WHERE status <> 'available'")
            counted = await owner.fetchval("SELECT sum(held) FROM pools")
        assert (left, taken, counted) == (0, 0, 0)

    asyncio.run(run())
