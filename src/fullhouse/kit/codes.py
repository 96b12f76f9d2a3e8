"""Codes that people read aloud and type: one alphabet for all of them."""

import secrets

ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"  # nothing that is read as something else
LENGTH = 8


def new_code() -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def as_stored(code: str) -> str:
    """Of a code that somebody made up: small letters, and blanks around it, make no other one."""
    return code.strip().upper()


def typed(code: str) -> str:
    """As it was made, from what people write: with blanks, dashes and small letters."""
    return code.strip().upper().replace("-", "").replace(" ", "")
