"""The measures over HTTP."""

from fullhouse.holds import measure_reads
from fullhouse.holds.measure_reads import Measures
from fullhouse.kit.actors import Principal
from fullhouse.kit.http.endpoints import get
from fullhouse.kit.limits import Limit
from fullhouse.kit.services import Services


@get("/api/org/metrics", "sales.read", limit=Limit(30, 60))
async def get_measures(services: Services, who: Principal) -> Measures:
    """How the shows on sale are doing: each measure with its target, and beyond what somebody should look."""
    return await measure_reads.measures(services, who.organization_id)


handlers = [get_measures]
