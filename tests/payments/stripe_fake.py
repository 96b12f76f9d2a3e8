"""A Stripe of our own on loopback, as far as payments go: it remembers by idempotency key, moves its intents through
their states, signs its webhooks, and breaks down when told to. The official client talks to it.
"""

import asyncio
import json
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qsl

import stripe

SECRET, WEBHOOK_SECRET = "sk_test_fake", "whsec_fake"
OPEN = ("requires_payment_method", "requires_confirmation", "requires_action", "requires_capture")


class Refused(Exception):
    def __init__(self, status: int, kind: str, message: str, code: str | None = None) -> None:
        self.status = status
        self.body = {"error": {"type": kind, "message": message} | ({"code": code} if code else {})}


class StripeFake:
    """What happens to the next calls is said by `faults`: words that are used up, one for each call.

    500          it breaks down before it does anything
    lost         it does it, and the answer is lost
    hang         it does it, and never answers
    """

    def __init__(self) -> None:
        self.address = ""
        self.intents: dict[str, dict[str, Any]] = {}
        self.refunds: dict[str, dict[str, Any]] = {}
        self.events: list[dict[str, Any]] = []
        self.kept: dict[str, tuple[str, int, Any]] = {}
        self.faults: list[str] = []
        self.calls: list[tuple[str, str]] = []
        self.refund_status = "succeeded"
        self.over = asyncio.Event()
        self._mark, self._count = secrets.token_hex(6), 0

    # --- what the world does

    def pay(self, intent_id: str, amount: int | None = None) -> None:
        """The buyer's browser, with the client secret."""
        intent = self.intents[intent_id]
        assert intent["status"] in (*OPEN, "processing"), intent["status"]
        intent["status"], intent["amount_received"] = "succeeded", amount if amount is not None else intent["amount"]
        self.tell("payment_intent.succeeded", intent)

    def move(self, intent_id: str, status: str, news: str) -> None:
        self.intents[intent_id]["status"] = status
        self.tell(f"payment_intent.{news}", self.intents[intent_id])

    def tell(self, kind: str, thing: dict[str, Any]) -> dict[str, Any]:
        self._count += 1
        event = {
            "id": f"evt_{self._count}_{self._mark}",
            "object": "event",
            "type": kind,
            "data": {"object": dict(thing)},
        }
        self.events.append(event)
        return event

    @property
    def intent(self) -> dict[str, Any]:
        (only,) = self.intents.values()
        return only

    # --- the API

    async def answer(self, method: str, path: str, form: dict[str, str], key: str | None) -> tuple[int, Any]:
        self.calls.append((method, path))
        fault = self.faults.pop(0) if self.faults else ""
        if fault == "500":
            return 500, {"error": {"type": "api_error", "message": "We are on fire."}}
        status, body = self._once(method, path, form, key)
        if fault == "hang":
            await self.over.wait()
        if fault == "lost":
            raise ConnectionError
        return status, body

    def _once(self, method: str, path: str, form: dict[str, str], key: str | None) -> tuple[int, Any]:
        """The same key gives the same answer, even if it would be another now; with another body it is refused."""
        asked = f"{method} {path} {sorted(form.items())}"
        if method == "POST" and key in self.kept:
            before, status, body = self.kept[key]
            if before != asked:
                return 400, {"error": {"type": "idempotency_error", "message": "The key was used for another request."}}
            return status, body
        try:
            status, body = 200, self._do(method, path.strip("/").split("/")[1:], form)
        except Refused as refused:
            status, body = refused.status, refused.body
        body = json.loads(json.dumps(body))
        if method == "POST" and key:
            self.kept[key] = asked, status, body
        return status, body

    def _do(self, method: str, path: list[str], form: dict[str, str]) -> Any:
        match method, path:
            case "POST", ["payment_intents"]:
                return self._make_intent(form)
            case "GET", ["payment_intents", name]:
                return self._intent(name)
            case "POST", ["payment_intents", name, "cancel"]:
                return self._cancel(self._intent(name))
            case "POST", ["refunds"]:
                return self._refund(form)
            case "GET", ["refunds"]:
                found = [one for one in self.refunds.values() if one["payment_intent"] == form["payment_intent"]]
                return {"object": "list", "data": found, "has_more": False, "url": "/v1/refunds"}
        raise Refused(404, "invalid_request_error", "No such address.")

    def _intent(self, name: str) -> dict[str, Any]:
        if name not in self.intents:
            raise Refused(404, "invalid_request_error", f"No such payment_intent: {name}", "resource_missing")
        return self.intents[name]

    def _make_intent(self, form: dict[str, str]) -> dict[str, Any]:
        if int(form["amount"]) < 50:
            raise Refused(400, "invalid_request_error", "Amount must be at least 50 cents", "amount_too_small")
        name = f"pi_{len(self.intents) + 1}_{self._mark}"
        self.intents[name] = {
            "id": name, "object": "payment_intent", "amount": int(form["amount"]), "amount_received": 0,
            "currency": form["currency"], "status": "requires_payment_method", "client_secret": f"{name}_secret",
            "metadata": _nested(form, "metadata"),
        }  # fmt: skip
        self.tell("payment_intent.created", self.intents[name])
        return self.intents[name]

    def _cancel(self, intent: dict[str, Any]) -> dict[str, Any]:
        if intent["status"] not in OPEN:
            said = f"It cannot be canceled: it is {intent['status']}."
            raise Refused(400, "invalid_request_error", said, "payment_intent_unexpected_state")
        intent["status"] = "canceled"
        self.tell("payment_intent.canceled", intent)
        return intent

    def _refund(self, form: dict[str, str]) -> dict[str, Any]:
        intent, amount = self._intent(form["payment_intent"]), int(form["amount"])
        its = [one for one in self.refunds.values() if one["payment_intent"] == intent["id"]]
        before = [one for one in its if one["status"] not in ("failed", "canceled")]
        if sum(one["amount"] for one in before) + amount > intent["amount_received"]:
            raise Refused(400, "invalid_request_error", "More than was charged", "charge_already_refunded")
        name = f"re_{len(self.refunds) + 1}_{self._mark}"
        self.refunds[name] = {
            "id": name, "object": "refund", "payment_intent": intent["id"], "amount": amount,
            "currency": intent["currency"], "status": self.refund_status, "metadata": _nested(form, "metadata"),
        }  # fmt: skip
        self.tell("refund.created", self.refunds[name])
        return self.refunds[name]

    def give_back(self, intent_id: str, amount: int) -> list[dict[str, Any]]:
        """Somebody in the dashboard: nothing of ours is in it. It is told twice, of the refund and of its charge."""
        self._refund({"payment_intent": intent_id, "amount": str(amount)})
        self.tell("charge.refunded", {"id": f"ch_{intent_id}", "object": "charge", "payment_intent": intent_id})
        return self.events[-2:]

    def end_refund(self, name: str, status: str, reason: str | None = None) -> None:
        self.refunds[name] |= {"status": status, "failure_reason": reason}
        self.tell("refund.failed" if status == "failed" else "refund.updated", self.refunds[name])

    def forget_keys(self) -> None:
        """A day has passed."""
        self.kept.clear()


