"""The ground floor: database, errors, ids, time, money, messages. Nothing in here knows what a ticket is."""
