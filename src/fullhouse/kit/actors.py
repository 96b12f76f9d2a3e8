"""Actors (the authors of changes, for the audit) and principals (authenticated callers and their permitted actions)."""

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
    language: str | None = None  # the language requested, if it is one that we support


SYSTEM = Actor(type="system", name="fullhouse")


class Principal(msgspec.Struct, frozen=True, kw_only=True):
    """An authenticated caller: one user or API key in one organisation, with the actions that it is allowed."""

    organization_id: UUID
    actor: Actor
    role: str
    allowed: frozenset[str]
    session_id: UUID | None = None
    credential: bytes = b""
    """The digest of the session's token. What is bound to it is valid only together with that token."""

    def with_request(
        self, ip: str | None, user_agent: str | None, request_id: str | None, language: str | None = None
    ) -> "Principal":
        """A copy with the details of one request: what the audit records of it, and the language requested."""
        actor = self.actor
        return Principal(
            organization_id=self.organization_id,
            actor=Actor(
                type=actor.type,
                id=actor.id,
                name=actor.name,
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
