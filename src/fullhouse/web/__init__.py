"""Server-rendered pages, health checks and metrics. Pages load nothing from other hosts."""
