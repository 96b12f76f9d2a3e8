"""The facts of this installation, described for machines."""

from litestar import MediaType, Response, get

from fullhouse.broker import catalogue


@get("/api/asyncapi.json", opt={"public": True}, include_in_schema=False)
async def asyncapi_json() -> Response[bytes]:
    return Response(catalogue.render_asyncapi(), media_type=MediaType.JSON)


handlers = [asyncapi_json]
