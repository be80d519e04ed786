"""Boxes with a fake GPU: their view of it, exclusive use, memory, leftovers, and a lost GPU.

The boxes, their isolation and their filters are real. The test tells the fake NVML what is on the GPU.
"""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from sandbox.bubblewrap import BubblewrapLauncher
from sandbox.gpu.box import LIBRARIES_BYTES, GpuBox
from sandbox.interface import MIB, BoxLost, BoxSpec, CaseOutcome, DeviceLost, Ending, Request
from sandbox.pool import Pool
from tests.gpu.conftest import MakeLauncher
from tests.gpu.nvml import GIB, GPU_IS_LOST, FakeNvml, make_gpus
from tests.queue.fleet import wait_until
from tests.sandbox.bench import make_request, run_in, value_of

SPEC = BoxSpec(("numpy",), gpu=True)
HONEST = make_request("def solve(n):\n    return n + 1\n", {"n": 1}, {"n": 2})
# Answers the first case, and waits in the second until the test ends it.
STAYS = make_request("import time\ndef solve(n):\n    time.sleep(30 * n)\n    return n\n", {"n": 0}, {"n": 1}, {"n": 0})


@pytest.fixture
def box(launcher: BubblewrapLauncher) -> Iterator[GpuBox]:
    box = launcher.launch(SPEC)
    assert isinstance(box, GpuBox)
    with closing(box):
        yield box


def run_until_told(box: GpuBox, request: Request, then: Callable[[], None]) -> list[CaseOutcome]:
    """Call `then` after the first case was reported; return the reported outcomes. Raises the run's errors."""
    told: list[CaseOutcome] = []

    def tell(outcome: CaseOutcome) -> None:
        told.append(outcome)
        if len(told) == 1:
            threading.Thread(target=then).start()

    box.run(request, tell, threading.Event())
    return told


def test_a_box_shows_one_gpu_and_not_which(make_launcher: MakeLauncher) -> None:
    source = """
        import os
        def solve():
            names = [name for name in os.environ if name.startswith(("CUDA_VISIBLE", "JAX", "XLA"))]
            return {"devices": sorted(os.listdir("/dev")), **{name: os.environ[name] for name in names}}
    """
    launcher = make_launcher(make_gpus(3))

    with closing(launcher.launch(SPEC)) as box:
        seen = value_of(run_in(box, make_request(source)).cases[0])

    assert box.ready.device == "gpu"
    assert seen == {
        "devices": ["full", "null", "nvidia-uvm", "nvidia2", "nvidiactl", "random", "urandom"],
        "CUDA_VISIBLE_DEVICES": "0",
        "JAX_PLATFORMS": "cuda,cpu",
        "JAX_ENABLE_COMPILATION_CACHE": "false",
        "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
        "XLA_CLIENT_MEM_FRACTION": f"{1 / 80:.8f}",
    }


def test_a_box_without_a_gpu_of_the_same_launcher_shows_none(launcher: BubblewrapLauncher) -> None:
    source = "import os\ndef solve():\n    return sorted(os.listdir('/dev')), os.environ['JAX_PLATFORMS']\n"

    with closing(launcher.launch(BoxSpec(()))) as box:
        seen = value_of(run_in(box, make_request(source)).cases[0])

    assert box.ready.device == "cpu"
    assert seen == (["full", "null", "random", "urandom"], "cpu")


