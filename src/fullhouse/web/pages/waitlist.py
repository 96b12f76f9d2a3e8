"""The page that a waitlist email links to, and the session that takes a guest from there to the checkout.

The secret is in the address's fragment, which browsers never send; the page's script asks the API with it.
"""

from typing import Annotated

from litestar import Response
from litestar.params import CookieParameter

from fullhouse.accounts import actions as accounts
from fullhouse.accounts import store as people
from fullhouse.accounts.model import OrganizationSuspended, Session
from fullhouse.accounts.sign_in import actions as sign_in
from fullhouse.accounts.sign_in.routes import to_sign_in_response
from fullhouse.kit.actors import Actor
from fullhouse.kit.http.endpoints import DataWithHeaders, post
from fullhouse.kit.http.guard import COOKIE
from fullhouse.kit.http.parameters import Secret, parse_bearer
from fullhouse.kit.services import Services
from fullhouse.waitlist import reads as waitlist_reads
from fullhouse.waitlist.model import NotWaiting, SignInNeeded
from fullhouse.waitlist.routes import SECRET_LIMIT
from fullhouse.web import words
from fullhouse.web.rendering import AnyRequest, page, public

Cookie = Annotated[str | None, CookieParameter(name=COOKIE, max_length=4000, description="The sessions so far.")]


@public("/waiting-list")
async def waiting_list(request: AnyRequest) -> Response[str]:
    response = page("waiting_list.html", t=words.preferred_language(request) or words.EN)
    response.headers.update(words.language_headers(request))
    return response


@post("/api/waitlist/session", public=True, limit=SECRET_LIMIT)
async def open_waitlist_session(
    services: Services, actor: Actor, authorization: Secret = None, cookie: Cookie = None
) -> DataWithHeaders[Session]:
    """Open a session as the guest who joined the waitlist, on the device that opened the email.

    The seats and tickets on offer are holds of this session. People who joined with an account sign in with it instead
    (409 `sign_in_needed`): a link in an email does not open an account for as long as a waitlist lasts.
    """
    secret = parse_bearer(authorization)
    organization_id = waitlist_reads.parse_organization(secret)
    async with services.database.without_tenant() as tx:
        organization = await people.organization_by_id(tx, organization_id)
    if organization is None:
        raise NotWaiting()
    if organization.status == "suspended":
        raise OrganizationSuspended()
    async with services.database.tenant(organization_id, actor) as tx:
        entry = await waitlist_reads.require_entry_by_secret(tx, secret)
        user = await people.user_by_id(tx, entry.user_id)
        if user is None or user.email is not None or user.role != "customer" or user.status != "active":
            profile = await accounts.require_profile(tx)
            raise SignInNeeded(f"Sign in to {profile.name} with the account that joined the waitlist.")
        session = await sign_in.create_session(tx, organization, user, "guest")
    return to_sign_in_response(services, session, cookie)


handlers = [waiting_list, open_waitlist_session]
