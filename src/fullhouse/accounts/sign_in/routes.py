"""Signing in and out over HTTP. Signing in returns the token in the body, and as a cookie for browsers."""

from functools import partial
from typing import Annotated

from litestar.params import CookieParameter, HeaderParameter

from fullhouse.accounts.access import COOKIE_SESSIONS_MAX, add_token, find_session_token, remove_token
from fullhouse.accounts.model import (
    AcceptInvitation,
    OpenSession,
    RedeemToken,
    RequestMagicLink,
    Session,
    SignIn,
    SignInAsGuest,
)
from fullhouse.accounts.sign_in import actions
from fullhouse.kit.actors import Actor, Principal
from fullhouse.kit.cache.limits import Limit, network_of
from fullhouse.kit.db.database import Tx
from fullhouse.kit.http.endpoints import DataWithHeaders, get, post
from fullhouse.kit.http.guard import COOKIE
from fullhouse.kit.services import Services

Cookie = Annotated[
    str | None, CookieParameter(name=COOKIE, max_length=4000, description="The browser's current sessions.")
]
Bearer = Annotated[
    str | None,
    HeaderParameter(name="Authorization", description="A guest's session: what the guest holds is handed over."),
]

# The first is per IP address: generous, because a whole festival may share one. The tight ones below are per account.
PER_ADDRESS = Limit(600, 60)
PASSWORDS_PER_NETWORK = Limit(10, 60)
PASSWORDS_PER_ACCOUNT = Limit(100, 600)  # loose, or anyone could lock another user out
LINKS_PER_EMAIL = Limit(5, 600)


@post("/api/auth/guest", public=True, limit=PER_ADDRESS)
async def sign_in_as_guest(
    actor: Actor, services: Services, data: SignInAsGuest, cookie: Cookie = None
) -> DataWithHeaders[Session]:
    """Start a guest session at an organisation's storefront."""
    organization = await actions.require_organization(services.database, data.organization)
    session = await actions.sign_in_as_guest(services.database, organization, actor, data.name)
    return to_sign_in_response(services, session, cookie)


@post("/api/auth/login", public=True, limit=PER_ADDRESS)
async def sign_in(
    actor: Actor, services: Services, data: SignIn, cookie: Cookie = None, authorization: Bearer = None
) -> DataWithHeaders[Session]:
    """Sign in with email address and password.

    If the request also carries a guest's session, the guest's holds (with their remaining time), open checkout and
    place in the waiting room pass to the user, and the guest's session ends. A basket that would exceed the limits per
    person, together with what the user already holds, is released.
    """
    account = f"login:{data.organization}:{data.email.lower()}"
    await services.limiter.check(f"{account}:{network_of(actor.ip)}", PASSWORDS_PER_NETWORK)
    await services.limiter.check(account, PASSWORDS_PER_ACCOUNT)
    organization = await actions.require_organization(services.database, data.organization)
    before = partial(find_session_token, authorization, cookie)
    session = await actions.sign_in_with_password(
        services.database, organization, actor, data.email, data.password, before
    )
    return to_sign_in_response(services, session, cookie)


@post("/api/auth/magic-link", public=True, status=202, limit=PER_ADDRESS)
async def ask_for_magic_link(actor: Actor, services: Services, data: RequestMagicLink) -> None:
    """Request a sign-in link by email. The response does not reveal whether the address is known."""
    await services.limiter.check(f"link:{data.organization}:{data.email.lower()}", LINKS_PER_EMAIL)
    organization = await actions.require_organization(services.database, data.organization)
    await actions.send_magic_link(services.database, organization, actor, data.email)


@post("/api/auth/magic-link/redeem", public=True, limit=PER_ADDRESS)
async def redeem_magic_link(
    actor: Actor, services: Services, data: RedeemToken, cookie: Cookie = None, authorization: Bearer = None
) -> DataWithHeaders[Session]:
    """Sign in with a link from an email. It works once. A guest's session is handed over as with a password."""
    before = partial(find_session_token, authorization, cookie)
    session = await actions.redeem_magic_link(services.database, actor, data.token, before)
    return to_sign_in_response(services, session, cookie)


@post("/api/auth/invitation/accept", public=True, limit=PER_ADDRESS)
async def accept_invitation(
    actor: Actor, services: Services, data: AcceptInvitation, cookie: Cookie = None, authorization: Bearer = None
) -> DataWithHeaders[Session]:
    """Join a team with an emailed invitation, choosing a name and a password. A guest's session is handed over."""
    before = partial(find_session_token, authorization, cookie)
    session = await actions.accept_invitation(services.database, actor, data, before)
    return to_sign_in_response(services, session, cookie)


@get("/api/auth/sessions", public=True, limit=PER_ADDRESS)
async def list_open_sessions(services: Services, cookie: Cookie = None) -> DataWithHeaders[list[OpenSession]]:
    """The organisations that this browser is signed in to, newest first. Select one by its id in `X-Organization`."""
    tokens = (cookie or "").split(".")[:COOKIE_SESSIONS_MAX]
    found = await actions.list_open_sessions(services.database, tokens)
    return DataWithHeaders(found, {"cache-control": "private, no-store"})


@post("/api/auth/logout", "me.read", status=204)
async def sign_out(tx: Tx, who: Principal, services: Services, cookie: Cookie = None) -> DataWithHeaders[None]:
    """End this session."""
    await actions.sign_out(tx, who)
    kept = remove_token(cookie, who.organization_id)
    return DataWithHeaders(None, {"set-cookie": _set_cookie(services, kept, 30 * 86_400 if kept else 0)})


def to_sign_in_response(services: Services, session: Session, cookie: str | None) -> DataWithHeaders[Session]:
    """The response after signing in: the session, in the body and as a cookie."""
    return DataWithHeaders(
        session, {"set-cookie": _set_cookie(services, add_token(cookie, session.token), 30 * 86_400)}
    )


def _set_cookie(services: Services, value: str, max_age_s: int) -> str:
    secure = "; Secure" if services.public_url.startswith("https:") else ""
    return f"{COOKIE}={value}; Path=/; Max-Age={max_age_s}; HttpOnly; SameSite=Lax{secure}"


handlers = [
    sign_in_as_guest, sign_in, ask_for_magic_link, redeem_magic_link, accept_invitation, list_open_sessions, sign_out,
]  # fmt: skip
