"""All settings, read once from the environment by the entry points."""

import ipaddress
import os
import secrets
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec

from fullhouse.kit.errors import OperatorError
from fullhouse.kit.http.peer import Network
from fullhouse.kit.media.files import Bucket
from fullhouse.kit.postgres import default_home
from fullhouse.payments.model import StripeKeys

SECRET_LENGTH_MIN = 32


class ConfigError(OperatorError):
    """A setting is wrong."""


class Setting(NamedTuple):
    name: str
    default: str
    description: str


SETTINGS = (
    Setting("FULLHOUSE_HOST", "127.0.0.1", "address to listen on; 0.0.0.0 for all"),
    Setting("FULLHOUSE_PORT", "8000", "port to listen on"),
    Setting("FULLHOUSE_URL", "http://{host}:{port}", "public address; links in emails begin with it"),
    Setting("FULLHOUSE_HOME", "", "state folder; /var/lib/fullhouse for root, else ~/.local/share/fullhouse"),
    Setting("FULLHOUSE_PROCESSES", "1", "number of API processes"),
    Setting(
        "FULLHOUSE_SECRET_KEY",
        "",
        "signs cursors and encrypts secrets; if unset, generated and stored in the state folder",
    ),
    Setting("FULLHOUSE_TRUSTED_PROXIES", "", "networks of proxies whose X-Forwarded-For is trusted, e.g. 10.0.0.0/8"),
    Setting(
        "FULLHOUSE_CORS_ORIGINS",
        "",
        "origins of other sites whose pages may call the API, separated by commas; none if unset",
    ),
    Setting(
        "FULLHOUSE_METRICS_PORT", "", "metrics port of a `fullhouse worker` that runs without `serve`; none if unset"
    ),
    Setting("FULLHOUSE_LOG", "info", "debug, info, warning or error"),
    Setting("DATABASE_URL", "", "your own PostgreSQL 15 or newer; the embedded one if unset"),
    Setting(
        "DATABASE_OWNER_URL", "", "the log-in that applies migrations and creates the roles; DATABASE_URL if unset"
    ),
    Setting("DATABASE_READ_URL", "", "a read replica for public lists and searches"),
    Setting("DATABASE_CONNECTIONS", "10", "pool size of each process"),
    Setting("REDIS_URL", "", "shared cache, rate limits, and notifications between processes"),
    Setting("AMQP_URL", "", "RabbitMQ, to which facts are published for other systems"),
    Setting("SMTP_URL", "", "smtp://user:password@host:587 or smtps://…; without it emails stay in the local mailbox"),
    Setting("SMTP_FROM", "tickets@localhost", "sender of emails"),
    Setting("STRIPE_SECRET_KEY", "", "sk_… or rk_…: payments by Stripe; without it only the test provider"),
    Setting("STRIPE_WEBHOOK_SECRET", "", "whsec_…: the signing secret of Stripe's webhook"),
    Setting(
        "STRIPE_PUBLISHABLE_KEY",
        "",
        "pk_…: enables card fields on our pages; without it Stripe works through the API only",
    ),
    Setting("S3_ENDPOINT", "", "S3-compatible storage for images, https://…; the state folder if unset"),
    Setting("S3_BUCKET", "", "its bucket"),
    Setting("S3_ACCESS_KEY", "", "its access key"),
    Setting("S3_SECRET_KEY", "", "the secret of that key"),
    Setting("S3_REGION", "us-east-1", "its region"),
    Setting("FULLHOUSE_PICTURES_MB", "2048", "storage limit for the images of one organisation, in megabytes"),
    Setting("FULLHOUSE_WEBHOOKS_PRIVATE", "no", "yes: allow webhooks to http:// and to private addresses"),
    Setting("OTEL_EXPORTER_OTLP_ENDPOINT", "", "OpenTelemetry collector for traces, by HTTP"),
)


class Config(msgspec.Struct, frozen=True, kw_only=True):
    host: str
    port: int
    public_url: str
    home: Path
    processes: int
    secret_key: str | None
    trusted_proxies: tuple[Network, ...]
    cors_origins: tuple[str, ...]
    metrics_port: int | None
    log_level: str
    database_url: str | None
    database_owner_url: str | None
    database_read_url: str | None
    database_connections: int
    redis_url: str | None
    amqp_url: str | None
    smtp_url: str | None
    smtp_from: str
    stripe: StripeKeys | None
    s3: Bucket | None
    pictures_mb: int
    webhooks_private: bool
    otlp_endpoint: str | None

    @property
    def embedded(self) -> bool:
        return self.database_url is None


