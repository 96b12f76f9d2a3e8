"""A guest signs in: the guest's checkouts, holds and waiting-room positions move to the account."""
