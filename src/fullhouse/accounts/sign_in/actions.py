"""Actions for signing in and out. Every method results in a session of one user in one organisation."""

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

from fullhouse.accounts import actions, passwords, policy, store
from fullhouse.accounts.facts import GuestSignedIn, MemberChanged
from fullhouse.accounts.model import (
    AcceptInvitation,
    AlreadyExists,
    ChangePassword,
    LinkInvalid,
    OpenSession,
    Organization,
    OrganizationNotFound,
    OrganizationSuspended,
    PasswordChanged,
    PlatformSession,
    PlatformUser,
    Role,
    Session,
    SignInLink,
    User,
    WrongPassword,
)
from fullhouse.kit import secrets
from fullhouse.kit.actors import Actor, Principal
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Database, Tx
from fullhouse.kit.errors import FieldError, Invalid
from fullhouse.kit.ids import new_id
from fullhouse.kit.mail import mailbox
from fullhouse.kit.messages.outbox import announce

# Returns the session token that the request carries for an organisation, if any: possibly a guest's.
SessionLookup = Callable[[UUID], str | None]


def no_session(_organization_id: UUID) -> str | None:
    """For requests without a previous session."""
    return None


async def require_organization(database: Database, slug: str) -> Organization:
    async with database.without_tenant() as tx:
        organization = await store.organization_by_slug(tx, slug)
    if organization is None:
        raise OrganizationNotFound(f"There is no organisation named “{slug}”.", name=slug)
    if organization.status == "suspended":
        raise OrganizationSuspended()
    return organization


async def sign_in_as_guest(database: Database, organization: Organization, actor: Actor, name: str) -> Session:
    async with database.tenant(organization.id, actor) as tx:
        user = await actions.create_user(tx, email=None, name=name, role=Role.CUSTOMER)
        return await create_session(tx, organization, user, "guest")


async def sign_in_with_password(
    database: Database,
    organization: Organization,
    actor: Actor,
    email: str,
    password: str,
    before: SessionLookup = no_session,
) -> Session:
    async with database.tenant(organization.id, actor) as tx:
        user = await store.user_by_email(tx, email)
        password_hash = await store.find_password_hash(tx, user.id) if user else None
    # Outside the transaction: argon2 is slow, and must not occupy a connection meanwhile.
    good = await passwords.verify(password_hash, password)
    async with database.tenant(organization.id, actor) as tx:
        if user and good and user.status == "active":
            return await create_session(tx, organization, user, "password", before)
        await audit.write(tx, "session.refused", "user", user.id if user else None, reason="wrong password")
    raise WrongPassword()


async def send_magic_link(database: Database, organization: Organization, actor: Actor, email: str) -> None:
    """Emails a link. The response is the same whether the address is known or not: first use creates the account."""
    token = secrets.mint(secrets.TokenKind.MAGIC_LINK, organization.id)
    async with database.tenant(organization.id, actor) as tx:
        await store.insert_magic_link(
            tx, id=new_id(), email=email, token_hash=secrets.digest_token(token), ttl=policy.MAGIC_LINK_TTL
        )
        minutes = policy.MAGIC_LINK_TTL // timedelta(minutes=1)
        await mailbox.enqueue_email(
            tx, email, SignInLink(path=f"/sign-in#{token}", minutes=minutes), language=actor.language
        )


async def redeem_magic_link(
    database: Database, actor: Actor, token: str, before: SessionLookup = no_session
) -> Session:
    organization = await _require_organization_of_token(database, token, secrets.TokenKind.MAGIC_LINK)
    async with database.tenant(organization.id, actor) as tx:
        email = await store.consume_magic_link(tx, secrets.digest_token(token))
        if email is None:
            raise LinkInvalid()
        user = await actions.find_or_create_customer(tx, email, email.partition("@")[0])
        if user.status != "active":
            raise LinkInvalid()
        return await create_session(tx, organization, user, "magic_link", before)


async def accept_invitation(
    database: Database, actor: Actor, request: AcceptInvitation, before: SessionLookup = no_session
) -> Session:
    organization = await _require_organization_of_token(database, request.token, secrets.TokenKind.INVITATION)
    password_hash = await passwords.hash_password(request.password)
    async with database.tenant(organization.id, actor) as tx:
        invitation = await store.accept_invitation(tx, secrets.digest_token(request.token))
        if invitation is None:
            raise LinkInvalid()
        user = await store.user_by_email(tx, invitation.email)
        if user is not None and user.status != "active":
            raise LinkInvalid()
        if user is None:
            user = await actions.create_user(
                tx, email=invitation.email, name=request.name, role=invitation.role, password_hash=password_hash
            )
        elif user.role == Role.CUSTOMER:  # a buyer joins the team: same person, same tickets
            user = await store.update_user(
                tx, user_id=user.id, name=request.name, role=invitation.role, status="active"
            )
            assert user
            await store.update_password(tx, user_id=user.id, password_hash=password_hash)
            # An old session of the buyer must not gain staff permissions.
            await store.revoke_user_sessions(tx, user_id=user.id, except_id=None)
            await audit.write(tx, "member.joined", "user", user.id, after={"role": invitation.role})
            await announce(tx, MemberChanged(subject_id=user.id, role=user.role, status=user.status))
        else:
            raise AlreadyExists(f"{invitation.email} is already in the team.", name=invitation.email)
        return await create_session(tx, organization, user, "invitation", before)


