"""Layouts over HTTP: their versions, their plans, and generators that build a plan from a few numbers."""

import asyncio
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from litestar.params import QueryParameter

from fullhouse.events.venues import actions as venues
from fullhouse.kit.actors import Principal
from fullhouse.kit.db.cursors import LIMIT, Page, page_by_age
from fullhouse.kit.db.database import Tx
from fullhouse.kit.http.endpoints import delete, get, post, put
from fullhouse.kit.http.parameters import After, PageSize
from fullhouse.kit.http.response import Response
from fullhouse.kit.services import Services
from fullhouse.seating import actions, store
from fullhouse.seating.maps import drawing, geometry
from fullhouse.seating.model import Layout, LayoutView
from fullhouse.seating.plans import decoding, differences, formats, generators
from fullhouse.seating.plans.chart import build_chart
from fullhouse.seating.plans.differences import PlanDifference
from fullhouse.seating.plans.plan import Plan

JSON = ("application/json",)
BYTES = "application/octet-stream"
PLAN_MAX_BYTES = 48 * 2**20  # enough for 200,000 seats
SLOW_S = 60.0


class Imported(LayoutView, frozen=True, kw_only=True):
    """An imported layout, and notes about what the import left out or assumed."""

    notes: list[str]


@get("/api/venues/{venue_id:uuid}/layouts", "layouts.read")
async def list_layouts(
    tx: Tx,
    services: Services,
    venue_id: UUID,
    status: Literal["draft", "active", "archived"] | None = None,
    limit: PageSize = LIMIT,
    cursor: After = None,
) -> Page[Layout]:
    """A venue's layouts, every version of each, oldest first."""
    await venues.require_venue(tx, venue_id)
    return await page_by_age(
        tx, services.keyring, "layouts", store.list_layouts, cursor, limit, venue_id=venue_id, status=status
    )


@post(
    "/api/venues/{venue_id:uuid}/layouts", "layouts.write", location="/api/layouts/{id}", accepts=JSON,
    body_limit=PLAN_MAX_BYTES, deadline_s=SLOW_S,
)  # fmt: skip
async def create_layout(tx: Tx, who: Principal, venue_id: UUID, raw: bytes) -> LayoutView:
    """Make a layout from a plan (`fullhouse/1`), as a draft. All mistakes are listed at once."""
    return await actions.to_view(tx, await actions.create_layout(tx, who, venue_id, lambda: decoding.decode_plan(raw)))


@post(
    "/api/venues/{venue_id:uuid}/layouts/import", "layouts.write", location="/api/layouts/{id}", accepts=JSON,
    body_limit=PLAN_MAX_BYTES, deadline_s=SLOW_S,
)  # fmt: skip
async def import_layout(
    tx: Tx, who: Principal, venue_id: UUID, raw: bytes, format: formats.Format | None = None
) -> Imported:
    """Make a layout from a `fullhouse` plan, a layout's `config` or a `pretix` plan, as a draft. Without `format` the
    document's shape tells the first two apart. Parts that were not understood are listed in `notes`."""
    notes: list[str] = []

    def read() -> Plan:
        plan, noticed = formats.read_plan(raw, format)
        notes.extend(noticed)
        return plan

    view = await actions.to_view(tx, await actions.create_layout(tx, who, venue_id, read))
    return Imported(**msgspec.structs.asdict(view), notes=notes)


@post("/api/venues/{venue_id:uuid}/layouts/generate", "layouts.write", location="/api/layouts/{id}", deadline_s=SLOW_S)
async def generate_layout(tx: Tx, who: Principal, venue_id: UUID, data: generators.Generator) -> LayoutView:
    """Make a layout from a few numbers, as a draft: rows, an arena, tables, a theatre, a festival."""
    return await actions.to_view(tx, await actions.create_layout(tx, who, venue_id, lambda: generators.generate(data)))


@post("/api/layouts/preview", "layouts.read", status=200, media_type="image/svg+xml")
async def preview_plan(data: generators.Generator) -> Response:
    """Draw what `generate` would make, as SVG; nothing is stored."""
    drawn = await asyncio.to_thread(lambda: drawing.render_svg(generators.generate(data)))
    return _svg_response(drawn)


@get("/api/layouts/{layout_id:uuid}", "layouts.read")
async def get_layout(tx: Tx, layout_id: UUID) -> LayoutView:
    """One version of a layout, with its zones."""
    return await actions.to_view(tx, await actions.get_layout(tx, layout_id))


