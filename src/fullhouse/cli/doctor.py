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
from fullhouse.kit.cache import optional_redis
from fullhouse.kit.db import migrate, schema
from fullhouse.kit.db.database import ROLES, connect
from fullhouse.kit.mail.mailer import Mailer
from fullhouse.kit.tasks import timeout
from fullhouse.payments.providers.test import NOTICE
from fullhouse.processes.serve import Urls

OK, WARNING, FAILED, UNUSED = "ok", "warn", "fail", "–"
REPORTED_MAX = 20
# An invalid URL raises a ValueError or an InterfaceError.
_UNAVAILABLE = (OSError, ValueError, asyncpg.PostgresError, asyncpg.InterfaceError)


class Finding(NamedTuple):
    part: str
    state: str
    what: str


async def examine(settings: Config, urls: Urls) -> list[Finding]:
    checks: dict[str, Callable[[], Awaitable[Finding]]] = {
        "state folder": lambda: _check_state_folder(settings),
        "PostgreSQL": lambda: _check_database(urls),
        "roles": lambda: _check_roles(urls),
        "migrations": lambda: _check_migrations(urls),
        "schema": lambda: _check_schema(urls),
        "owner": lambda: _check_owner(settings, urls),
        "read replica": lambda: _check_replica(settings),
        "Redis": lambda: _check_redis(settings),
        "RabbitMQ": lambda: _check_rabbitmq(settings),
        "mail": lambda: _check_mail(settings),
        "payments": lambda: _check_payments(settings),
        "webhooks": lambda: _check_webhooks(settings),
        "secret key": lambda: _check_secret_key(settings),
        "traces": lambda: _check_traces(settings),
    }
    found = [await _run_check(part, check) for part, check in checks.items()]
    return [Finding("fullhouse", OK, VERSION), *found]


async def _run_check(part: str, check: Callable[[], Awaitable[Finding]]) -> Finding:
    """A check that raises does not stop the others."""
    try:
        async with timeout(10):
            return await check()
    except TimeoutError:
        return Finding(part, FAILED, "did not respond within 10 seconds")
    except Exception as error:
        return Finding(part, FAILED, f"could not be checked: {error!r}")


async def _check_state_folder(settings: Config) -> Finding:
    free_mb = shutil.disk_usage(settings.home if settings.home.exists() else "/").free >> 20
    state = OK if free_mb > 1024 else WARNING if free_mb > 200 else FAILED
    return Finding("state folder", state, f"{settings.home}, {free_mb:,} MB free")


async def _check_database(urls: Urls) -> Finding:
    try:
        connection = await asyncpg.connect(urls.serving, timeout=5)
    except _UNAVAILABLE as error:
        return Finding("PostgreSQL", FAILED, f"unavailable: {error}")
    try:
        version = (await connection.fetchval("SHOW server_version")).split()[0]
        text = f"{version} as {await connection.fetchval('SELECT session_user')}"
        if connection.get_server_version().major < 15:
            return Finding("PostgreSQL", FAILED, f"{text}: 15 or newer is needed")
        return Finding("PostgreSQL", OK, text)
    finally:
        await connection.close(timeout=2)


async def _check_roles(urls: Urls) -> Finding:
    for role in ROLES:
        try:
            connection = await connect(urls.serving, role)
        except _UNAVAILABLE as error:
            return Finding("roles", FAILED, f"cannot act as {role}: {error}")
        try:
            if await connection.fetchval("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"):
                return Finding("roles", FAILED, f"{role} bypasses row-level security: revoke SUPERUSER and BYPASSRLS")
        finally:
            await connection.close(timeout=2)
    return Finding("roles", OK, ", ".join(ROLES))


async def _check_migrations(urls: Urls) -> Finding:
    try:
        connection = await asyncpg.connect(urls.owner, timeout=5)
    except _UNAVAILABLE as error:
        return Finding("migrations", FAILED, f"the owner's log-in does not work: {error}")
    try:
        waiting = await migrate.list_pending(connection)
    except migrate.MigrationError as error:
        return Finding("migrations", FAILED, str(error))
    except asyncpg.InsufficientPrivilegeError:
        return Finding("migrations", FAILED, "the owner's log-in may not read them: set DATABASE_OWNER_URL")
    finally:
        await connection.close(timeout=2)
    if waiting:
        return Finding(
            "migrations", FAILED, f"not applied: {migrate.summarise_names(waiting)}. Run `fullhouse migrate`"
        )
    return Finding("migrations", OK, "all applied")


async def _check_schema(urls: Urls) -> Finding:
    connection = await asyncpg.connect(urls.owner, timeout=5)
    try:
        if await migrate.list_pending(connection):
            return Finding("schema", UNUSED, "not compared: migrations have not been applied")
        wrong = await schema.find_disagreements(connection)
    finally:
        await connection.close(timeout=2)
    if not wrong:
        return Finding("schema", OK, "functions, triggers and policies are as shipped")
    more = f"; and {len(wrong) - REPORTED_MAX} more" if len(wrong) > REPORTED_MAX else ""
    return Finding("schema", FAILED, "; ".join(wrong[:REPORTED_MAX]) + more)