def load(environment: Mapping[str, str]) -> Config:
    """Validates all settings, so that a mistake stops the start and does not surface later."""
    values = {s.name: environment.get(s.name, "").strip() or s.default for s in SETTINGS}
    host, port = values["FULLHOUSE_HOST"], _parse_whole_number(values, "FULLHOUSE_PORT", 1, 65_535)
    shown_host = "localhost" if host in ("0.0.0.0", "::", "127.0.0.1") else host  # noqa: S104
    return Config(
        host=host,
        port=port,
        public_url=_parse_public_url(values["FULLHOUSE_URL"].format(host=shown_host, port=port)),
        home=Path(values["FULLHOUSE_HOME"] or default_home()).expanduser().absolute(),
        processes=_parse_whole_number(values, "FULLHOUSE_PROCESSES", 1, 64),
        secret_key=_parse_secret(values["FULLHOUSE_SECRET_KEY"]),
        trusted_proxies=_parse_networks(values["FULLHOUSE_TRUSTED_PROXIES"]),
        cors_origins=_parse_origins(values["FULLHOUSE_CORS_ORIGINS"]),
        metrics_port=_parse_whole_number(values, "FULLHOUSE_METRICS_PORT", 1, 65_535)
        if values["FULLHOUSE_METRICS_PORT"]
        else None,
        log_level=_parse_choice(values, "FULLHOUSE_LOG", ("debug", "info", "warning", "error")),
        database_url=_parse_url(values, "DATABASE_URL", "postgresql", "postgres"),
        database_owner_url=_parse_url(values, "DATABASE_OWNER_URL", "postgresql", "postgres")
        or _parse_url(values, "DATABASE_URL", "postgresql", "postgres"),
        database_read_url=_parse_url(values, "DATABASE_READ_URL", "postgresql", "postgres"),
        database_connections=_parse_whole_number(values, "DATABASE_CONNECTIONS", 2, 200),
        redis_url=_parse_url(values, "REDIS_URL", "redis", "rediss", "unix"),
        amqp_url=_parse_server_url(values, "AMQP_URL", "amqp", "amqps"),
        smtp_url=_parse_server_url(values, "SMTP_URL", "smtp", "smtps"),
        smtp_from=values["SMTP_FROM"],
        stripe=_parse_stripe(values),
        s3=_parse_bucket(values),
        pictures_mb=_parse_whole_number(values, "FULLHOUSE_PICTURES_MB", 1, 10_000_000),
        webhooks_private=_parse_choice(values, "FULLHOUSE_WEBHOOKS_PRIVATE", ("yes", "no")) == "yes",
        otlp_endpoint=_parse_url(values, "OTEL_EXPORTER_OTLP_ENDPOINT", "http", "https"),
    )


def make_home(config: Config) -> None:
    """Creates the state folder. It is private; as root it must be passable for the database's own account."""
    config.home.mkdir(mode=0o700 if os.geteuid() else 0o755, parents=True, exist_ok=True)


def load_secret_key(config: Config) -> str:
    """The configured key, or the one in the state folder, generated on the first start."""
    if config.secret_key:
        return config.secret_key
    make_home(config)
    path = config.home / "secret.key"
    if not path.exists():
        _write_secret(path)
    key = path.read_text().strip()
    if len(key) < SECRET_LENGTH_MIN:
        raise ConfigError(f"{path} is damaged. Restore it from a backup; or delete it, which signs everyone out.")
    return key


