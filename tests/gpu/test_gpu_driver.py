"""Reading GPUs through NVML."""

from pathlib import Path

import pytest

from sandbox.gpu.access import find_access, find_libraries
from sandbox.gpu.driver import Driver, Gpu, open_driver
from sandbox.interface import DeviceLost, SandboxUnavailable
from tests.gpu.nvml import GIB, GPU_IS_LOST, UNKNOWN, FakeNvml, make_gpus, without_driver


@pytest.fixture
def driver(nvml: FakeNvml) -> Driver:
    return open_driver(nvml)


def first(driver: Driver) -> Gpu:
    return driver.list_gpus()[0]


def test_gpus_are_told_with_the_number_of_their_file() -> None:
    gpus = open_driver(make_gpus(2)).list_gpus()

    assert [(gpu.index, gpu.minor, gpu.uuid, gpu.memory_bytes) for gpu in gpus] == [
        (0, 1, "GPU-0", 80 * GIB),
        (1, 0, "GPU-1", 80 * GIB),
    ]


def test_a_machine_without_a_driver_is_a_finding_and_no_crash() -> None:
    with pytest.raises(SandboxUnavailable, match=r"this machine has no NVIDIA driver .*install NVIDIA's driver"):
        open_driver(FakeNvml(has_driver=False))


@without_driver
def test_this_very_machine_lacks_a_driver_and_says_so() -> None:
    with pytest.raises(SandboxUnavailable, match="NVML Shared Library Not Found"):
        open_driver()


def test_the_driver_tells_memory_and_processes_of_a_gpu(driver: Driver, nvml: FakeNvml) -> None:
    nvml.gpus[0].used, nvml.gpus[0].processes = 3 * GIB, [17, 4]

    use = driver.use_of(first(driver))

    assert (use.memory_bytes, sorted(use.processes)) == (3 * GIB, [4, 17])


def test_a_driver_that_hides_the_processes_still_tells_the_memory(driver: Driver, nvml: FakeNvml) -> None:
    nvml.gpus[0].hides_processes = True

    use = driver.use_of(first(driver))

    assert (use.memory_bytes, use.processes) == (GIB // 2, frozenset())


@pytest.mark.parametrize("failing", [GPU_IS_LOST, UNKNOWN])
def test_a_gpu_that_does_not_answer_is_lost(driver: Driver, nvml: FakeNvml, failing: int) -> None:
    gpu = first(driver)
    nvml.gpus[0].failing = failing

    with pytest.raises(DeviceLost, match=r"GPU 0 \(NVIDIA Imaginary\) no longer answers"):
        driver.use_of(gpu)


MAPS = """\
7f0000000000-7f0000001000 r--p 00000000 08:01 11   /usr/lib/x86_64-linux-gnu/libc.so.6
7f0000002000-7f0000003000 r--p 00000000 00:00 0
7f0000004000-7f0000005000 r-xp 00000000 08:01 12   /opt/driver files/libnvidia-ml.so.580.1
"""


def test_the_driver_s_libraries_lie_beside_the_one_that_is_loaded() -> None:
    assert find_libraries(MAPS) == Path("/opt/driver files")
    assert find_libraries("7f0000002000-7f0000003000 r--p 00000000 00:00 0\n") is None


def test_a_missing_device_file_is_named_with_the_command_that_makes_it(driver: Driver, devices: Path) -> None:
    (devices / "nvidia-uvm").unlink()

    with pytest.raises(SandboxUnavailable, match="nvidia-uvm does not exist: run `sudo nvidia-modprobe -c 0 -u`"):
        find_access(first(driver), devices)


def test_a_device_file_that_boxes_may_not_use_is_named_too(driver: Driver, devices: Path) -> None:
    (devices / "nvidia0").unlink()
    (devices / "nvidia0").touch(0o400)
    (devices / "nvidia0").chmod(0o400)

    with pytest.raises(SandboxUnavailable, match=r"boxes may not use .*nvidia0: run `sudo chmod a\+rw"):
        find_access(first(driver), devices)
