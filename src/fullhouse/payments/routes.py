"""The webhook endpoint of payment providers."""

from typing import Annotated

from litestar.params import HeaderParameter, PathParameter

from fullhouse.kit.cache.limits import Limit
from fullhouse.kit.http.endpoints import post
from fullhouse.kit.services import Services
from fullhouse.payments.providers.stripe import webhook

ProviderName = Annotated[str, PathParameter(max_length=40, description="`stripe`, if it is configured.")]
Signature = Annotated[
    str | None,
    HeaderParameter(name="Stripe-Signature", max_length=2000, description="The time of signing and the signature."),
]
WEBHOOK_LIMIT = Limit(6000, 60)  # a provider sends for all buyers, from few addresses


@post(
    "/api/payments/{provider:str}/webhook",
    public=True,
    status=200,
    limit=WEBHOOK_LIMIT,
    accepts=("application/json",),
    body_limit=256 * 1024,
)
async def hear_provider(
    services: Services, provider: ProviderName, raw: bytes, signature: Signature = None
) -> dict[str, bool]:
    """Receive an event about a payment or a refund, signed by the provider.

    200 also for repeated events and for events that match no payment here: a redelivery would change nothing. 400 if
    the signature is not valid, or older than five minutes.
    """
    await webhook.receive(services, provider, raw, signature)
    return {"received": True}


handlers = [hear_provider]
