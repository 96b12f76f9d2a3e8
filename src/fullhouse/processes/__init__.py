"""The processes of an installation: `serve` starts and supervises the API processes, the worker and PostgreSQL."""
