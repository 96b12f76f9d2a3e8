"""Derives a hot endpoint's fast handler from its function's signature, so that both lanes run the same function.

Injected as in the wide lane (kit/http/endpoints.py): `services`, `who`, `ip`, `caller`, the ids in the path, `data` and
parameters from headers. A hot endpoint opens its own transactions.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Annotated, Any, get_args, get_origin

import msgspec
from litestar.params import HeaderParameter

from fullhouse.kit.errors import Invalid, Malformed
from fullhouse.kit.http.body import decode
from fullhouse.kit.http.guard import identify_caller
from fullhouse.kit.http.hot_request import Handler, HotRequest
from fullhouse.kit.http.response import Response
from fullhouse.kit.live.broadcast import Channel, Reader
from fullhouse.kit.telemetry.telemetry import bind_request_fields

_ID = re.compile(r"\{(\w+):uuid\}")
_INJECTED: Mapping[str, Callable[[HotRequest], Any]] = {
    "services": lambda request: request.state.services,
    "who": lambda request: request.principal,
    "ip": lambda request: request.client_ip,
    "caller": lambda request: partial(identify_caller, request.state, request),
}
OnInvalid = Callable[..., Awaitable[None]]
"""Called with the endpoint's arguments and the error if the body is refused."""


def make_handler(
    fn: Callable[..., Awaitable[Any]],
    hints: Mapping[str, Any],
    path: str,
    to_response: Callable[[Any], Response],
    on_invalid: OnInvalid | None = None,
) -> Handler:
    ids = _ID.findall(path)
    getters = [(name, _getter(name, hint)) for name, hint in hints.items() if name not in (*ids, "data")]
    body = _Body(hints["data"]) if "data" in hints else None

    async def handle(request: HotRequest) -> Response | Reader:
        arguments: dict[str, Any] = dict(zip(ids, request.params, strict=True))
        if arguments:
            bind_request_fields(**arguments)
        for name, get in getters:
            arguments[name] = get(request)
        if body is not None:
            raw = await request.read()
            try:
                arguments["data"] = body.decode(raw)
            except (Invalid, Malformed) as error:
                if on_invalid:
                    await on_invalid(**arguments, error=error)
                raise
        result = await fn(**arguments)
        if isinstance(result, Channel):
            last = request.header("last-event-id")
            return await request.state.services.streams.open(result, request.client_ip, last)  # type: ignore[no-any-return]
        return result if isinstance(result, Response) else to_response(result)

    return handle


class _Body:
    """Decodes the body. An empty one is the type's default, if all of its fields have one."""

    def __init__(self, of: Any) -> None:
        self._decoder = msgspec.json.Decoder(of)
        self._of = of
        self._is_optional = not any(field.required for field in msgspec.structs.fields(of))

    def decode(self, raw: bytes) -> Any:
        return self._of() if self._is_optional and not raw else decode(self._decoder, raw)


def _getter(name: str, hint: Any) -> Callable[[HotRequest], Any]:
    if name in _INJECTED:
        return _INJECTED[name]
    if get_origin(hint) is Annotated:
        for extra in get_args(hint)[1:]:
            if isinstance(extra, HeaderParameter) and extra.name:
                return partial(_header, extra.name.lower())
    raise TypeError(f"a hot endpoint cannot take {name}: {hint}")


def _header(name: str, request: HotRequest) -> str | None:
    return request.header(name)
