"""Mutation runs: small faults are put into the sale's decisions, and the tests of their own domain must notice.

What is mutated: the `policy.py` files (`python_mutants`) and the database's functions (`sql_mutants`) of the sale.
`domains` says which tests judge what, `equivalents` which mutants cannot be noticed and why. A judge (`judge`) runs the
tests of each mutant in a process forked from one that has all libraries loaded, and on a database of its own.

    python -m tests.mutation                  a sample of half an hour, 95 % of it must be killed
    python -m tests.mutation --full           every mutant
    python -m tests.mutation --domain holds --only app.end_holds
"""
