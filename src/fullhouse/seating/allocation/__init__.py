"""Which seats to offer: best available, orphans and their fixes, group splitting, companion seats. Pure."""
