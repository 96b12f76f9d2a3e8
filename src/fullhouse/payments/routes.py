"""Where a payment provider brings news by itself."""

from typing import Annotated

from litestar.params import HeaderParameter, PathParameter

from fullhouse.kit.cache.limits import Limit
from fullhouse.kit.http.endpoints import post
from fullhouse.kit.services import Services
from fullhouse.payments.providers.stripe import webhooks

Name = Annotated[str, PathParameter(max_length=40, description="`stripe`, if it is set up.")]
Signature = Annotated[
    str | None,
    HeaderParameter(name="Stripe-Signature", max_length=2000, description="When it was signed, and the signature."),
]
OFTEN = Limit(6000, 60)  # a provider speaks for all buyers, from few addresses


@post(
    "/api/payments/{provider:str}/webhook",
    public=True,
    status=200,
    limit=OFTEN,
    accepts=("application/json",),
    body_limit=256 * 1024,
)
async def hear_provider(services: Services, provider: Name, raw: bytes, signature: Signature = None) -> dict[str, bool]:
    """News of a payment or a refund, signed by the provider.

    200 also for what was said before and for what nobody here knows: to send it again would change nothing. 400 if the
    signature is not good, or older than five minutes.
    """
    await webhooks.hear(services, provider, raw, signature)
    return {"received": True}


handlers = [hear_provider]
