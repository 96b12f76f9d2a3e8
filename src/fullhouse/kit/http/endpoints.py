"""Declares the endpoints of the domains:

    @post("/api/org/api-keys", "keys.create", location="/api/org/api-keys/{id}")
    async def create_key(tx: Tx, who: Principal, data: CreateApiKey) -> NewApiKey: ...

The second argument is the action that the caller must be allowed; a public endpoint has `public=True` instead. These
parameters are injected by name: `tx` (a transaction of the caller's organisation, committed when the handler has
returned), `who` (the caller), `caller` (authenticates the caller of a public endpoint), `actor` (the request's origin),
`ip` (the client's address), `services`, `raw` (the undecoded body, for an endpoint that `accepts` something else than
JSON). Litestar injects the rest: `data`, path, query and header parameters. The result is wrapped in `{"data": …}`; a
`Page` has its own envelope, a `Response` is sent as it is, None becomes 204. For an endpoint that returns a `Response`,
`answers` documents the data by status.
"""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from http import HTTPStatus
from typing import Annotated, Any, Generic, TypeVar, cast, get_args, get_origin, get_type_hints

import msgspec
from litestar import Request
from litestar import Response as LitestarResponse
from litestar.handlers import HTTPRouteHandler
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath, FromQuery, JSONBody
from litestar.types import Empty

from fullhouse.kit.actors import Principal
from fullhouse.kit.cache.limits import Limit
from fullhouse.kit.db.cursors import Page
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import FieldError, Forbidden, Invalid, Refusal
from fullhouse.kit.http import idempotency, problems, signatures, streams
from fullhouse.kit.http.guard import identify_caller, ids_in, read_request_meta, record_denial, record_denial_separately
from fullhouse.kit.http.response import Response
from fullhouse.kit.live.broadcast import Channel
from fullhouse.kit.services import Services
from fullhouse.kit.telemetry.telemetry import bind_request_fields

T = TypeVar("T")
Handler = Callable[..., Awaitable[Any]]
AnyRequest = Request[Any, Any, Any]
DEADLINE_S = 10.0
_INJECTED = frozenset({"tx", "who", "caller", "actor", "ip", "services", "raw"})
Caller = Callable[[], Awaitable[Principal | None]]


class DataEnvelope(msgspec.Struct, Generic[T], frozen=True):
    """The envelope of a single object."""

    data: T


class DataWithHeaders(msgspec.Struct, Generic[T], frozen=True):
    """Data with additional response headers."""

    data: T
    headers: dict[str, str] = {}


