"""The configuration: environment variables with the prefix `ALLCLOSE_`, which only entry points read.

To add a setting of one process and its machine, add a field to `Settings`, with bounds and a description, and a row to
`docs/configuration.md`. Entry points pass its value down. If an option of `allclose serve` sets it for the worker too,
add it to `_environment` in `app/cli/supervisor.py`. A setting for everyone belongs to `app/policy.py`.
"""

import os
from difflib import get_close_matches
from functools import cached_property
from ipaddress import ip_network
from pathlib import Path
from typing import Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from app.capacity import count_slots
from app.errors import AllcloseError
from app.validation import WrongValue, list_wrong

PREFIX = "ALLCLOSE_"
ROOT = Path(__file__).parent.parent

# The optimizations of judging that can be switched off. docs/performance.md describes each.
OPTIMIZATIONS = (
    "mlir_context",
    "executables",
    "compile_options",
    "library_cache",
    "parallel_runs",
)

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})

# Settings that can also come from a file, named by `<name>_FILE`, like Docker secrets.
SECRETS = ("database_url", "admin_password", "smtp_password", "oidc_client_secret", "token")


class BadSetting(AllcloseError):
    """A setting is unknown or its value is invalid. The message has one sentence per setting."""


class Settings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)

    database_url: str | None = Field(
        None, description="a PostgreSQL URL; without one, Allclose starts an embedded server"
    )
    data: Path = Field(ROOT / "data", description="folder for the embedded database and caches")
    problems: Path = Field(ROOT / "problems", description="folder of the problem packages")
    runtime: Path = Field(ROOT / ".runtime", description="virtual environment with the frameworks for boxes")
    admin_password: str | None = Field(
        None, repr=False, description="the password of the first admin; without one, the first start prints one"
    )
    host: str = "127.0.0.1"
    port: int = Field(8000, ge=0, le=65535)
    sandbox: Literal["auto", "docker", "bubblewrap"] = "auto"
    image_cpu: str = Field("allclose-cpu", description="Docker image of the boxes")
    image_cuda: str = Field("allclose-cuda", description="Docker image of the boxes that have a GPU")
    docker_runtime: str | None = Field(None, description="an OCI runtime of the engine, such as runsc")
    docker_apparmor: str | None = Field(None, description="an AppArmor profile for boxes, instead of the engine's")
    isolation: Literal["any", "namespaces"] = Field("any", description="'namespaces' refuses hosts without them")
    log_format: Literal["text", "json"] = Field("text", description="lines of text, or JSON objects")
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    slots: int | None = Field(
        None, ge=1, le=256, description="parallel judgings in one worker; default: as cores and memory allow"
    )
    max_runs: int = Field(
        200, ge=1, description="processes that one box may start; most submissions take two; 1 = never reuse a box"
    )
    optimizations: str = Field(
        ",".join(OPTIMIZATIONS), description="optimizations of judging, separated by commas (docs/performance.md)"
    )
    secure_cookies: bool = Field(
        False, description="send session cookies over HTTPS only; an https public_url does too"
    )
    public_url: str | None = Field(None, description="the address of the pages; links in mails begin with it")
    trusted_proxies: str = Field(
        "", description="addresses or networks of proxies whose X-Forwarded-For is trusted, separated by commas"
    )
    smtp_host: str | None = Field(None, description="the mail server; without one, the admin gets the links")
    smtp_port: int = Field(587, ge=1, le=65535)
    smtp_user: str | None = None
    smtp_password: str | None = Field(None, repr=False)
    smtp_from: str | None = Field(None, description="the sender's address, such as allclose@example.org")
    smtp_security: Literal["starttls", "tls", "none"] = "starttls"
    oidc_issuer: str | None = Field(None, description="the issuer URL of an OpenID Connect provider")
    oidc_client_id: str | None = Field(None, description="the client ID that the provider gave this deployment")
    oidc_client_secret: str | None = Field(None, repr=False)
    oidc_name: str = Field("single sign-on", max_length=60, description="the provider's name on the sign-in button")
    oidc_scopes: str = Field("openid profile email", pattern=r"^openid( \S+)*$")
    lti_private_hosts: str = Field(
        "", description="hosts of learning platforms that may have private addresses, separated by commas"
    )
    server: str = Field("http://127.0.0.1:8000", description="for `allclose submit`: the server's address")
    token: str | None = Field(None, description="for `allclose submit`: your API token")

    @field_validator("server")
    @classmethod
    def _normalise_server(cls, server: str) -> str:
        """Remove a trailing slash, since tokens are saved by address."""
        if not server.startswith(("http://", "https://")):
            raise ValueError("an address begins with http:// or https://")
        return server.rstrip("/")

    @field_validator("public_url", "oidc_issuer")
    @classmethod
    def _check_address(cls, url: str | None) -> str | None:
        parts = urlsplit(url or "http://left.out")
        if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
            raise ValueError("an address begins with http:// or https:// and has no ? or #")
        return url

    @field_validator("public_url")
    @classmethod
    def _check_path(cls, url: str | None) -> str | None:
        if urlsplit(url or "").path.strip("/"):
            raise ValueError("the address must not have a path; use a separate host name or port")
        return url

    @field_validator("optimizations")
    @classmethod
    def _check_optimizations(cls, names: str) -> str:
        unknown = sorted(set(_parts(names)) - set(OPTIMIZATIONS))
        if unknown:
            raise ValueError(f"unknown optimization {', '.join(unknown)}; known are {', '.join(OPTIMIZATIONS)}")
        return names

    @field_validator("trusted_proxies")
    @classmethod
    def _check_networks(cls, proxies: str) -> str:
        for proxy in _parts(proxies):
            try:
                ip_network(proxy)
            except ValueError as error:
                raise ValueError(f"{error}; write such as 127.0.0.1 or 10.0.0.0/8, separated by commas") from None
        return proxies

    @model_validator(mode="after")
    def _check_related_settings(self) -> Self:
        if self.smtp_host and not self.smtp_from:
            raise ValueError("ALLCLOSE_SMTP_HOST needs ALLCLOSE_SMTP_FROM, the sender's address")
        if self.oidc_issuer and not self.oidc_client_id:
            raise ValueError("ALLCLOSE_OIDC_ISSUER needs ALLCLOSE_OIDC_CLIENT_ID, the provider's ID for Allclose")
        return self

    @property
    def base_url(self) -> str:
        """The beginning of links. It never comes from a request's headers, which an attacker could forge."""
        if self.public_url:
            return self.public_url.rstrip("/")
        host = "localhost" if self.host in ("0.0.0.0", "::", "") else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    @property
    def has_https(self) -> bool:
        return self.secure_cookies or self.base_url.startswith("https://")

    @property
    def is_local(self) -> bool:
        """Whether the pages have an address on the loopback interface: a trial on one machine."""
        return urlsplit(self.base_url).hostname in LOOPBACK

    @property
    def chosen_lti_private_hosts(self) -> frozenset[str]:
        return frozenset(_parts(self.lti_private_hosts.lower()))

    @property
    def chosen_optimizations(self) -> tuple[str, ...]:
        return tuple(_parts(self.optimizations))

    @cached_property
    def worker_slots(self) -> int:
        """The number of parallel judgings, computed once because the free memory changes."""
        return self.slots or count_slots()