async def _check_owner(settings: Config, urls: Urls) -> Finding:
    if settings.embedded:
        return Finding("owner", OK, "separate from the serving log-in")
    if urls.owner == urls.serving:
        return Finding(
            "owner", WARNING, "the serving log-in owns the tables: give DATABASE_OWNER_URL a log-in of its own"
        )
    return Finding("owner", OK, "separate from the serving log-in")


async def _check_replica(settings: Config) -> Finding:
    if settings.database_read_url is None:
        return Finding("read replica", UNUSED, "DATABASE_READ_URL is not set; reads go to the primary")
    try:
        connection = await asyncpg.connect(settings.database_read_url, timeout=5)
    except _UNAVAILABLE as error:
        return Finding("read replica", FAILED, f"unavailable: {error}")
    version = (await connection.fetchval("SHOW server_version")).split()[0]
    await connection.close(timeout=2)
    return Finding("read replica", OK, version)


async def _check_redis(settings: Config) -> Finding:
    if settings.redis_url is None:
        return Finding("Redis", UNUSED, "REDIS_URL is not set; processes notify each other through PostgreSQL")
    client = optional_redis.make_client(settings.redis_url)
    try:
        version = (await client.info("server"))["redis_version"]
    except (OSError, optional_redis.RedisError) as error:
        return Finding("Redis", FAILED, f"unavailable: {error}")
    finally:
        await client.aclose()
    return Finding("Redis", OK, str(version))


async def _check_rabbitmq(settings: Config) -> Finding:
    if settings.amqp_url is None:
        return Finding("RabbitMQ", UNUSED, "AMQP_URL is not set; facts are not sent to other systems")
    try:
        connection = await aio_pika.connect(settings.amqp_url, timeout=5)
    except (OSError, TimeoutError, aio_pika.exceptions.AMQPError) as error:
        return Finding("RabbitMQ", FAILED, f"unavailable: {error!r}")
    properties = connection.transport.connection.server_properties if connection.transport else {}
    await connection.close()
    return Finding("RabbitMQ", OK, str(properties.get("version", "unknown version")))


async def _check_mail(settings: Config) -> Finding:
    if settings.smtp_url is None:
        return Finding(
            "mail", WARNING, "SMTP_URL is not set; emails are not sent, and stay in the mailbox (GET /api/org/mailbox)"
        )
    try:
        greeting = await asyncio.to_thread(Mailer(settings.smtp_url, settings.smtp_from).check_connection)
    except (OSError, smtplib.SMTPException) as error:
        return Finding("mail", FAILED, f"unavailable: {error}")
    return Finding("mail", OK, f"from {settings.smtp_from}, {greeting}")


async def _check_payments(settings: Config) -> Finding:
    if settings.stripe is None:
        return Finding("payments", WARNING, f"STRIPE_SECRET_KEY is not set, so the test provider is enabled. {NOTICE}")
    mode = "in Stripe's test mode" if "_test_" in settings.stripe.secret_key else "by Stripe"
    if settings.stripe.webhook_secret is None:
        what = f"{mode}; STRIPE_WEBHOOK_SECRET is not set: payments are polled every few seconds, and settled late"
        return Finding("payments", WARNING, what)
    return Finding("payments", OK, f"{mode}, with its webhook at {settings.public_url}/api/payments/stripe/webhook")


async def _check_webhooks(settings: Config) -> Finding:
    if settings.webhooks_private:
        what = "FULLHOUSE_WEBHOOKS_PRIVATE is set: every organisation can reach your own network through webhooks"
        return Finding("webhooks", WARNING, what)
    return Finding("webhooks", OK, "to public addresses by https only")


async def _check_traces(settings: Config) -> Finding:
    if settings.otlp_endpoint is None:
        return Finding("traces", UNUSED, "OTEL_EXPORTER_OTLP_ENDPOINT is not set")
    parts = urlsplit(settings.otlp_endpoint)
    try:
        _, writer = await asyncio.open_connection(
            parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)
        )
    except OSError as error:
        return Finding("traces", FAILED, f"the collector is unavailable: {error}")
    writer.close()
    return Finding("traces", OK, settings.otlp_endpoint)


async def _check_secret_key(settings: Config) -> Finding:
    if settings.secret_key:
        return Finding("secret key", OK, "FULLHOUSE_SECRET_KEY")
    state = OK if settings.embedded else WARNING
    advice = "" if settings.embedded else "; every machine needs the same one: set FULLHOUSE_SECRET_KEY"
    return Finding("secret key", state, f"{settings.home / 'secret.key'}{advice}")
