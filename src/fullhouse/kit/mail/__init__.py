"""Emails as rows, and sending them by SMTP."""
