"""The page that says where the database's functions stand names those that there are."""

import re
from typing import Any

from scripts import functions


async def test_the_page_names_what_a_migrated_database_has(owner: Any) -> None:
    rows = await owner.fetch(
        "SELECT DISTINCT proname FROM pg_proc WHERE pronamespace = 'app'::regnamespace AND prokind IN ('f', 'p')"
    )
    listed = re.findall(r"^\| `app\.(\w+)` \|", functions.PAGE.read_text(), re.MULTILINE)
    assert sorted(row["proname"] for row in rows) == sorted(listed)
    assert {"protect", "hold"} <= set(listed)


def test_it_is_read_however_it_is_written() -> None:
    texts = {
        "0001_a.sql": "CREATE FUNCTION app.a() …;\nCREATE FUNCTION app.b() …;\nCREATE PROCEDURE app.c() …;\n",
        "0002_b.sql": "\n  create or replace function app.b(x integer) …;\nCREATE FUNCTION app.d() …;\n",
        "0003_c.sql": "DROP FUNCTION IF EXISTS app.a(), app.d(uuid, text);\nALTER FUNCTION app.b OWNER TO me;\n",
        "0004_d.sql": "ALTER PROCEDURE app.c()\n    RENAME TO e;\nCREATE FUNCTION\n    app.d() …;\n",
    }
    assert functions.defined(texts) == {
        "b": [("0001_a.sql", 2), ("0002_b.sql", 2)],
        "e": [("0001_a.sql", 3)],
        "d": [("0002_b.sql", 3), ("0004_d.sql", 3)],
    }
