"""Who does something, for the audit; and what a signed-in caller may do, for the guard."""

from uuid import UUID

import msgspec


class Actor(msgspec.Struct, frozen=True, kw_only=True):
    """The author of a change. `type` is user, api_key, device, platform or system."""

    type: str
    id: UUID | None = None
    name: str | None = None
    ip: str | None = None
    user_agent: str | None = None
    request_id: str | None = None
    language: str | None = None  # in which they read, if they say so and we can meet it


SYSTEM = Actor(type="system", name="fullhouse")


class Principal(msgspec.Struct, frozen=True, kw_only=True):
    """A caller whose token was good: one person or key in one organisation, with the actions open to it."""

    organization_id: UUID
    actor: Actor
    role: str
    allowed: frozenset[str]
    session_id: UUID | None = None
    credential: bytes = b""
    """The digest of the session's token: what is bound to it is good together with that token only."""

    def coming_from(
        self, ip: str | None, user_agent: str | None, request_id: str | None, language: str | None = None
    ) -> "Principal":
        """The same caller, in a request: what the audit says of it, and in which language they read."""
        who = self.actor
        return Principal(
            organization_id=self.organization_id,
            actor=Actor(
                type=who.type,
                id=who.id,
                name=who.name,
                ip=ip,
                user_agent=user_agent,
                request_id=request_id,
                language=language,
            ),
            role=self.role,
            allowed=self.allowed,
            session_id=self.session_id,
            credential=self.credential,
        )

    @property
    def id(self) -> UUID:
        assert self.actor.id is not None
        return self.actor.id
