"""Reading the audit log."""
