"""The worker's GPU metrics."""

import threading

from app.worker.telemetry import Meter
from tests.gpu.nvml import GIB, GPU_IS_LOST, make_gpus
from tests.gpu.test_gpu_lease import open_gpus


def lines(meter: Meter) -> list[str]:
    return [line for line in meter.report().metrics.splitlines() if line.startswith("allclose_gpu_")]


def test_a_gpu_is_told_with_its_name_its_memory_and_whether_a_run_has_it() -> None:
    nvml = make_gpus(1)
    nvml.gpus[0].used = 3 * GIB  # 3.221225472e+09
    gpus = open_gpus(nvml)
    meter, labels = Meter(slots=1, gpus=gpus), '{gpu="0",name="NVIDIA Imaginary"}'

    idle = lines(meter)
    with gpus.lock(gpus.gpus[0], threading.Event()):
        busy = lines(meter)

    assert f"allclose_gpu_busy{labels} 0.0" in idle
    assert f"allclose_gpu_busy{labels} 1.0" in busy
    assert f"allclose_gpu_memory_used_bytes{labels} 3.221225472e+09" in idle
    assert f"allclose_gpu_memory_bytes{labels} 8.589934592e+10" in idle


def test_a_gpu_that_does_not_answer_is_told_as_lost() -> None:
    nvml = make_gpus(1)
    meter = Meter(slots=1, gpus=open_gpus(nvml))
    nvml.gpus[0].failing = GPU_IS_LOST

    told = lines(meter)

    assert 'allclose_gpu_lost{gpu="0",name="NVIDIA Imaginary"} 1.0' in told
    assert not [line for line in told if line.startswith("allclose_gpu_memory_used_bytes")]
