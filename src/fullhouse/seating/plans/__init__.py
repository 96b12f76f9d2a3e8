"""Seating plans as documents: model, checks, generators, drafts, formats and differences. Pure."""
