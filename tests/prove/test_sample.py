"""Silent while all is well."""

import pytest

from fullhouse import prove
from tests.prove.sample import Sample

pytestmark = pytest.mark.req("AUD-1")


async def test_a_database_that_nobody_broke_is_proven(sample: Sample, server_url: str) -> None:
    found = await prove.run(server_url)
    assert {check.name: said for check, said in found.items() if said} == {}
