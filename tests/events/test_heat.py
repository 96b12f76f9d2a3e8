"""The arithmetic of `trending` in the database, against a model of it in a few plain lines."""

import math
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fullhouse.events import policy
from tests.events.helpers import DAY

pytestmark = pytest.mark.req("FEED-2")
ZERO = datetime(2025, 1, 1, tzinfo=UTC)
_CLOCK_OF_THE_SESSION = """
CREATE OR REPLACE FUNCTION app.clock() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
RETURN current_setting('test.clock')::timestamptz
"""
acts = st.lists(
    st.tuples(
        st.floats(0.01, 1e6, allow_nan=False),
        st.integers(0, 4000 * 86400).map(lambda seconds: ZERO + timedelta(seconds=seconds)),
    ),
    min_size=1,
    max_size=8,
)
in_one_database = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
async def own_time(owner: Any) -> AsyncIterator[Any]:
    """A connection whose clock it sets itself; nobody else ever sees that."""
    transaction = owner.transaction()
    await transaction.start()
    await owner.execute(_CLOCK_OF_THE_SESSION)
    yield owner
    await transaction.rollback()


async def heated(connection: Any, done: list[tuple[float, datetime]], heat: float | None = None) -> float | None:
    for weight, at in done:
        await connection.execute("SELECT set_config('test.clock', $1, true)", at.isoformat())
        heat = await connection.fetchval("SELECT app.heat($1, $2)", heat, weight)
    return heat


def model(done: list[tuple[float, datetime]]) -> float:
    """log2 of the plain sum, each act worth twice as much as the same one a day before."""
    days = [(at - ZERO).total_seconds() / 86400 for _, at in done]
    newest = max(days)
    return newest + math.log2(sum(w * 2.0 ** (day - newest) for (w, _), day in zip(done, days, strict=True)))


@in_one_database
@given(orders=acts.flatmap(lambda done: st.tuples(st.just(done), st.permutations(done))))
async def test_heat_is_the_logarithm_of_the_plain_sum_in_whatever_order(
    own_time: Any, orders: tuple[list[tuple[float, datetime]], ...]
) -> None:
    for order in orders:
        assert await heated(own_time, order) == pytest.approx(model(orders[0]), abs=1e-9)


async def test_what_weighs_nothing_warms_nothing(own_time: Any) -> None:
    warm = await heated(own_time, [(3.0, ZERO + DAY)])
    for weight in (0.0, -1.0):
        assert await heated(own_time, [(weight, ZERO + 9 * DAY)], warm) == warm
        assert await heated(own_time, [(weight, ZERO + 9 * DAY)]) is None


@in_one_database
@given(heat=st.floats(-1e4, 1e4), start=st.integers(0, 80 * 365 * 86400))
async def test_rank_is_months_to_the_start_less_the_heat(owner: Any, heat: float, start: int) -> None:
    start_at = ZERO + timedelta(seconds=start)
    months = (start_at - ZERO).total_seconds() / (30 * 86400)
    assert await owner.fetchval("SELECT app.rank($1, $2)", heat, start_at) == pytest.approx(months - heat, abs=1e-9)


async def test_the_database_and_the_house_count_the_same_epochs(own_time: Any) -> None:
    for at in (ZERO, ZERO + timedelta(seconds=29.9), ZERO + timedelta(seconds=30), datetime(2090, 6, 1, tzinfo=UTC)):
        await own_time.execute("SELECT set_config('test.clock', $1, true)", at.isoformat())
        assert await own_time.fetchval("SELECT app.epoch()") == policy.epoch(at)
