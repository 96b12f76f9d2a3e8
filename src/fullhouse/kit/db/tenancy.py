"""Checks tenancy: finds rows whose organisation differs from that of the row they refer to.

Primary and foreign keys contain the organisation, so there should never be any. The tables to check are read from the
catalogue, so that a table added later is included.
"""

from typing import Any, NamedTuple

_REFERENCES = """
SELECT c.conrelid::regclass::text AS child, c.confrelid::regclass::text AS parent,
       array_agg(a.attname::text ORDER BY k.n) AS child_columns,
       array_agg(b.attname::text ORDER BY k.n) AS parent_columns
FROM pg_constraint c
CROSS JOIN LATERAL unnest(c.conkey, c.confkey) WITH ORDINALITY AS k (child, parent, n)
JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.child
JOIN pg_attribute b ON b.attrelid = c.confrelid AND b.attnum = k.parent
WHERE c.contype = 'f' AND c.conparentid = 0
  AND (SELECT count(*) FROM pg_attribute
       WHERE attrelid IN (c.conrelid, c.confrelid) AND attname = 'organization_id' AND NOT attisdropped)
      = CASE WHEN c.conrelid = c.confrelid THEN 1 ELSE 2 END
GROUP BY c.oid, c.conrelid, c.confrelid
ORDER BY 1, 2
"""


class Disagreement(NamedTuple):
    child: str
    parent: str
    rows: int


async def find_disagreements(connection: Any) -> list[Disagreement]:
    """Runs as the auditor role, which reads all organisations and writes nothing."""
    found = []
    for reference in await connection.fetch(_REFERENCES):
        joined = " AND ".join(
            f'c."{child}" = p."{parent}"'
            for child, parent in zip(reference["child_columns"], reference["parent_columns"], strict=True)
            if child != "organization_id"
        )
        if not joined:
            continue
        rows = await connection.fetchval(
            f"SELECT count(*) FROM {reference['child']} c JOIN {reference['parent']} p ON {joined}"  # noqa: S608
            " WHERE c.organization_id <> p.organization_id"
        )
        if rows:
            found.append(Disagreement(reference["child"], reference["parent"], rows))
    return found
