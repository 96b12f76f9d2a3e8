"""Hashes passwords with argon2 in two threads at most: it is slow on purpose, and must not allow denial of service."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError

from fullhouse.kit.errors import Unavailable

T = TypeVar("T")
_hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
_threads = ThreadPoolExecutor(2, thread_name_prefix="argon2")
_WAITING_MAX = 64
_waiting = 0

# Verified in place of a missing hash, so that an unknown address takes as long as a wrong password.
_DUMMY_HASH = _hasher.hash("nobody has this password")


async def hash_password(password: str) -> str:
    return await _run_in_thread(_hasher.hash, password)


async def verify(password_hash: str | None, password: str) -> bool:
    good = await _run_in_thread(_matches, password_hash or _DUMMY_HASH, password)
    return good and password_hash is not None


def _matches(password_hash: str, password: str) -> bool:
    try:
        return _hasher.verify(password_hash, password)
    except (VerifyMismatchError, InvalidHashError):
        return False


async def _run_in_thread(work: Callable[..., T], *args: str) -> T:
    global _waiting
    if _waiting >= _WAITING_MAX:
        raise Unavailable("Many people are signing in right now. Try again in a few seconds.", retry_after_s=3)
    _waiting += 1
    try:
        return await asyncio.get_running_loop().run_in_executor(_threads, work, *args)
    finally:
        _waiting -= 1
