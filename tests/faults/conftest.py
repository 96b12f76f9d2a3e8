"""A theatre for each file of tests: what they break is theirs."""

from collections.abc import Iterator

import pytest

from tests.faults.theatre import Theatre, theatre
from tests.kit.test_postgres import make_home


@pytest.fixture(scope="module")
def house() -> Iterator[Theatre]:
    with theatre(make_home()) as at:
        yield at