def test_the_calls_of_a_driver_pass_and_others_do_not(box: GpuBox) -> None:
    source = """
        import ctypes, errno, fcntl, mmap, os, signal, socket
        libc = ctypes.CDLL(None, use_errno=True)

        def attempt(call):
            try:
                return "done" if call() != -1 else errno.errorcode[ctypes.get_errno()]
            except OSError as error:
                return errno.errorcode[error.errno]

        def share():
            with open("/tmp/pages", "wb+") as file:
                file.truncate(4096)
                return len(mmap.mmap(file.fileno(), 4096, mmap.MAP_SHARED))

        def listen():
            listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            listening.bind(f"\\0cuda-uvmfd-{os.getpid()}-{id(listening)}")
            listening.listen()
            return listening

        def solve():
            with open("/dev/nvidia0") as device:
                return {
                    "driver": attempt(lambda: fcntl.ioctl(device, 0xC00446D2, b"1234")),
                    "unified": attempt(lambda: fcntl.ioctl(device, 0x30000001, b"1234")),
                    "owner": attempt(lambda: fcntl.ioctl(device, 0x8901, b"1234")),
                    "typing": attempt(lambda: fcntl.ioctl(device, 0x5412, b"1")),
                    "shared": attempt(share),
                    "anonymous": attempt(lambda: len(mmap.mmap(-1, 4096, mmap.MAP_SHARED))),
                    "memfd": attempt(lambda: os.memfd_create("x")),
                    "own cores": attempt(lambda: os.sched_setaffinity(0, os.sched_getaffinity(0)) or 0),
                    "fork": attempt(os.fork),
                    "listening": attempt(lambda: listen().fileno()),
                    "connecting": attempt(lambda: listen().connect("\\0other") or 0),
                    "socket": attempt(lambda: socket.socket() and 0),
                    "kill": attempt(lambda: os.kill(os.getpid() + 1, 9) or 0),
                }
    """

    seen = value_of(run_in(box, make_request(source)).cases[0])

    # /dev/null stands where the device would be, and knows no such request: what counts is who said so.
    allowed = {
        "driver": "ENOTTY",
        "unified": "ENOTTY",
        **dict.fromkeys(("shared", "anonymous", "listening"), "done"),
    }
    refused = {
        "owner": "ENOTTY",
        "typing": "ENOTTY",
        **dict.fromkeys(("memfd", "own cores", "fork", "connecting", "socket", "kill"), "EPERM"),
    }
    assert seen == allowed | refused


def test_one_run_at_a_time_has_the_gpu(launcher: BubblewrapLauncher) -> None:
    source = """
        import time
        def solve():
            began = time.monotonic()
            time.sleep(0.3)
            return began, time.monotonic()
    """
    boxes = [launcher.launch(SPEC), launcher.launch(BoxSpec((), gpu=True))]

    with ThreadPoolExecutor(2) as threads:
        spans = list(threads.map(lambda box: value_of(run_in(box, make_request(source)).cases[0]), boxes))
    for box in boxes:
        box.close()

    (_, first_end), (second_begin, _) = sorted(spans)
    assert first_end <= second_begin


def test_pools_with_warm_boxes_of_every_kind_share_the_only_gpu(launcher: BubblewrapLauncher) -> None:
    students, references = (Pool(launcher, capacity=2, max_runs=100) for _ in range(2))
    kinds = (SPEC, BoxSpec((), gpu=True))

    def use(pool: Pool, spec: BoxSpec) -> int:
        with pool.lease(spec, threading.Event()) as box:
            return int(value_of(run_in(box, HONEST).cases[0]))

    with closing(students), closing(references), ThreadPoolExecutor(4) as threads:
        uses = [threads.submit(use, pool, spec) for _ in range(3) for pool in (students, references) for spec in kinds]
        answers = [each.result(120) for each in uses]

    assert answers == [2] * 12


def test_a_run_that_takes_more_of_the_gpu_than_it_may_is_out_of_memory(box: GpuBox, nvml: FakeNvml) -> None:
    limit = STAYS.limits.memory_bytes

    def take() -> None:
        nvml.gpus[0].used += limit + LIBRARIES_BYTES + MIB
        wait_until(lambda: not box.box.vessel.is_alive())
        nvml.gpus[0].used = GIB // 2

    told = run_until_told(box, STAYS, take)

    assert [case.ending for case in told] == [Ending.ANSWERED, Ending.OUT_OF_MEMORY]
    assert told[1].name == "case 1"
    assert told[1].failure is not None
    assert told[1].failure.message == "the call used more than 1024 MiB of the GPU's memory"
    assert told[1].memory_bytes == limit + LIBRARIES_BYTES + MIB
    assert not box.is_usable()


