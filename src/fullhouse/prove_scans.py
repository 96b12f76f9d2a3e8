"""What must hold at the gates: the statements of prove_scans.sql, for prove.py."""

from fullhouse.kit import sql

_statements = sql.load(__file__).texts
PRESENT, OCCUPIED, ADMITTED, SCANNED = (_statements[name] for name in ("present", "occupied", "admitted", "scanned"))
