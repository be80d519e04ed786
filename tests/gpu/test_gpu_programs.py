"""Hostile submissions that start programs, in boxes with a fake GPU. Each costs its sender a verdict at most."""

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sandbox.bubblewrap import BubblewrapLauncher
from sandbox.gpu.box import GpuBox
from sandbox.guest.seccomp_filter import CLONE_SPAWN, numbers
from sandbox.interface import MIB, BoxSpec, Ending
from tests.sandbox.bench import make_request, run_in, value_of

PREAMBLE = """
import ctypes, os, sys, threading, time

def start(text, *rest):
    return os.posix_spawn(sys.executable, [sys.executable, "-S", "-c", text, *rest], {})
"""
FORKS = f"""
    libc = ctypes.CDLL(None)
    while libc.syscall({numbers()["clone"]}, {CLONE_SPAWN}, 0, 0, 0, 0) != -1:
        pass
"""
SLEEPERS = """
    def many():
        while True:
            os.posix_spawn("/bin/sleep", ["sleep", "600"], {})
    for _ in range(8):
        threading.Thread(target=many).start()
    many()
"""
STUBBORN = """
    start('''if True:
        import os, signal, sys, time
        for number in {*signal.valid_signals()} - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_IGN)
        os.posix_spawn("/bin/sleep", ["sleep", "600"], {})
        time.sleep(600)
    ''')
    time.sleep(0.3)
    return 1
"""
LATE = """
    os.posix_spawn("/bin/sleep", ["sleep", "600"], {})
    os._exit(0)
"""
FLOOD = """
    os.posix_spawn("/usr/bin/yes", ["yes"], {})
    time.sleep(9)
"""
FORGED = """
    os.waitpid(start("import os; os.write(3, bytes(200))"), 0)
    time.sleep(9)
"""
TAKES_CORES = """
    for _ in range(8):
        start("while True: pass")
    while True:
        pass
"""


@pytest.fixture
def box(launcher: BubblewrapLauncher) -> Iterator[GpuBox]:
    box = launcher.launch(BoxSpec((), gpu=True))
    assert isinstance(box, GpuBox)
    with closing(box):
        yield box


def others_in(box: GpuBox) -> str:
    pid = box.box.vessel.pid
    return Path(f"/proc/{pid}/task/{pid}/children").read_text()


@pytest.mark.whole
@pytest.mark.parametrize(
    ("statements", "endings"),
    [
        # With namespaces, the kernel refuses what is too many before the monitor sees it.
        pytest.param(FORKS, {Ending.CRASHED, Ending.OUT_OF_MEMORY}, id="processes that run no program"),
        pytest.param(SLEEPERS, {Ending.CRASHED, Ending.RAISED, Ending.TIMED_OUT}, id="programs without number"),
        pytest.param(STUBBORN, {Ending.ANSWERED}, id="a program that ignores signals"),
        pytest.param(LATE, {Ending.CRASHED}, id="a program that outlives its submission"),
        pytest.param(FLOOD, {Ending.TOO_MUCH_OUTPUT}, id="a program that prints without end"),
        pytest.param(FORGED, {Ending.FORGED}, id="a program that answers"),
        pytest.param(TAKES_CORES, {Ending.TIMED_OUT}, id="programs that take the submission's cores"),
    ],
)
def test_programs_end_with_the_run(box: GpuBox, statements: str, endings: set[Ending]) -> None:
    request = make_request(f"{PREAMBLE}\ndef solve():{statements}", wall_seconds=2)

    begun = time.monotonic()
    run = run_in(box, request)
    seconds = time.monotonic() - begun

    assert run.cases[0].ending in endings
    assert box.is_usable() == (run.cases[0].ending is not Ending.FORGED)
    assert not box.is_usable() or others_in(box) == ""
    assert seconds < 10


@pytest.mark.whole
def test_memory_is_counted_once_while_programs_start(box: GpuBox) -> None:
    """Until posix_spawn's child runs its program, it has the memory of the process that started it."""
    source = """
        import os
        def solve():
            held = bytearray(900 << 20)
            for at in range(0, len(held), 4096):
                held[at] = 1
            for _ in range(300):
                os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)
            return len(held)
    """

    case = run_in(box, make_request(source, memory_bytes=512 * MIB)).cases[0]

    assert value_of(case) == 900 * MIB
    assert case.memory_bytes < 1000 * MIB


def test_a_program_can_signal_no_process_but_the_submission_s(box: GpuBox) -> None:
    source = """
        import os, sys
        TEXT = '''if True:
            import os, sys
            for pid in {*range(-40, 40)} - {os.getppid()}:
                try:
                    os.kill(pid, 0)
                    print("reached", pid)
                except PermissionError:
                    pass
        '''
        def solve():
            return os.waitpid(os.posix_spawn(sys.executable, [sys.executable, "-S", "-c", TEXT], {}), 0)[1]
    """

    case = run_in(box, make_request(source)).cases[0]

    assert (value_of(case), case.text) == (0, "")


def test_a_program_can_read_no_process_of_the_judge(box: GpuBox) -> None:
    source = """
        import os, sys
        TEXT = '''if True:
            import os, sys
            for pid in ("1", sys.argv[1]):
                for name in ("mem", "maps", "environ", "fd/0", "root/etc", "task/" + pid + "/mem"):
                    try:
                        os.open("/proc/" + pid + "/" + name, os.O_RDONLY | os.O_NONBLOCK)
                        print("opened", pid, name)
                    except (PermissionError, FileNotFoundError):
                        pass
        '''
        def solve():
            command = [sys.executable, "-S", "-c", TEXT, str(os.getppid())]
            return os.waitpid(os.posix_spawn(sys.executable, command, {}), 0)[1]
    """

    case = run_in(box, make_request(source)).cases[0]

    assert (value_of(case), case.text) == (0, "")


@pytest.mark.skipif(not Path("/proc/self/autogroup").exists(), reason="this kernel has no groups of sessions")
def test_a_box_whose_priority_a_program_changed_is_used_no_more(box: GpuBox) -> None:
    source = """
        import os, sys
        def solve():
            os.execv(sys.executable, [sys.executable, "-S", "-c", "open('/proc/self/autogroup', 'w').write('19')"])
    """

    run = run_in(box, make_request(source))

    assert run.cases[0].ending is Ending.CRASHED
    assert not box.is_usable()