def _parts(text: str) -> list[str]:
    return [part for part in (part.strip() for part in text.split(",")) if part]


def read_settings(**overrides: object) -> Settings:
    """Read the environment. Overrides that are not None take precedence. Raises BadSetting."""
    variables = {PREFIX + name.upper(): name for name in Settings.model_fields}
    known = variables.keys() | {_file_of(name) for name in SECRETS}
    unknown = sorted(name for name in os.environ if name.upper().startswith(PREFIX) and name not in known)
    if unknown:
        raise BadSetting(_why_unknown(unknown, known))
    given = {name: os.environ[variable] for variable, name in variables.items() if variable in os.environ}
    chosen = {name: value for name, value in overrides.items() if value is not None}
    try:
        return Settings.model_validate({**given, **_read_secrets(), **chosen})
    except ValidationError as error:
        raise BadSetting("; ".join(map(_sentence, list_wrong(error)))) from None


def _file_of(name: str) -> str:
    return f"{PREFIX}{name.upper()}_FILE"


def _read_secrets() -> dict[str, object]:
    """Read the secrets' files. Raises BadSetting, whose message never has a file's content."""
    files = {name: os.environ[_file_of(name)] for name in SECRETS if _file_of(name) in os.environ}
    return {name: _read_secret(name, Path(file)) for name, file in files.items()}


def _read_secret(name: str, file: Path) -> str:
    if f"{PREFIX}{name.upper()}" in os.environ:
        raise BadSetting(f"{PREFIX}{name.upper()} and {_file_of(name)} are both set: unset one of them")
    try:
        secret = file.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise BadSetting(
            f"{_file_of(name)} names {file}, which can't be read ({reason}): write the secret into it"
        ) from None
    if not secret:
        raise BadSetting(f"{_file_of(name)} names {file}, which is empty: write the secret into it")
    return secret


def _why_unknown(unknown: list[str], known: set[str]) -> str:
    endings = sorted(name.removeprefix(PREFIX) for name in known)
    near = [
        f"{PREFIX}{end}" for name in unknown for end in get_close_matches(name[len(PREFIX) :].upper(), endings, n=1)
    ]
    remedy = f"did you mean {', '.join(near)}?" if near else "correct it or unset it."
    return f"unknown setting {', '.join(unknown)}: {remedy} docs/configuration.md lists all"


def _sentence(wrong: WrongValue) -> str:
    return wrong.sentence(f"{PREFIX}{wrong.field.upper()}")
