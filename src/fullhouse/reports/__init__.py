"""Reports per event: the funnel from hold to checkout to sale, and sales figures. Read-only."""
