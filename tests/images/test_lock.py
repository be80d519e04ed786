"""One list for both kinds of box, and one more for GPUs that only adds to it."""

import json
import subprocess

from tests.framework_runtime import PYTHON
from tests.images.conftest import INSIDE
from tests.images.lock import normalise, public, read_lock
from tests.lacking import do_without


def test_a_gpu_has_the_same_versions_of_everything_that_both_have() -> None:
    cpu, cuda = read_lock("cpu"), read_lock("cuda")

    differing = {name: (version, cuda[name]) for name, version in cpu.items() if cuda[name] != version}

    assert differing == {}
    assert {cuda[name] for name in ("jax-cuda13-plugin", "jax-cuda13-pjrt", "jaxlib")} == {cpu["jax"]}


def test_bubblewrap_boxes_see_the_versions_of_the_list() -> None:
    if not PYTHON.exists():
        do_without(f"{PYTHON} is missing: `make test` makes it")

    said = subprocess.run([PYTHON, INSIDE / "versions.py"], capture_output=True, check=True).stdout

    installed = {normalise(name): public(version) for name, version in json.loads(said).items()}
    named = read_lock("cpu")
    # PyTorch's default build brings its CUDA libraries, which the list does not name.
    assert {name: installed.get(name) for name in named} == named
