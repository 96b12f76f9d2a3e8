"""`fullhouse doctor`: what is configured, whether it responds, and at which version."""

import asyncio
import shutil
import smtplib
from collections.abc import Awaitable, Callable
from typing import NamedTuple
from urllib.parse import urlsplit

import aio_pika
import asyncpg

from fullhouse import VERSION
from fullhouse.config import Config
from fullhouse.kit.cache import warm
from fullhouse.kit.db import migrate, schema
from fullhouse.kit.db.database import ROLES, connect
from fullhouse.kit.mail.mailer import Postman
from fullhouse.payments.providers.test import NOTICE
from fullhouse.processes.serve import Urls

GOOD, WORRY, BAD, UNUSED = "ok", "warn", "fail", "–"
SAID_MAX = 20
# An invalid URL raises a ValueError or an InterfaceError.
_AWAY = (OSError, ValueError, asyncpg.PostgresError, asyncpg.InterfaceError)


class Finding(NamedTuple):
    part: str
    state: str
    what: str


async def examine(settings: Config, urls: Urls) -> list[Finding]:
    checks: dict[str, Callable[[], Awaitable[Finding]]] = {
        "state folder": lambda: _state_folder(settings),
        "PostgreSQL": lambda: _database(urls),
        "roles": lambda: _roles(urls),
        "migrations": lambda: _migrations(urls),
        "schema": lambda: _schema(urls),
        "owner": lambda: _owner(settings, urls),
        "read replica": lambda: _replica(settings),
        "Redis": lambda: _redis(settings),
        "RabbitMQ": lambda: _rabbitmq(settings),
        "mail": lambda: _mail(settings),
        "payments": lambda: _payments(settings),
        "webhooks": lambda: _webhooks(settings),
        "secret key": lambda: _secret(settings),
        "traces": lambda: _traces(settings),
    }
    found = [await _guarded(part, check) for part, check in checks.items()]
    return [Finding("fullhouse", GOOD, VERSION), *found]


async def _guarded(part: str, check: Callable[[], Awaitable[Finding]]) -> Finding:
    """A check that raises does not stop the others."""
    try:
        async with asyncio.timeout(10):
            return await check()
    except TimeoutError:
        return Finding(part, BAD, "did not respond within 10 seconds")
    except Exception as error:
        return Finding(part, BAD, f"could not be checked: {error!r}")


async def _state_folder(settings: Config) -> Finding:
    free_mb = shutil.disk_usage(settings.home if settings.home.exists() else "/").free >> 20
    state = GOOD if free_mb > 1024 else WORRY if free_mb > 200 else BAD
    return Finding("state folder", state, f"{settings.home}, {free_mb:,} MB free")


async def _database(urls: Urls) -> Finding:
    try:
        connection = await asyncpg.connect(urls.serving, timeout=5)
    except _AWAY as error:
        return Finding("PostgreSQL", BAD, f"unavailable: {error}")
    try:
        version = (await connection.fetchval("SHOW server_version")).split()[0]
        text = f"{version} as {await connection.fetchval('SELECT session_user')}"
        if connection.get_server_version().major < 15:
            return Finding("PostgreSQL", BAD, f"{text}: 15 or newer is needed")
        return Finding("PostgreSQL", GOOD, text)
    finally:
        await connection.close(timeout=2)


async def _roles(urls: Urls) -> Finding:
    for role in ROLES:
        try:
            connection = await connect(urls.serving, role)
        except _AWAY as error:
            return Finding("roles", BAD, f"cannot act as {role}: {error}")
        try:
            if await connection.fetchval("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"):
                return Finding("roles", BAD, f"{role} bypasses row-level security: revoke SUPERUSER and BYPASSRLS")
        finally:
            await connection.close(timeout=2)
    return Finding("roles", GOOD, ", ".join(ROLES))


async def _migrations(urls: Urls) -> Finding:
    try:
        connection = await asyncpg.connect(urls.owner, timeout=5)
    except _AWAY as error:
        return Finding("migrations", BAD, f"the owner's log-in does not work: {error}")
    try:
        waiting = await migrate.pending(connection)
    except migrate.MigrationError as error:
        return Finding("migrations", BAD, str(error))
    except asyncpg.InsufficientPrivilegeError:
        return Finding("migrations", BAD, "the owner's log-in may not read them: set DATABASE_OWNER_URL")
    finally:
        await connection.close(timeout=2)
    if waiting:
        return Finding("migrations", BAD, f"not applied: {migrate.in_words(waiting)}. Run `fullhouse migrate`")
    return Finding("migrations", GOOD, "all applied")


