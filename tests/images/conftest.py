"""The images that `make images` built, asked from inside, without a network and with only /tmp writable."""

import json
import os
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sandbox.docker.engine_client import connect
from sandbox.interface import SandboxAway, SandboxUnavailable
from tests.lacking import do_without

if TYPE_CHECKING:
    from docker import DockerClient
    from docker.models.images import Image

INSIDE = Path(__file__).parent / "inside"

Ask = Callable[[str, str], Any]


@pytest.fixture(scope="session")
def engine() -> "DockerClient":
    try:
        return connect()
    except (SandboxUnavailable, SandboxAway) as error:
        do_without(f"the images can't be tested: {error}")


@pytest.fixture(scope="session", params=["cpu", "cuda"])
def flavour(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def image(engine: "DockerClient", flavour: str) -> "Image":
    from docker.errors import ImageNotFound

    name = os.environ.get(f"ALLCLOSE_IMAGE_{flavour.upper()}", f"allclose-{flavour}")
    try:
        return engine.images.get(name)
    except ImageNotFound:
        if flavour == "cuda":
            pytest.skip(f'there is no image {name}, of several gigabytes: `make images FLAVOURS="cpu cuda"` builds it')
        do_without(f"there is no image {name}: `make images` builds it")


@pytest.fixture(scope="session")
def ask(engine: "DockerClient", image: "Image") -> Ask:
    """`ask(script, user)`: what the script of that name in inside/ printed, read as JSON."""
    return cache(partial(_ask, engine, image))


def _ask(engine: "DockerClient", image: "Image", script: str, user: str) -> Any:
    from docker.errors import ContainerError

    try:
        said = engine.containers.run(
            image,
            ["/allclose/runtime/bin/python", "-s", "-P", "-c", (INSIDE / f"{script}.py").read_text()],
            user=user,
            environment={"PYTHONPATH": "/allclose", "HOME": "/tmp", "JAX_PLATFORMS": "cpu"},
            network_mode="none",
            read_only=True,
            tmpfs={"/tmp": "size=64m"},
            cap_drop=[] if user else ["ALL"],
            remove=True,
        )
    except ContainerError as error:
        pytest.fail(f"{script}.py in a container: {error.stderr!s}", pytrace=False)
    return json.loads(said.decode().splitlines()[-1])
