"""Scanning devices: paired by a short code, revoked immediately."""

import asyncio
import hashlib
import hmac
import os
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from fullhouse.accounts import actions as accounts
from fullhouse.events import actions as events
from fullhouse.kit import secrets
from fullhouse.kit.actors import Actor, Principal
from fullhouse.kit.codes import new_code, parse_code
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import FieldError, Invalid
from fullhouse.kit.ids import new_id
from fullhouse.kit.media.qr import render_qr_svg
from fullhouse.kit.messages.outbox import announce
from fullhouse.kit.secrets import Keyring, TokenKind
from fullhouse.kit.services import Services
from fullhouse.scanning import store
from fullhouse.scanning.facts import DevicePaired, DeviceRevoked
from fullhouse.scanning.model import (
    Device,
    DeviceNotFound,
    FormerPairing,
    FormerPairingUnknown,
    NewDevice,
    NewPairing,
    Pair,
    PairingFailed,
    PairingResult,
)

CODE_TTL = timedelta(minutes=10)
KEY = "scan-device-key"
FORMER = b"former pairing:"


async def add_device(tx: Tx, who: Principal, public_url: str, request: NewDevice) -> NewPairing:
    """Creates a device, to be paired later by its code. In the link the code follows `#`, so no log contains it."""
    assert tx.organization_id
    await events.require_event(tx, request.event_id)
    gates = await store.list_gates(tx, event_id=request.event_id, gate_ids=request.gate_ids)
    if {gate.id for gate in gates} != set(request.gate_ids):
        raise Invalid(fields=[FieldError("gate_ids", "The event's venue has no such gate.")])
    code = new_code()
    expires_at = await tx.now() + CODE_TTL
    device = await store.insert_device(
        tx,
        id=new_id(),
        event_id=request.event_id,
        name=request.name,
        gate_ids=list(dict.fromkeys(request.gate_ids)),
        rights=sorted(set(request.rights)),
        code_hash=secrets.digest_token(code),
        code_expires_at=expires_at,
        created_by=who.id,
    )
    assert device
    after = {"event_id": device.event_id, "name": device.name, "gate_ids": device.gate_ids, "rights": device.rights}
    await audit.write(tx, "scan_device.added", "scan_device", device.id, after=after)
    organization = await accounts.require_profile(tx)
    link = f"{public_url}/scan/#{organization.slug}/{code}"
    qr = await asyncio.to_thread(render_qr_svg, link)
    return NewPairing(
        id=device.id,
        code=code,
        organization=organization.slug,
        link=link,
        qr=qr.decode(),
        expires_at=expires_at,
        device=device,
    )


async def pair_device(services: Services, actor: Actor, request: Pair) -> PairingResult:
    """Pairs the caller as the device of the code. A wrong organisation and a wrong code get the same refusal."""
    async with services.database.without_tenant() as tx:
        organization_id = await store.organization_id_by_slug(tx, request.organization)
    if organization_id is None:
        raise PairingFailed()
    token, key = secrets.mint(TokenKind.DEVICE, organization_id), os.urandom(32)
    sealed = services.keyring.seal(KEY, key)
    async with services.database.tenant(organization_id, actor) as tx:
        device = await store.pair_device(
            tx,
            code_hash=secrets.digest_token(parse_code(request.code)),
            token_hash=secrets.digest_token(token),
            sealed_key=sealed,
            app_version=request.app_version,
        )
        if device is None:
            raise PairingFailed()
        tx.actor = Actor(type="device", id=device.id, name=device.name, ip=actor.ip, user_agent=actor.user_agent)
        await audit.write(
            tx, "scan_device.paired", "scan_device", device.id, after={"app_version": request.app_version}
        )
        await announce(tx, DevicePaired(subject_id=device.id, event_id=device.event_id))
        gates = await store.list_gates(tx, event_id=device.event_id, gate_ids=device.gate_ids)
        locale = (await accounts.require_profile(tx)).locale
    public = signing_key(services.keyring, organization_id).public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    return PairingResult(token=token, key=key, verify_key=public, device=device, gates=gates, locale=locale)


async def revoke_device(tx: Tx, device_id: UUID) -> None:
    """Revokes a device: its next request is refused."""
    device = await store.revoke_device(tx, device_id)
    if device is None:
        raise DeviceNotFound
    accounts.evict_caller(tx, device.id)
    await audit.write(tx, "scan_device.revoked", "scan_device", device.id, before={"name": device.name})
    await announce(tx, DeviceRevoked(subject_id=device.id, event_id=device.event_id))


async def require_device(tx: Tx, who: Principal) -> Device:
    """The calling device."""
    device = await store.device_by_id(tx, who.id) if who.role == "device" else None
    if device is None:
        raise DeviceNotFound
    return device


async def check_former_pairings(tx: Tx, event_id: UUID, pairings: Sequence[FormerPairing]) -> dict[UUID, Device]:
    """The former pairings that a device claims. Refused unless each is proven and for the same event."""
    if not pairings:
        return {}
    rows = await store.former_devices(tx, event_id=event_id, device_ids=[one.device_id for one in pairings])
    known = {row.device.id: row for row in rows}
    for one in pairings:
        row = known.get(one.device_id)
        if row is None or not hmac.compare_digest(former_pairing_proof(row.token_hash), one.proof):
            raise FormerPairingUnknown()
    return {row.device.id: row.device for row in rows}


def former_pairing_proof(token_hash: bytes) -> bytes:
    """Proof of having had a token. It grants nothing, so a device may store it after deleting the token."""
    return hashlib.sha256(FORMER + token_hash).digest()


def signing_key(keyring: Keyring, organization_id: UUID) -> Ed25519PrivateKey:
    """Signs an organisation's snapshots. Derived from the installation's secret, and never stored."""
    return Ed25519PrivateKey.from_private_bytes(keyring.key(f"scan-snapshot:{organization_id}"))
