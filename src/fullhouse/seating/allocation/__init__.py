"""Which seats to offer: best available, orphans and their fixes, splitting of groups, companions. Pure."""
