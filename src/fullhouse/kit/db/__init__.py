"""PostgreSQL: connections and transactions, statements, migrations, the audit log, pagination, the clock."""