async def list_open_sessions(database: Database, tokens: list[str]) -> list[OpenSession]:
    """A browser's sessions that are still valid, newest first."""
    found = []
    for token in tokens:
        if claim := secrets.parse_token(token, secrets.TokenKind.SESSION):
            async with database.tenant(claim[1]) as tx:
                found.append(await store.find_open_session(tx, secrets.digest_token(token)))
    return [session for session in found if session]


async def sign_out(tx: Tx, who: Principal) -> None:
    if who.session_id and await store.revoke_session(tx, who.session_id):
        await audit.write(tx, "session.closed", "session", who.session_id)


async def change_password(database: Database, who: Principal, request: ChangePassword) -> None:
    """Ends every other session of the user: a password is changed when it is no longer trusted."""
    async with database.tenant(who.organization_id, who.actor) as tx:
        current = await store.find_password_hash(tx, who.id)
    if current is not None and not await passwords.verify(current, request.current_password or ""):
        raise Invalid(
            "The current password is wrong.",
            fields=[FieldError("current_password", "This is not your current password.")],
        )
    password_hash = await passwords.hash_password(request.new_password)
    async with database.tenant(who.organization_id, who.actor) as tx:
        await store.update_password(tx, user_id=who.id, password_hash=password_hash)
        await store.revoke_user_sessions(tx, user_id=who.id, except_id=who.session_id)
        await audit.write(tx, "user.password_changed", "user", who.id)
        user = await store.user_by_id(tx, who.id)
        if user and user.email:
            await mailbox.enqueue_email(tx, user.email, PasswordChanged(email=user.email))


async def sign_in_to_platform(database: Database, email: str, password: str) -> PlatformSession:
    async with database.without_tenant() as tx:
        found = await store.platform_user_by_email(tx, email)
    if not await passwords.verify(found.password_hash if found else None, password) or found is None:
        raise WrongPassword()
    token = secrets.mint(secrets.TokenKind.PLATFORM, secrets.PLATFORM_ID)
    async with database.without_tenant() as tx:
        expires_at = await store.insert_platform_session(
            tx, id=new_id(), user_id=found.id, token_hash=secrets.digest_token(token), ttl=policy.PLATFORM_SESSION_TTL
        )
    assert expires_at
    return PlatformSession(token, PlatformUser(found.id, found.email, found.name, found.role), expires_at)


async def create_session(
    tx: Tx, organization: Organization, user: User, method: str, before: SessionLookup = no_session
) -> Session:
    await _hand_over_guest(tx, user, before(organization.id))
    token = secrets.mint(secrets.TokenKind.SESSION, organization.id)
    session_id, actor = new_id(), tx.actor
    if user.email:
        await mailbox.record_language(tx, user.email)
    expires_at = await store.insert_session(
        tx,
        id=session_id,
        user_id=user.id,
        token_hash=secrets.digest_token(token),
        method=method,
        ip=actor.ip,
        user_agent=actor.user_agent,
        ttl=policy.SESSION_TTL[method],
    )
    assert expires_at
    await audit.write(tx, "session.opened", "user", user.id, after={"session_id": session_id, "method": method})
    return Session(token, user, organization, expires_at, int(expires_at.timestamp() * 1000))


async def _hand_over_guest(tx: Tx, user: User, token: str | None) -> None:
    """Merges a previous guest session into the user: the guest's session ends, and its holds are handed over."""
    guest = await store.end_guest_session(tx, secrets.digest_token(token)) if token else None
    if guest is not None:
        await audit.write(tx, "guest.signed_in", "user", user.id, after={"guest_id": guest.user_id})
        await announce(tx, GuestSignedIn(subject_id=user.id, guest_id=guest.user_id))


async def _require_organization_of_token(database: Database, token: str, kind: secrets.TokenKind) -> Organization:
    claim = secrets.parse_token(token, kind)
    if claim is None:
        raise LinkInvalid()
    organization_id: UUID = claim[1]
    async with database.without_tenant() as tx:
        organization = await store.organization_by_id(tx, organization_id)
    if organization is None:
        raise LinkInvalid()
    if organization.status == "suspended":
        raise OrganizationSuspended()
    return organization