def endpoint(
    method: str,
    path: str,
    action: str | None = None,
    *,
    public: bool = False,
    status: int | None = None,
    location: str | None = None,
    limit: Limit | None = None,
    accepts: tuple[str, ...] | None = None,
    body_limit: int | None = None,
    deadline_s: float = DEADLINE_S,
    media_type: str | None = None,
    also: tuple[str, ...] | None = None,
    answers: Mapping[int, Any] | None = None,
    hot: bool = False,
    on_invalid: signatures.OnInvalid | None = None,
    says: Mapping[type[Refusal], type[Refusal]] | None = None,
    bad_path: type[Refusal] | None = None,
    name: str | None = None,
) -> Callable[[Handler], HTTPRouteHandler]:
    """Deny by default: an endpoint names its action, or is declared public. `says` replaces general refusals by the
    endpoint's own, `bad_path` is the refusal of an invalid id in the path, which elsewhere is a 404. A `hot` endpoint
    is on the fast lane, too (kit/http/signatures.py), where `on_invalid` is called if its body is refused. An endpoint
    with several addresses needs a separate `name` (operation id) for each."""
    if (action is None) != public:
        raise ValueError(f"{method} {path}: name the action that it needs, or say public=True")

    def make(fn: Handler) -> HTTPRouteHandler:
        hints = get_type_hints(fn, include_extras=True)
        returned = hints.pop("return")
        code = status or (204 if returned is type(None) else 201 if method == "POST" else 200)
        once = method == "POST" and code == 201 and "tx" in hints
        given = frozenset(hints) & _INJECTED
        route = f"{method} {path}"
        runner = _Runner(fn, given, code, location, route=route, once=once, deadline_s=deadline_s, action=action)

        async def handle(request: AnyRequest, **arguments: Any) -> LitestarResponse[Any]:
            try:
                return await runner(request, arguments)
            except Forbidden as refusal:
                if who := request.scope.get("principal"):
                    ids = ids_in(request.path_params)
                    await record_denial_separately(request.app.state, who, action or "", ids, refusal)  # type: ignore[arg-type]
                raise

        documented = {each: _body_type(what) for each, what in (answers or {code: returned}).items()}
        _copy_signature(
            handle,
            fn,
            {k: _annotate_source(k, v, path) for k, v in hints.items() if k not in _INJECTED},
            documented.pop(code),
        )
        is_stream = returned is Channel
        make_fast = signatures.make_handler if hot or is_stream else None
        fast = make_fast and make_fast(fn, hints, path, runner.to_response, on_invalid)
        opt = {"action": action, "public": public, "idempotent": once, "limit": limit, "fast": fast, "also": also,
               "accepts": accepts, "body_limit": body_limit, "says": says, "bad_path": bad_path}  # fmt: skip
        documentation = inspect.getdoc(fn) or ""
        return HTTPRouteHandler(
            path,
            http_method=method,  # type: ignore[arg-type]
            status_code=code,
            opt={name: value for name, value in opt.items() if value is not None},
            summary=documentation.partition("\n")[0].rstrip(".") or None,
            description=documentation.partition("\n")[2].strip() or None,
            operation_id=name or fn.__name__,
            responses={each: _response_spec(each, what) for each, what in documented.items()},
            media_type=streams.MEDIA_TYPE if is_stream else media_type,
            request_max_body_size=body_limit or Empty,
            exception_handlers={kind: partial(_respond_with_own_refusal, says) for kind in says} if says else None,
        )(handle)

    return make


def _respond_with_own_refusal(says: Mapping[type[Refusal], type[Refusal]], request: AnyRequest, exc: Exception) -> Any:
    return problems.exception_handlers[Exception](request, problems.replace_refusal(says, exc))


get = partial(endpoint, "GET")
post = partial(endpoint, "POST")
put = partial(endpoint, "PUT")
patch = partial(endpoint, "PATCH")
delete = partial(endpoint, "DELETE")