async def _schema(urls: Urls) -> Finding:
    connection = await asyncpg.connect(urls.owner, timeout=5)
    try:
        if await migrate.pending(connection):
            return Finding("schema", UNUSED, "not compared: migrations have not been applied")
        wrong = await schema.disagreements(connection)
    finally:
        await connection.close(timeout=2)
    if not wrong:
        return Finding("schema", GOOD, "functions, triggers and policies are as shipped")
    more = f"; and {len(wrong) - SAID_MAX} more" if len(wrong) > SAID_MAX else ""
    return Finding("schema", BAD, "; ".join(wrong[:SAID_MAX]) + more)


async def _owner(settings: Config, urls: Urls) -> Finding:
    if settings.embedded:
        return Finding("owner", GOOD, "separate from the serving log-in")
    if urls.owner == urls.serving:
        return Finding(
            "owner", WORRY, "the serving log-in owns the tables: give DATABASE_OWNER_URL a log-in of its own"
        )
    return Finding("owner", GOOD, "separate from the serving log-in")


async def _replica(settings: Config) -> Finding:
    if settings.database_read_url is None:
        return Finding("read replica", UNUSED, "DATABASE_READ_URL is not set; reads go to the primary")
    try:
        connection = await asyncpg.connect(settings.database_read_url, timeout=5)
    except _AWAY as error:
        return Finding("read replica", BAD, f"unavailable: {error}")
    version = (await connection.fetchval("SHOW server_version")).split()[0]
    await connection.close(timeout=2)
    return Finding("read replica", GOOD, version)


async def _redis(settings: Config) -> Finding:
    if settings.redis_url is None:
        return Finding("Redis", UNUSED, "REDIS_URL is not set; processes notify each other through PostgreSQL")
    client = warm.client(settings.redis_url)
    try:
        version = (await client.info("server"))["redis_version"]
    except (OSError, warm.RedisError) as error:
        return Finding("Redis", BAD, f"unavailable: {error}")
    finally:
        await client.aclose()
    return Finding("Redis", GOOD, str(version))


async def _rabbitmq(settings: Config) -> Finding:
    if settings.amqp_url is None:
        return Finding("RabbitMQ", UNUSED, "AMQP_URL is not set; facts are not sent to other systems")
    try:
        connection = await aio_pika.connect(settings.amqp_url, timeout=5)
    except (OSError, TimeoutError, aio_pika.exceptions.AMQPError) as error:
        return Finding("RabbitMQ", BAD, f"unavailable: {error!r}")
    properties = connection.transport.connection.server_properties if connection.transport else {}
    await connection.close()
    return Finding("RabbitMQ", GOOD, str(properties.get("version", "unknown version")))


async def _mail(settings: Config) -> Finding:
    if settings.smtp_url is None:
        return Finding(
            "mail", WORRY, "SMTP_URL is not set; emails are not sent, and stay in the mailbox (GET /api/org/mailbox)"
        )
    try:
        greeting = await asyncio.to_thread(Postman(settings.smtp_url, settings.smtp_from).greet)
    except (OSError, smtplib.SMTPException) as error:
        return Finding("mail", BAD, f"unavailable: {error}")
    return Finding("mail", GOOD, f"from {settings.smtp_from}, {greeting}")


async def _payments(settings: Config) -> Finding:
    if settings.stripe is None:
        return Finding("payments", WORRY, f"STRIPE_SECRET_KEY is not set, so the test provider is enabled. {NOTICE}")
    mode = "in Stripe's test mode" if "_test_" in settings.stripe.secret_key else "by Stripe"
    if settings.stripe.webhook_secret is None:
        what = f"{mode}; STRIPE_WEBHOOK_SECRET is not set: payments are polled every few seconds, and settled late"
        return Finding("payments", WORRY, what)
    return Finding("payments", GOOD, f"{mode}, with its webhook at {settings.public_url}/api/payments/stripe/webhook")


async def _webhooks(settings: Config) -> Finding:
    if settings.webhooks_private:
        what = "FULLHOUSE_WEBHOOKS_PRIVATE is set: every organisation can reach your own network through webhooks"
        return Finding("webhooks", WORRY, what)
    return Finding("webhooks", GOOD, "to public addresses by https only")


async def _traces(settings: Config) -> Finding:
    if settings.otlp_endpoint is None:
        return Finding("traces", UNUSED, "OTEL_EXPORTER_OTLP_ENDPOINT is not set")
    parts = urlsplit(settings.otlp_endpoint)
    try:
        _, writer = await asyncio.open_connection(
            parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)
        )
    except OSError as error:
        return Finding("traces", BAD, f"the collector is unavailable: {error}")
    writer.close()
    return Finding("traces", GOOD, settings.otlp_endpoint)


async def _secret(settings: Config) -> Finding:
    if settings.secret_key:
        return Finding("secret key", GOOD, "FULLHOUSE_SECRET_KEY")
    state = GOOD if settings.embedded else WORRY
    advice = "" if settings.embedded else "; every machine needs the same one: set FULLHOUSE_SECRET_KEY"
    return Finding("secret key", state, f"{settings.home / 'secret.key'}{advice}")
