"""The guest's differences in a box with a GPU."""

import errno
import os
import signal
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from app.settings import ROOT
from sandbox.bubblewrap import BubblewrapLauncher
from sandbox.guest import codec, convert, gpu_start
from sandbox.guest.seccomp_filter import (
    AF_UNIX,
    CLONE_SPAWN,
    SOCK_SEQPACKET,
    box_filter,
    numbers,
    student_filter,
)
from sandbox.interface import MIB, BoxLost, BoxSpec, Ending
from tests.sandbox.bench import RUNTIME, make_request, run_in, value_of
from tests.sandbox.test_bpf import ALLOWED, decide

STUDENT, WITHOUT = student_filter(7, gpu=True), student_filter(7)
SHARED_ANONYMOUS, READ_WRITE = 0x21, 3


@pytest.fixture(params=["x86_64", "aarch64"])
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("request_number", [0xC00446D2, 0xC020462A, 0x30000001, 0x21, 0x5421])
def test_requests_of_nvidia_s_driver_pass(machine: str, request_number: int) -> None:
    assert decide(STUDENT, machine, numbers(machine)["ioctl"], 5, request_number) == ALLOWED


@pytest.mark.parametrize(
    "request_number", [0x8901, 0x5452, 0x5412, 0x541C, 0x8902], ids=["owner", "async", "typing", "console", "group"]
)
def test_requests_that_send_signals_or_type_are_refused_with_a_gpu_too(machine: str, request_number: int) -> None:
    assert decide(STUDENT, machine, numbers(machine)["ioctl"], 5, request_number) == errno.ENOTTY


def test_memory_may_be_shared_with_a_gpu_and_not_without(machine: str) -> None:
    mmap = numbers(machine)["mmap"]

    assert decide(STUDENT, machine, mmap, 0, 4096, READ_WRITE, SHARED_ANONYMOUS) == ALLOWED
    assert decide(WITHOUT, machine, mmap, 0, 4096, READ_WRITE, SHARED_ANONYMOUS) == errno.EPERM


@pytest.mark.parametrize("name", ["socket", "bind", "listen", "execve", "wait4"])
def test_calls_of_a_driver_and_a_compiler_pass_both_filters(machine: str, name: str) -> None:
    number = numbers(machine)[name]

    assert decide(STUDENT, machine, number, AF_UNIX, SOCK_SEQPACKET) == ALLOWED
    assert decide(box_filter(namespaces=True, gpu=True), machine, number) == ALLOWED
    assert decide(WITHOUT, machine, number) != ALLOWED


@pytest.mark.parametrize("family", [1, 2, 10, 16], ids=["unix", "internet", "internet 6", "netlink"])
@pytest.mark.parametrize("kind", [1, 2, 3, 5], ids=["stream", "datagram", "raw", "packets"])
def test_only_the_driver_s_kind_of_socket_can_be_made_and_none_can_connect(
    machine: str, family: int, kind: int
) -> None:
    is_the_driver_s = (family, kind) == (AF_UNIX, SOCK_SEQPACKET)

    assert (decide(STUDENT, machine, numbers(machine)["socket"], family, kind) == ALLOWED) == is_the_driver_s
    assert decide(STUDENT, machine, numbers(machine)["connect"], 3) == errno.EPERM
    assert decide(STUDENT, machine, numbers(machine)["sendmsg"], 3) == errno.EPERM


def test_programs_are_started_by_posix_spawn_only(machine: str) -> None:
    clone = numbers(machine)["clone"]

    assert decide(STUDENT, machine, clone, CLONE_SPAWN) == ALLOWED
    assert decide(WITHOUT, machine, clone, CLONE_SPAWN) == errno.EPERM
    assert decide(STUDENT, machine, clone, signal.SIGCHLD) == errno.EPERM  # fork
    assert decide(STUDENT, machine, clone, CLONE_SPAWN | 0x20000000) == errno.EPERM  # a new PID namespace


def test_everything_else_is_as_without_a_gpu(machine: str) -> None:
    other = numbers(machine).keys() - {"ioctl", "mmap", "clone", "bind", "listen", "execve", "wait4"}

    for name in other:
        number = numbers(machine)[name]
        assert decide(STUDENT, machine, number, 99) == decide(WITHOUT, machine, number, 99), name