def signed(event: Any, *, secret: str = WEBHOOK_SECRET, age_s: float = 0) -> tuple[bytes, dict[str, str]]:
    """A webhook's body and headers, as Stripe sends them."""
    raw = event if isinstance(event, str) else json.dumps(event, indent=2)
    header = stripe.WebhookSignature.generate_signature_header(raw, secret, int(time.time() - age_s))
    return raw.encode(), {"stripe-signature": header, "content-type": "application/json; charset=utf-8"}


def _nested(form: dict[str, str], name: str) -> dict[str, str]:
    return {key[len(name) + 1 : -1]: value for key, value in form.items() if key.startswith(f"{name}[")}


@asynccontextmanager
async def running() -> AsyncIterator[StripeFake]:
    fake = StripeFake()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while request := await _read(reader):
                status, body = await fake.answer(*request)
                raw = json.dumps(body).encode()
                writer.write(
                    f"HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {len(raw)}\r\n"
                    "request-id: req_1\r\n\r\n".encode()
                    + raw
                )
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    fake.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield fake
    finally:
        fake.over.set()
        server.close()


async def _read(reader: asyncio.StreamReader) -> tuple[str, str, dict[str, str], str | None] | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    except asyncio.IncompleteReadError:
        return None
    method, target, _ = head[0].split()
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
    assert headers["authorization"] == f"Bearer {SECRET}"
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    path, _, query = target.partition("?")
    return method, path, dict(parse_qsl(query) + parse_qsl(body.decode())), headers.get("idempotency-key")
