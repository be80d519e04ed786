"""A runtime without an optional framework: its boxes say what is missing, and judge everything else."""

import shutil
import subprocess

import pytest

from sandbox.bubblewrap import BubblewrapLauncher
from sandbox.interface import BoxSpec, FrameworkMissing
from sandbox.runtime import find_runtime
from tests.sandbox.bench import RUNTIME


@pytest.fixture(scope="module")
def with_numpy_only(tmp_path_factory: pytest.TempPathFactory) -> BubblewrapLauncher:
    folder = tmp_path_factory.mktemp("runtime") / "runtime"
    subprocess.run([RUNTIME / "bin" / "python", "-m", "venv", "--without-pip", folder], check=True)
    whole, small = find_runtime(RUNTIME), find_runtime(folder)
    for path in whole.packages.glob("*"):
        if path.name.startswith(("numpy", "ml_dtypes")):
            shutil.copytree(path, small.packages / path.name)
    return BubblewrapLauncher(runtime=find_runtime(folder))


def test_a_box_names_the_framework_and_the_command(with_numpy_only: BubblewrapLauncher) -> None:
    with pytest.raises(FrameworkMissing) as raised:
        with_numpy_only.launch(BoxSpec(("triton",)))

    assert str(raised.value) == (
        "the boxes of this machine have no triton, which is optional: run `make runtime FRAMEWORKS=triton`"
    )


def test_other_boxes_open_and_tell_what_is_missing(with_numpy_only: BubblewrapLauncher) -> None:
    box = with_numpy_only.launch(BoxSpec(("numpy",)))
    box.close()

    assert box.ready.missing == ("triton",)
