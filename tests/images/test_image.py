"""An image holds what boxes need, as they need it, and nothing that helps to break out."""

import hashlib
from typing import TYPE_CHECKING

import pytest

from sandbox.environment import GUEST, GUEST_UID, guest_digest
from tests.images.conftest import Ask
from tests.images.lock import normalise, public, read_lock

if TYPE_CHECKING:
    from docker.models.images import Image

EXPECTED = {
    "jax": 64.0,
    "flax": 2,
    "optax": 0.0,
    "torch": 64.0,
    "torch.compile, eager": 3.0,
    "torch.compile, aot_eager": 3.0,
}


def test_an_image_says_what_it_is(image: "Image", flavour: str) -> None:
    labels = image.labels

    assert labels["org.allclose.flavour"] == flavour
    assert labels["org.allclose.guest"] == guest_digest(), "built from other sources of the guest: run `make images`"


def test_an_image_runs_as_the_guest_user_and_starts_nothing_by_itself(image: "Image") -> None:
    config = image.attrs["Config"]

    assert config["User"] == f"{GUEST_UID}:{GUEST_UID}"
    assert not config["Entrypoint"]


@pytest.mark.whole
def test_every_framework_works_without_root_network_or_a_writable_root(ask: Ask) -> None:
    facts = ask("frameworks", "")

    assert facts["answers"] == EXPECTED
    assert (facts["uid"], facts["gid"]) == (GUEST_UID, GUEST_UID)


@pytest.mark.whole
def test_everything_that_python_loads_is_compiled(ask: Ask) -> None:
    facts = ask("frameworks", "")

    assert facts["loaded"] > 1000
    assert facts["not compiled"] == []


def test_the_versions_are_those_of_the_lock(ask: Ask, flavour: str) -> None:
    installed = {normalise(name): public(version) for name, version in ask("versions", "").items()}

    assert installed == read_lock(flavour)


def test_the_guest_is_that_of_this_checkout(ask: Ask) -> None:
    here = [path for path in GUEST.rglob("*") if path.is_file() and path.suffix != ".pyc"]

    inside = ask("guest", "")

    assert inside == {str(path.relative_to(GUEST)): hashlib.sha256(path.read_bytes()).hexdigest() for path in here}


def test_nothing_in_an_image_gives_rights_or_can_be_written_to(ask: Ask) -> None:
    facts = ask("files", "root")

    assert facts["privileged"] == []
    assert facts["writable"] == []
    assert facts["not root's or not readable"] == []


def test_an_image_holds_no_compiler_and_no_leftovers(ask: Ask) -> None:
    facts = ask("files", "root")

    assert facts["compilers"] == []
    assert facts["caches"] == []
    assert facts["cache of boxes"] == []