@dataclass
class Frameworks:
    """Stand-ins for the modules `torch` and `jax`, on a machine with so many GPUs."""

    count: int = 1
    shares: list[float] = field(default_factory=list)

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        cuda = SimpleNamespace(
            init=lambda: None,
            device_count=lambda: self.count,
            set_per_process_memory_fraction=lambda share, device: self.shares.append(share + device),
        )
        monkeypatch.setitem(
            sys.modules, "torch", SimpleNamespace(cuda=cuda, backends=SimpleNamespace(cudnn=SimpleNamespace()))
        )
        devices = [SimpleNamespace(platform="gpu")] * self.count
        jax = SimpleNamespace(
            devices=lambda: devices, jit=lambda function: function, config=SimpleNamespace(update=lambda *_: None)
        )
        monkeypatch.setitem(sys.modules, "jax", jax)
        for variable in ("XLA_CLIENT_MEM_FRACTION", "TRITON_F32_DEFAULT"):
            monkeypatch.setenv(variable, "")


def test_both_frameworks_are_given_their_share_of_the_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    frameworks = Frameworks()
    frameworks.install(monkeypatch)

    gpu_start.bring_up(memory_bytes=20 * 2**30, gpu_memory_bytes=80 * 2**30)

    assert frameworks.shares == [0.25]
    assert os.environ["XLA_CLIENT_MEM_FRACTION"] == "0.25000000"


FLOAT32 = """
import os, jax, torch
from sandbox.guest import gpu_start
x = jax.numpy.ones((16, 16))
before = jax.jit(lambda x: x @ x).lower(x).as_text()
gpu_start.keep_float32()
after = jax.jit(lambda x: x @ x + 0).lower(x).as_text()
print("HIGHEST" in before, "HIGHEST" in after, torch.backends.cudnn.allow_tf32, torch.backends.cuda.matmul.allow_tf32)
print(os.environ["TRITON_F32_DEFAULT"])
"""


def test_products_of_float32_are_not_in_tf32_unless_the_source_asks() -> None:
    python = [str(RUNTIME / "bin" / "python"), "-c", FLOAT32]
    said = subprocess.run(python, cwd=ROOT, capture_output=True, text=True, check=True)

    assert said.stdout.split() == ["False", "True", "False", "False", "ieee"]


def test_a_limit_above_all_that_there_is_means_all(monkeypatch: pytest.MonkeyPatch) -> None:
    frameworks = Frameworks()
    frameworks.install(monkeypatch)

    gpu_start.bring_up(memory_bytes=20 * 2**30, gpu_memory_bytes=8 * 2**30)

    assert frameworks.shares == [1.0]


