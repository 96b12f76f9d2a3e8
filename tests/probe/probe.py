"""How a route is called so that only the right is missing."""

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple
from uuid import UUID

from fullhouse.kit.services import Services
from tests.fixtures import Tenant

Named = UUID | tuple[UUID | str, ...]  # what stands in the path: one id, or all that it names
Make = Callable[[Services, Tenant], Awaitable[Named]]


class Probe(NamedTuple):
    """How to call a route so that only the right is missing. `thing` makes what the path's id names."""

    body: Any = None
    thing: Make | None = None
    public: bool = False
    needs_venue: bool = False
    file: bytes | None = None
    kind: str = "image/jpeg"
    query: str = ""  # `{}` in it is the thing
    fitting: Callable[[Services, Tenant, Named], Awaitable[Any]] | None = None  # a body that only this thing takes
    headers: dict[str, str] | None = None  # `{}` in one is another word each time
    everybodys: bool = False  # what the path names is no tenant's
    device: bool = False  # a paired scanner calls it
