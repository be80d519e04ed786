"""Fake GPUs: a fake NVML, files in place of devices, and real boxes that see those files."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox.bubblewrap import BubblewrapLauncher
from sandbox.gpu.driver import open_driver
from sandbox.gpu.gpu_lease import Gpus
from sandbox.interface import BoxSpec, Isolation, SandboxUnavailable
from sandbox.runtime import find_runtime
from tests.gpu.nvml import FakeNvml, make_devices, make_gpus
from tests.sandbox.bench import RUNTIME

MakeLauncher = Callable[[FakeNvml], BubblewrapLauncher]


@pytest.fixture
def nvml() -> FakeNvml:
    return make_gpus(1)


@pytest.fixture
def devices(tmp_path: Path) -> Path:
    return make_devices(tmp_path)


@pytest.fixture(params=["namespaces", pytest.param("shared", marks=pytest.mark.whole)])
def isolation(request: pytest.FixtureRequest) -> Isolation:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def make_launcher(devices: Path, isolation: Isolation) -> MakeLauncher:
    def make(nvml: FakeNvml) -> BubblewrapLauncher:
        driver = open_driver(nvml)
        gpus = Gpus(driver, driver.list_gpus(), devices)
        launcher = BubblewrapLauncher(runtime=find_runtime(RUNTIME), isolation=isolation, gpus=gpus)
        try:
            launcher.launch(BoxSpec(())).close()
        except SandboxUnavailable as error:
            if "refuses namespaces" in str(error):
                pytest.skip("this host refuses namespaces")
            raise
        return launcher

    return make


@pytest.fixture
def launcher(make_launcher: MakeLauncher, nvml: FakeNvml) -> BubblewrapLauncher:
    return make_launcher(nvml)