def _write_secret(path: Path) -> None:
    """Atomic, and never replaces a file: of two concurrent starts one wins, and both use its key."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".secret-")
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(48))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(name, path)
    finally:
        os.unlink(name)


def _parse_whole_number(values: Mapping[str, str], name: str, low: int, high: int) -> int:
    try:
        number = int(values[name])
    except ValueError:
        number = low - 1
    if not low <= number <= high:
        raise ConfigError(f"{name} must be a whole number from {low} to {high}, not “{values[name]}”.")
    return number


def _parse_choice(values: Mapping[str, str], name: str, allowed: tuple[str, ...]) -> str:
    if values[name].lower() not in allowed:
        raise ConfigError(f"{name} must be one of {', '.join(allowed)}, not “{values[name]}”.")
    return values[name].lower()


def _parse_url(values: Mapping[str, str], name: str, *schemes: str) -> str | None:
    if not values[name]:
        return None
    if values[name].partition(":")[0].lower() not in schemes:
        raise ConfigError(f"{name} must begin with {schemes[0]}://.")  # the value may contain a password: not shown
    return values[name]


def _parse_server_url(values: Mapping[str, str], name: str, *schemes: str) -> str | None:
    """The URL of a server. Detects an unescaped / or # in the password, which would end the host part too early."""
    if (url := _parse_url(values, name, *schemes)) is None:
        return None
    try:
        parts = urlsplit(url)
        readable = parts.hostname and parts.port != 0 and "@" not in parts.path + parts.query + parts.fragment
    except ValueError:  # whose message quotes the value
        readable = False
    if not readable:
        raise ConfigError(
            f"{name} must look like {schemes[0]}://user:password@host:port; in a password, / is written %2F, # is %23, "
            "? is %3F, @ is %40 and : is %3A."
        )
    return url


def _parse_stripe(values: Mapping[str, str]) -> StripeKeys | None:
    """Messages name the expected prefixes only, never the values."""
    key, secret = values["STRIPE_SECRET_KEY"], values["STRIPE_WEBHOOK_SECRET"]
    public = values["STRIPE_PUBLISHABLE_KEY"]
    if key and not key.startswith(("sk_", "rk_")):
        raise ConfigError("STRIPE_SECRET_KEY must begin with sk_ or rk_; a publishable key (pk_) cannot take payments.")
    if secret and not secret.startswith("whsec_"):
        raise ConfigError("STRIPE_WEBHOOK_SECRET must begin with whsec_.")
    if public and not public.startswith("pk_"):
        raise ConfigError("STRIPE_PUBLISHABLE_KEY must begin with pk_; every buyer's browser sees it.")
    if (secret or public) and not key:
        raise ConfigError("STRIPE_SECRET_KEY must be set as well: the other keys alone cannot take payments.")
    return StripeKeys(secret_key=key, webhook_secret=secret or None, publishable_key=public or None) if key else None


def _parse_bucket(values: Mapping[str, str]) -> Bucket | None:
    """All four settings or none; otherwise the first upload would fail."""
    names = ("S3_ENDPOINT", "S3_BUCKET", "S3_ACCESS_KEY", "S3_SECRET_KEY")
    if missing := [name for name in names if not values[name]]:
        if len(missing) < len(names):
            raise ConfigError(f"{', '.join(missing)} must be set as well: S3 storage needs all of {', '.join(names)}.")
        return None
    endpoint = _parse_url(values, "S3_ENDPOINT", "https", "http")
    assert endpoint
    if not urlsplit(endpoint).netloc or urlsplit(endpoint).query or "@" in endpoint:
        raise ConfigError(
            "S3_ENDPOINT must look like https://s3.example.org; the key is in S3_ACCESS_KEY and S3_SECRET_KEY."
        )
    return Bucket(
        endpoint=endpoint,
        bucket=values["S3_BUCKET"],
        access_key=values["S3_ACCESS_KEY"],
        secret_key=values["S3_SECRET_KEY"],
        region=values["S3_REGION"],
    )


def _parse_public_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ConfigError(f"FULLHOUSE_URL must look like https://tickets.example.org, not “{url}”.")
    return url.rstrip("/")


def _parse_secret(key: str) -> str | None:
    if key and len(key) < SECRET_LENGTH_MIN:
        raise ConfigError(
            "FULLHOUSE_SECRET_KEY must have at least 32 characters; generate one with `openssl rand -base64 48`."
        )
    return key or None


def _parse_networks(text: str) -> tuple[Network, ...]:
    try:
        return tuple(ipaddress.ip_network(part.strip()) for part in text.split(",") if part.strip())
    except ValueError as error:
        raise ConfigError(f"FULLHOUSE_TRUSTED_PROXIES must list networks such as 10.0.0.0/8 ({error}).") from None


def _parse_origins(text: str) -> tuple[str, ...]:
    origins = tuple(part.strip().rstrip("/") for part in text.split(",") if part.strip())
    for origin in origins:
        if urlsplit(origin).scheme not in ("http", "https") or urlsplit(origin).path:
            raise ConfigError(f"FULLHOUSE_CORS_ORIGINS must list origins such as https://example.org, not “{origin}”.")
    return origins
