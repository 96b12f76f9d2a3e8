"""A guest signs in: what the guest had in checkouts and holds becomes the person's."""
