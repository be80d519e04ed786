"""The configuration: environment variables prefixed `ALLCLOSE_`, read once, by the entry points only."""

import os
from functools import cached_property
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from app.capacity import count_slots
from app.errors import AllcloseError

PREFIX = "ALLCLOSE_"
ROOT = Path(__file__).parent.parent


class BadSetting(AllcloseError):
    """A setting is unknown or has a value that can't be used; the text is one sentence per setting."""


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="forbid", frozen=True)

    database_url: str | None = Field(None, description="a PostgreSQL URL; without one, an embedded server is started")
    data: Path = Field(ROOT / "data", description="folder for the embedded database and caches")
    problems: Path = Field(ROOT / "problems", description="folder with the problem packages")
    runtime: Path = Field(ROOT / ".runtime", description="virtual environment with the frameworks that boxes see")
    host: str = "127.0.0.1"
    port: int = Field(8000, ge=0, le=65535)
    sandbox: Literal["auto", "docker", "bubblewrap"] = "auto"
    image_cpu: str = Field("allclose-cpu", description="Docker image of the boxes")
    image_cuda: str = Field("allclose-cuda", description="Docker image of the boxes that have a GPU")
    docker_runtime: str | None = Field(None, description="an OCI runtime that the engine knows, say runsc")
    docker_apparmor: str | None = Field(None, description="an AppArmor profile for boxes, in place of the engine's")
    isolation: Literal["any", "namespaces"] = Field("any", description="'namespaces' refuses hosts without them")
    slots: int | None = Field(
        None, ge=1, le=256, description="judgings at once in one worker; default: what cores and memory allow"
    )
    max_runs: int = Field(
        200, ge=1, description="processes that one box may start for submissions, two for most; 1 = never reused"
    )
    max_pending: int = Field(20, ge=1, description="unfinished submissions that one user may have")
    requests_per_minute: int = Field(600, ge=1, description="API requests that one user or address may make")
    secure_cookies: bool = Field(False, description="send session cookies over HTTPS only")
    server: str = Field("http://127.0.0.1:8000", description="for `allclose submit`: the server's address")
    token: str | None = Field(None, description="for `allclose submit`: your token there")

    @field_validator("server")
    @classmethod
    def _one_spelling(cls, server: str) -> str:
        """Tokens are kept by address."""
        if not server.startswith(("http://", "https://")):
            raise ValueError("an address begins with http:// or https://")
        return server.rstrip("/")

    @cached_property
    def worker_slots(self) -> int:
        """Counted once, since the free memory changes."""
        return self.slots or count_slots()


def read_settings(**overrides: object) -> Settings:
    """Raises BadSetting. Overrides that are None are left to the environment."""
    known = {PREFIX + name.upper() for name in Settings.model_fields}
    unknown = sorted(name for name in os.environ if name.startswith(PREFIX) and name not in known)
    if unknown:
        raise BadSetting(f"unknown setting {', '.join(unknown)}; known are {', '.join(sorted(known))}")
    try:
        return Settings(**{name: value for name, value in overrides.items() if value is not None})  # type: ignore[arg-type]
    except ValidationError as error:
        raise BadSetting("; ".join(_sentence(e["loc"], e["msg"], e["input"]) for e in error.errors())) from None


def _sentence(location: tuple[int | str, ...], message: str, value: object) -> str:
    name = PREFIX + str(location[0]).upper() if location else PREFIX
    return f"{name} is {value!r}: {message.removeprefix('Value error, ')}"