@put("/api/layouts/{layout_id:uuid}", "layouts.write", accepts=JSON, body_limit=PLAN_MAX_BYTES, deadline_s=SLOW_S)
async def replace_layout(tx: Tx, layout_id: UUID, raw: bytes) -> LayoutView:
    """Replace the plan of a draft."""
    return await actions.to_view(tx, await actions.replace_draft(tx, layout_id, lambda: decoding.decode_plan(raw)))


@delete("/api/layouts/{layout_id:uuid}", "layouts.write")
async def delete_layout(tx: Tx, layout_id: UUID) -> None:
    """Delete a draft. A layout that was activated can only be archived."""
    await actions.delete_draft(tx, layout_id)


@post(
    "/api/layouts/{layout_id:uuid}/versions", "layouts.write", location="/api/layouts/{id}", accepts=JSON,
    body_limit=PLAN_MAX_BYTES, deadline_s=SLOW_S,
)  # fmt: skip
async def create_version(tx: Tx, who: Principal, layout_id: UUID, raw: bytes) -> LayoutView:
    """Make the next version of a layout, as a draft. Events on older versions stay there."""
    return await actions.to_view(
        tx, await actions.create_version(tx, who, layout_id, lambda: decoding.decode_plan(raw))
    )


@post("/api/layouts/{layout_id:uuid}/activate", "layouts.activate", status=200)
async def activate_layout(tx: Tx, layout_id: UUID) -> LayoutView:
    """Activate a draft, so that events can use it; the version that was active is archived."""
    return await actions.to_view(tx, await actions.activate(tx, layout_id))


@post("/api/layouts/{layout_id:uuid}/archive", "layouts.activate", status=200)
async def archive_layout(tx: Tx, layout_id: UUID) -> LayoutView:
    """Archive a version: no other event can use it. Events that have it keep it."""
    return await actions.to_view(tx, await actions.archive(tx, layout_id))


@get("/api/layouts/{layout_id:uuid}/plan", "layouts.read", media_type="application/json")
async def get_plan(tx: Tx, layout_id: UUID, format: formats.ExportFormat = "fullhouse") -> Response:
    """The whole plan: as `fullhouse/1`, which can be sent back to make the next version, or as a layout's `config`."""
    plan = await actions.get_plan(tx, layout_id)
    return Response(200, await asyncio.to_thread(formats.WRITERS[format], plan))


@get("/api/layouts/{layout_id:uuid}/preview.svg", "layouts.read", media_type="image/svg+xml")
async def preview_layout(tx: Tx, layout_id: UUID) -> Response:
    """A drawing of the layout."""
    plan = await actions.get_plan(tx, layout_id)
    return _svg_response(await asyncio.to_thread(drawing.render_svg, plan))


@get("/api/layouts/{layout_id:uuid}/seatmap", "layouts.read", media_type=BYTES)
async def get_layout_seatmap(tx: Tx, layout_id: UUID) -> Response:
    """The layout's map geometry (docs/seatmap-format.md), whether an event uses it or not."""
    plan = await actions.get_plan(tx, layout_id)
    packed = await asyncio.to_thread(lambda: geometry.encode_geometry(plan, build_chart(plan)))
    return Response(200, packed, (("cache-control", "private, no-cache"),), BYTES)


@get("/api/layouts/{layout_id:uuid}/differences", "layouts.read")
async def compare_layouts(
    tx: Tx, layout_id: UUID, since: Annotated[UUID, QueryParameter(description="The other version's id.")]
) -> PlanDifference:
    """Seats that were added, removed, moved, renumbered or recategorised since another version."""
    old, new = [await actions.get_plan(tx, i) for i in (since, layout_id)]
    return await asyncio.to_thread(differences.compare_plans, old, new)


def _svg_response(svg: str) -> Response:
    # A browser may open it as a document of its own: the policy lets no script run in it.
    return Response(
        200,
        svg.encode(),
        (("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'"),),
        "image/svg+xml",
    )


handlers = [
    list_layouts, create_layout, import_layout, generate_layout, preview_plan, get_layout, replace_layout,
    delete_layout, create_version, activate_layout, archive_layout, get_plan, preview_layout, get_layout_seatmap,
    compare_layouts,
]  # fmt: skip
