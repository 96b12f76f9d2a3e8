"""Codes that people read aloud and type: one alphabet for all of them."""

import secrets

ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"  # without characters that look alike (0/O, 1/I/L)
LENGTH = 8


def new_code() -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def normalise(code: str) -> str:
    """The stored form of a code that an organiser chose: case and surrounding spaces make no difference."""
    return code.strip().upper()


def parse_code(code: str) -> str:
    """The code that `new_code` made, from what a person typed: with spaces, dashes and lower case."""
    return code.strip().upper().replace("-", "").replace(" ", "")
