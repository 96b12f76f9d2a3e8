"""Devices: paired by a short code, revoked at once."""

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
from fullhouse.kit.codes import new_code, typed
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import FieldError, Invalid
from fullhouse.kit.ids import new_id
from fullhouse.kit.media.qr import qr_svg
from fullhouse.kit.messages.outbox import announce
from fullhouse.kit.secrets import Keyring, Kind
from fullhouse.kit.services import Services
from fullhouse.scanning import store
from fullhouse.scanning.facts import DevicePaired, DeviceRevoked
from fullhouse.scanning.model import (
    Device,
    DeviceNotFound,
    FormerPairing,
    NewDevice,
    NewPairing,
    NotItsFormerSelf,
    Pair,
    Paired,
    PairingFailed,
)

CODE_TTL = timedelta(minutes=10)
KEY = "scan-device-key"
FORMER = b"former pairing:"


async def add(tx: Tx, who: Principal, public_url: str, wish: NewDevice) -> NewPairing:
    """The device itself comes later, with the code, which is behind the link's `#`: no log has it."""
    assert tx.organization_id
    await events.get_event(tx, wish.event_id)
    gates = await store.gates_of_show(tx, event_id=wish.event_id, gate_ids=wish.gate_ids)
    if {gate.id for gate in gates} != set(wish.gate_ids):
        raise Invalid(fields=[FieldError("gate_ids", "The show's venue has no such gate.")])
    code = new_code()
    expires_at = await tx.now() + CODE_TTL
    device = await store.insert_device(
        tx,
        id=new_id(),
        event_id=wish.event_id,
        name=wish.name,
        gate_ids=list(dict.fromkeys(wish.gate_ids)),
        rights=sorted(set(wish.rights)),
        code_hash=secrets.digest(code),
        code_expires_at=expires_at,
        created_by=who.id,
    )
    assert device
    after = {"event_id": device.event_id, "name": device.name, "gate_ids": device.gate_ids, "rights": device.rights}
    await audit.write(tx, "scan_device.added", "scan_device", device.id, after=after)
    house = await accounts.get_profile(tx)
    link = f"{public_url}/scan/#{house.slug}/{code}"
    drawn = await asyncio.to_thread(qr_svg, link)
    return NewPairing(
        id=device.id,
        code=code,
        organization=house.slug,
        link=link,
        qr=drawn.decode(),
        expires_at=expires_at,
        device=device,
    )


async def pair(services: Services, actor: Actor, wish: Pair) -> Paired:
    """Whoever brings the code is the device. A wrong organisation and a wrong code are refused alike."""
    async with services.database.nobody() as nobody:
        house = await store.house_by_slug(nobody, wish.organization)
    if house is None:
        raise PairingFailed()
    token, key = secrets.mint(Kind.DEVICE, house), os.urandom(32)
    sealed = services.keyring.seal(KEY, key)
    async with services.database.tenant(house, actor) as tx:
        device = await store.pair_device(
            tx,
            code_hash=secrets.digest(typed(wish.code)),
            token_hash=secrets.digest(token),
            sealed_key=sealed,
            app_version=wish.app_version,
        )
        if device is None:
            raise PairingFailed()
        tx.actor = Actor(type="device", id=device.id, name=device.name, ip=actor.ip, user_agent=actor.user_agent)
        await audit.write(tx, "scan_device.paired", "scan_device", device.id, after={"app_version": wish.app_version})
        await announce(tx, DevicePaired(subject_id=device.id, event_id=device.event_id))
        gates = await store.gates_of_show(tx, event_id=device.event_id, gate_ids=device.gate_ids)
        locale = (await accounts.get_profile(tx)).locale
    public = signing_key(services.keyring, house).public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    return Paired(token=token, key=key, verify_key=public, device=device, gates=gates, locale=locale)


async def revoke(tx: Tx, device_id: UUID) -> None:
    """Its next request is refused."""
    device = await store.revoke_device(tx, device_id)
    if device is None:
        raise DeviceNotFound
    accounts.forget(tx, device.id)
    await audit.write(tx, "scan_device.revoked", "scan_device", device.id, before={"name": device.name})
    await announce(tx, DeviceRevoked(subject_id=device.id, event_id=device.event_id))


async def get_device(tx: Tx, who: Principal) -> Device:
    """The device that asks."""
    device = await store.device_by_id(tx, who.id) if who.role == "device" else None
    if device is None:
        raise DeviceNotFound
    return device


async def former_selves(tx: Tx, event_id: UUID, named: Sequence[FormerPairing]) -> dict[UUID, Device]:
    """The devices that this one says it was, if it proves each, and all were paired with the same show."""
    if not named:
        return {}
    rows = await store.former_devices(tx, event_id=event_id, device_ids=[one.device_id for one in named])
    known = {row.device.id: row for row in rows}
    for one in named:
        row = known.get(one.device_id)
        if row is None or not hmac.compare_digest(proof_of(row.token_hash), one.proof):
            raise NotItsFormerSelf()
    return {row.device.id: row.device for row in rows}


def proof_of(token_hash: bytes) -> bytes:
    """That somebody has had a token. It opens nothing, so that a device may keep it when the token must go."""
    return hashlib.sha256(FORMER + token_hash).digest()


def signing_key(keyring: Keyring, organization_id: UUID) -> Ed25519PrivateKey:
    """What snapshots of an organisation are signed with: made anew from the house's secret, and stored nowhere."""
    return Ed25519PrivateKey.from_private_bytes(keyring.key(f"scan-snapshot:{organization_id}"))
