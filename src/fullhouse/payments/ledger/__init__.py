"""The ledger: every transaction sums to zero, and none is ever changed."""
