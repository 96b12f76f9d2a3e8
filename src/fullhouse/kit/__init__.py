"""Infrastructure shared by all domains: database, errors, ids, time, money, messages. It contains no ticketing code."""
