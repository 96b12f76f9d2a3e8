"""Plans as documents: what a plan is, its checks, generators, drafts, formats and the differences of two. Pure."""