class _Runner:
    """Runs an endpoint: opens the transaction, honours the Idempotency-Key, encodes the response before the commit."""

    def __init__(
        self,
        fn: Handler,
        given: frozenset[str],
        status: int,
        location: str | None,
        *,
        route: str,
        once: bool,
        deadline_s: float,
        action: str | None,
    ) -> None:
        self._action = action
        self._fn, self.injected, self._status, self._location = fn, given, status, location
        self._route, self._once, self._deadline_s = route, once, deadline_s

    async def __call__(self, request: AnyRequest, arguments: dict[str, Any]) -> LitestarResponse[Any]:
        services: Services = request.app.state.services
        who: Principal | None = request.scope.get("principal")  # type: ignore[assignment]
        available: dict[str, Any] = {"who": who, "services": services}
        available["actor"] = read_request_meta(request).actor if "actor" in self.injected else None
        available["ip"] = read_request_meta(request).client_ip
        available["caller"] = partial(identify_caller, request.app.state, read_request_meta(request))
        if "event_id" in arguments:  # a field of every log line and span of this request, as the organisation is
            bind_request_fields(event_id=arguments["event_id"])
        if "raw" in self.injected:
            available["raw"] = await request.body()
        arguments |= {name: available[name] for name in self.injected - {"tx"}}
        if "tx" not in self.injected:
            result = await self._fn(**arguments)
            if isinstance(result, Channel):
                last = request.headers.get("last-event-id")
                reader = await services.streams.open(result, read_request_meta(request).client_ip, last)
                return streams.StreamResponse(reader)
            return _to_litestar_response(self.to_response(result))
        assert who is not None
        key = request.headers.get("idempotency-key") if self._once else None
        if key is not None:
            return _to_litestar_response(await self._run_once(request, services, who, key, arguments))
        async with services.database.tenant(who.organization_id, who.actor, deadline_s=self._deadline_s) as tx:
            response = self.to_response(await self._fn(tx=tx, **arguments))
        return _to_litestar_response(response)

    async def _run_once(
        self, request: AnyRequest, services: Services, who: Principal, key: str, arguments: dict[str, Any]
    ) -> Response:
        if not 1 <= len(key) <= 255:
            raise Invalid(fields=[FieldError("Idempotency-Key", "Between 1 and 255 characters.")])
        claim = idempotency.Claim(who.organization_id, f"{who.actor.type}:{who.id}", self._route, key)
        body = request.url.path.encode() + b"\n" + await request.body()
        wait_s = idempotency.WAIT_S + self._deadline_s
        async with (
            services.idempotency_locks.lock(claim),
            services.database.tenant(who.organization_id, who.actor, deadline_s=wait_s) as tx,
        ):
            earlier = await idempotency.claim_or_find_response(tx, services.keyring, claim, body)
            if earlier is not None:
                return earlier
            response = await self._run_in_savepoint(tx, who, request, arguments)
            await idempotency.save_response(tx, services.keyring, claim, response)
        return response

    async def _run_in_savepoint(
        self, tx: Tx, who: Principal, request: AnyRequest, arguments: dict[str, Any]
    ) -> Response:
        """Runs the handler. A refusal is stored under the key too; 429, 5xx and unexpected errors are not."""
        try:
            async with tx.savepoint():
                return self.to_response(await self._fn(tx=tx, **arguments))
        except Refusal as refusal:
            if refusal.status >= 500 or refusal.status == 429:
                raise
            if isinstance(refusal, Forbidden) and not refusal.is_audited:
                await record_denial(tx, who, self._action or "", ids_in(request.path_params), refusal)
            return problems.to_response(refusal)

    def to_response(self, result: Any) -> Response:
        if isinstance(result, Response):
            return result
        headers = result.headers if isinstance(result, DataWithHeaders) else {}
        data = result.data if isinstance(result, DataWithHeaders) else result
        if data is None:
            return Response(self._status, b"", tuple(headers.items()))
        if self._location:
            headers = {**headers, "location": self._location.format(id=data.id, of=data)}
        return Response(self._status, msgspec.json.encode(_wrap(data)), tuple(headers.items()))


def _wrap(data: Any) -> Any:
    return data if isinstance(data, Page) else DataEnvelope(data)


def _to_litestar_response(response: Response) -> LitestarResponse[Any]:
    return LitestarResponse(
        response.body,
        status_code=response.status,
        media_type=response.content_type if response.body else None,
        headers=dict(response.headers),
    )


def _copy_signature(handle: Any, fn: Handler, hints: dict[str, Any], returned: Any) -> None:
    """Gives the wrapper the handler's signature without the injected parameters, for Litestar to parse and document."""
    own = inspect.signature(fn).parameters
    parameters = [inspect.Parameter("request", inspect.Parameter.KEYWORD_ONLY, annotation=AnyRequest)]
    parameters += [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=hint, default=own[name].default)
        for name, hint in hints.items()
    ]
    annotation = cast(Any, LitestarResponse)[returned]
    handle.__signature__ = inspect.Signature(parameters, return_annotation=annotation)
    handle.__annotations__ = {"request": AnyRequest, **hints, "return": annotation}
    for attribute in ("__name__", "__qualname__", "__module__", "__doc__"):
        setattr(handle, attribute, getattr(fn, attribute))


def _annotate_source(name: str, hint: Any, path: str) -> Any:
    """Annotates a parameter with its source (path, body or query), unless the handler has annotated it."""
    if get_origin(hint) is Annotated:
        return hint
    if name == "data":
        return cast(Any, JSONBody)[hint]
    return cast(Any, FromPath if f"{{{name}:" in path else FromQuery)[hint]


def _response_spec(status: int, body: Any) -> ResponseSpec:
    return ResponseSpec(body, generate_examples=False, description=HTTPStatus(status).description)


def _body_type(returned: Any) -> Any:
    """The type of the response body for an endpoint's return type."""
    if get_origin(returned) is DataWithHeaders:
        returned = get_args(returned)[0]
    if returned is Response:
        return bytes
    if returned is type(None) or get_origin(returned) is Page:
        return returned
    if returned is Channel:
        return str
    return cast(Any, DataEnvelope)[returned]