@pytest.mark.parametrize("count", [0, 2])
def test_a_box_that_shows_another_number_of_gpus_than_one_is_a_fault(
    monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    Frameworks(count).install(monkeypatch)

    with pytest.raises(gpu_start.UnexpectedDevices, match=f"torch sees {count} GPUs"):
        gpu_start.bring_up(memory_bytes=MIB, gpu_memory_bytes=MIB)


def test_a_cuda_context_is_known_by_its_open_device(tmp_path: Path) -> None:
    (tmp_path / "3").symlink_to("/dev/nvidiactl")  # which also those open who only ask what there is
    before = gpu_start.holds_cuda_context(tmp_path)
    (tmp_path / "4").symlink_to("/dev/nvidia-uvm")

    assert not before
    assert gpu_start.holds_cuda_context(tmp_path)


class Tensor:
    """A fake tensor with the parts that `restore` uses."""

    def __init__(self, device: str = "cpu") -> None:
        self.device = device

    def to(self, device: str) -> "Tensor":
        return Tensor(device)


def test_tensors_lie_on_the_gpu_wherever_they_are_in_the_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(convert._MAKERS, "torch", lambda _: Tensor())
    given = codec.decode(codec.encode({"a": [np.zeros(2), (np.ones(1), 3)]}))

    restored = convert.restore(given, "torch", "cuda")

    first, (second, number) = restored["a"]
    assert (first.device, second.device, number) == ("cuda", "cuda", 3)


@pytest.mark.parametrize("framework", [pytest.param("jax", marks=pytest.mark.whole), "torch"])
def test_a_gpu_that_does_not_come_up_is_our_fault(launcher: BubblewrapLauncher, framework: str) -> None:
    """The device file of this test has no GPU behind it."""
    with closing(launcher.launch(BoxSpec((framework,), gpu=True))) as box, pytest.raises(BoxLost):
        run_in(box, make_request("def solve():\n    return 1\n"))


@pytest.mark.whole
def test_drivers_have_room_in_the_host_s_memory_beside_the_limit(launcher: BubblewrapLauncher) -> None:
    source = """
        import numpy as np
        def solve(mib):
            return int(np.ones(mib << 20, np.uint8).sum() >> 20)
    """
    request = make_request(source, {"mib": 1000}, {"mib": 2000}, memory_bytes=512 * MIB)

    with closing(launcher.launch(BoxSpec(("numpy",), gpu=True))) as box:
        first, second = run_in(box, request).cases

    assert value_of(first) == 1000
    assert second.ending is Ending.OUT_OF_MEMORY


def test_the_process_can_read_its_own_mappings(launcher: BubblewrapLauncher, isolation: str) -> None:
    """NVIDIA's driver reads them. Without a GPU and with namespaces there is no such file."""
    source = "def solve():\n    return 'stack' in open('/proc/self/maps').read()\n"

    with closing(launcher.launch(BoxSpec((), gpu=True))) as box:
        ready, outcome = box.ready, run_in(box, make_request(source)).cases[0]

    assert ready.isolation == isolation
    assert value_of(outcome) is True


def test_a_program_can_be_started_and_is_gone_after_the_run(launcher: BubblewrapLauncher, isolation: str) -> None:
    """XLA starts ptxas. Without a GPU no program can be started."""
    starts = """
        import os
        def solve():
            sleeping = os.posix_spawn("/bin/sleep", ["sleep", "600"], {})
            true = os.posix_spawn("/bin/true", ["true"], {})
            return os.waitstatus_to_exitcode(os.waitpid(true, 0)[1])
    """
    looks = """
        from pathlib import Path
        def solve():
            return sum("sleep" in each.read_text() for each in Path("/proc").glob("[0-9]*/comm"))
    """
    with closing(launcher.launch(BoxSpec((), gpu=True))) as box:
        ready = box.ready
        started, left = (run_in(box, make_request(source)).cases[0] for source in (starts, looks))
    with closing(launcher.launch(BoxSpec(()))) as box:
        refused = run_in(box, make_request(starts)).cases[0]

    assert ready.isolation == isolation
    assert (value_of(started), value_of(left)) == (0, 0)
    assert refused.failure is not None
    assert refused.failure.kind == "PermissionError"


@pytest.mark.whole
@pytest.mark.parametrize(
    ("program", "ending"),
    [
        pytest.param("bytearray(900 * 2**20); time.sleep(20)", Ending.OUT_OF_MEMORY, id="memory"),
        pytest.param(
            "[threading.Thread(target=time.sleep, args=(20,)).start() for _ in range(90)]",
            Ending.CRASHED,
            id="threads",
            marks=pytest.mark.whole,
        ),
    ],
)
def test_memory_and_threads_of_started_programs_count(
    launcher: BubblewrapLauncher, program: str, ending: Ending
) -> None:
    source = f"""
        import os, sys, time
        def solve():
            text = {"import threading, time; held = " + program!r}
            for _ in range(2):
                os.posix_spawn(sys.executable, [sys.executable, "-S", "-c", text], {{}})
            time.sleep(20)
    """
    request = make_request(source, memory_bytes=512 * MIB, wall_seconds=15)

    with closing(launcher.launch(BoxSpec((), gpu=True))) as box:
        case = run_in(box, request).cases[0]

    # With namespaces, the kernel refuses a thread too many before the monitor sees it.
    assert case.ending is ending or "can't start new thread" in case.text