def test_memory_of_drivers_and_libraries_is_not_counted(box: GpuBox, nvml: FakeNvml) -> None:
    request = make_request("import time\ndef solve(n):\n    time.sleep(n)\n    return n\n", {"n": 0}, {"n": 0.5})

    def take() -> None:
        nvml.gpus[0].used += request.limits.memory_bytes + LIBRARIES_BYTES - MIB
        threading.Timer(0.3, lambda: setattr(nvml.gpus[0], "used", GIB // 2)).start()

    told = run_until_told(box, request, take)

    assert [case.ending for case in told] == [Ending.ANSWERED] * 2


def test_gpu_memory_taken_by_other_processes_gives_no_verdict(box: GpuBox, nvml: FakeNvml) -> None:
    def come() -> None:
        nvml.gpus[0].used, nvml.gpus[0].processes = 70 * GIB, [1]

    with pytest.raises(BoxLost, match=r"other processes on this machine \(\[1\]\) used GPU 0 during the run"):
        run_until_told(box, STAYS, come)


@pytest.mark.parametrize(
    "leftover",
    [{"used": GIB}, pytest.param({"processes": [1]}, marks=pytest.mark.whole)],
    ids=["memory", "process"],
)
def test_a_box_that_leaves_something_on_the_gpu_is_used_no_more(
    box: GpuBox, nvml: FakeNvml, leftover: dict[str, object], caplog: pytest.LogCaptureFixture
) -> None:
    outcomes: list[CaseOutcome] = []

    def leave(outcome: CaseOutcome) -> None:
        outcomes.append(outcome)
        for name, value in leftover.items():
            setattr(nvml.gpus[0], name, value)

    box.run(make_request("def solve():\n    return 0\n"), leave, threading.Event())

    assert [value_of(case) for case in outcomes] == [0]
    assert not box.is_usable()
    assert "the box is thrown away" in caplog.text


def test_memory_in_use_before_the_run_is_no_leftover(box: GpuBox, nvml: FakeNvml) -> None:
    nvml.gpus[0].used, nvml.gpus[0].processes = 40 * GIB, [1]

    run_in(box, HONEST)

    assert box.is_usable()


def lose(nvml: FakeNvml) -> None:
    nvml.gpus[0].failing = GPU_IS_LOST


def use(pool: Pool, meanwhile: Callable[[], None] = lambda: None) -> object:
    with pool.lease(SPEC, threading.Event()) as box:
        meanwhile()
        return value_of(run_in(box, HONEST).cases[0])


def test_a_lost_gpu_gives_no_verdict(box: GpuBox, nvml: FakeNvml) -> None:
    source = """
        import time
        def solve(n):
            if n:
                time.sleep(0.5)
                raise RuntimeError("CUDA error: unspecified launch failure")
            return n
    """
    told: list[CaseOutcome] = []

    def tell(outcome: CaseOutcome) -> None:
        told.append(outcome)
        nvml.gpus[0].failing = GPU_IS_LOST

    with pytest.raises(DeviceLost):
        box.run(make_request(source, {"n": 0}, {"n": 1}), tell, threading.Event())

    assert [case.ending for case in told] == [Ending.ANSWERED]
    assert not box.is_usable()


def test_a_run_that_hangs_on_a_lost_gpu_is_ended(box: GpuBox, nvml: FakeNvml) -> None:
    with pytest.raises(DeviceLost):
        run_until_told(box, STAYS, lambda: lose(nvml))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_run_ends_when_its_gpu_is_not_watched_any_more(
    box: GpuBox, nvml: FakeNvml, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = nvml.nvmlDeviceGetMemoryInfo

    def fail_once(_: object) -> None:
        monkeypatch.setattr(nvml, "nvmlDeviceGetMemoryInfo", usual)
        raise ValueError("nobody foresaw this")

    with pytest.raises(BoxLost):
        run_until_told(box, STAYS, lambda: monkeypatch.setattr(nvml, "nvmlDeviceGetMemoryInfo", fail_once))


def test_a_pool_goes_on_with_the_gpus_that_are_left(make_launcher: MakeLauncher) -> None:
    nvml = make_gpus(2)
    launcher = make_launcher(nvml)
    pool = Pool(launcher, capacity=2, max_runs=100)

    with closing(pool):
        with pytest.raises(DeviceLost):
            use(pool, lambda: lose(nvml))

        assert use(pool) == 2
