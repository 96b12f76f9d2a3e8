"""Tickets: ticket types, promo codes and prices; issued tickets, their codes, documents and transfers."""
